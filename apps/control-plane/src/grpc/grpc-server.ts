import {
  type sendUnaryData,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServerWritableStream,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { ReflectionService } from "@grpc/reflection";
import { toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { MIN_PROTOCOL_VERSION, pb, serviceDefinition } from "@cairnjs/protocol";
import { FRAME_BYTES_MAX } from "@cairnjs/schemas";
import { HealthImplementation } from "grpc-health-check";
import type { Engine } from "../library/engine.ts";
import type { WorkerHub } from "../hub/worker-hub.ts";
import { BlobService } from "./blob-service.ts";
import { ClientService } from "./client-service.ts";
import { codeOf, statusOf } from "./status.ts";
import { type AccessToken, Tokens } from "./tokens.ts";
import { WaitStream, type WaitCall } from "./wait-stream.ts";
import { type WatchCall, watchChunks } from "./watch-stream.ts";
import { type WorkCall, WorkStream } from "./work-stream.ts";
import type { Warn } from "../warn.ts";

export interface ServerTls {
  readonly key: Buffer;
  readonly certificate: Buffer;
  /** Whoever connects must have a certificate of this authority. */
  readonly clientAuthority?: Buffer;
}

export interface GrpcServerOptions {
  readonly engine: Engine;
  readonly hub: WorkerHub<unknown>;
  /** Host and port; 0 is any that is free. */
  readonly listen: string;
  readonly tls: ServerTls | null;
  readonly tokens: readonly AccessToken[] | null;
  readonly leaseOf: (type: string) => number | null | undefined;
  readonly minProtocolVersion?: number;
  readonly warn: Warn;
}

/** A peer that is gone without a word is noticed after their sum. */
const KEEPALIVE_MS = 10_000;
const KEEPALIVE_TIMEOUT_MS = 5_000;
/** For answers that are under way when it closes. */
const CLOSE_MAX_MS = 1_000;

const SERVICES = ["", pb.WorkerService.typeName, pb.ClientService.typeName];

type Unary<Request, Response> = (call: ServerUnaryCall<Request, Response>, answer: sendUnaryData<Response>) => void;

/** The services of the protocol, health and reflection, on a port. */
export class GrpcServer {
  readonly port: number;
  readonly #server: Server;
  readonly #health: HealthImplementation;

  static async open(options: GrpcServerOptions): Promise<GrpcServer> {
    const server = new Server({
      "grpc.max_receive_message_length": FRAME_BYTES_MAX,
      "grpc.max_send_message_length": FRAME_BYTES_MAX,
      "grpc.keepalive_time_ms": KEEPALIVE_MS,
      "grpc.keepalive_timeout_ms": KEEPALIVE_TIMEOUT_MS,
      "grpc.keepalive_permit_without_calls": 1,
    });
    const tokens = new Tokens(options.tokens);
    addWorkerService(server, options, tokens);
    addClientService(server, options, tokens);
    const health = new HealthImplementation(Object.fromEntries(SERVICES.map((name) => [name, "SERVING" as const])));
    health.addToServer(server);
    reflection().addToServer(server);
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync(options.listen, credentialsOf(options.tls), (error, bound) =>
        error === null ? resolve(bound) : reject(error),
      );
    });
    return new GrpcServer(server, health, port);
  }

  private constructor(server: Server, health: HealthImplementation, port: number) {
    this.#server = server;
    this.#health = health;
    this.port = port;
  }

  /** Load balancers send nobody here any more. */
  drain(): void {
    for (const name of SERVICES) this.#health.setStatus(name, "NOT_SERVING");
  }

  async close(): Promise<void> {
    const force = setTimeout(() => this.#server.forceShutdown(), CLOSE_MAX_MS);
    await new Promise<void>((resolve) => this.#server.tryShutdown(() => resolve()));
    clearTimeout(force);
  }
}

function addWorkerService(server: Server, options: GrpcServerOptions, tokens: Tokens): void {
  const { hub, engine, warn, minProtocolVersion = MIN_PROTOCOL_VERSION } = options;
  const { work, putBlob, getBlob } = serviceDefinition(pb.WorkerService);
  const blobs = new BlobService(engine.blobs);
  const answering = unary(warn);
  const implementation: UntypedServiceImplementation = {
    work: (call: WorkCall) => void new WorkStream(call, { hub, tokens, minProtocolVersion, warn }),
    putBlob: answering<pb.PutBlobRequest, pb.PutBlobResponse>(async (call) => {
      tokens.namespaceOf(call.metadata);
      return blobs.put(call as unknown as Parameters<BlobService["put"]>[0]);
    }),
    getBlob: (call: Parameters<BlobService["get"]>[0]) =>
      sending(call, warn, async () => {
        tokens.namespaceOf(call.metadata);
        await blobs.get(call);
      }),
  };
  // Frames are made bytes of before they are sent: see `WorkStream`.
  const asBytes = { ...work, responseSerialize: (bytes: Buffer): Buffer => bytes };
  server.addService({ work: asBytes, putBlob, getBlob }, implementation);
}

function addClientService(server: Server, options: GrpcServerOptions, tokens: Tokens): void {
  const { engine, warn, leaseOf } = options;
  const service = new ClientService({ engine, leaseOf, warn });
  const answering = unary(warn);
  const checking =
    (call: Pick<ServerUnaryCall<unknown, unknown>, "metadata">) =>
    (namespace: string): void =>
      tokens.check(call.metadata, namespace);
  const implementation: UntypedServiceImplementation = {
    register: answering<pb.RegisterRequest, pb.RegisterResponse>((call) =>
      service.register(call.request, checking(call)),
    ),
    start: answering<pb.StartRequest, pb.StartResponse>((call) => service.start(call.request, checking(call))),
    signal: answering<pb.SignalRequest, pb.SignalResponse>((call) => service.signal(call.request, checking(call))),
    cancel: answering<pb.CancelRequest, pb.CancelResponse>((call) => service.cancel(call.request, checking(call))),
    wait: (call: WaitCall) =>
      void new WaitStream(call, { waiters: engine.waiters, blobs: engine.blobs, check: checking(call) }),
    watchChunks: (call: WatchCall) => sending(call, warn, () => watchChunks(call, engine, checking(call))),
  };
  server.addService(serviceDefinition(pb.ClientService), implementation);
}

/** Ends a stream when all was sent, or with what went wrong. */
function sending(
  call: Pick<ServerWritableStream<unknown, unknown>, "end" | "emit">,
  warn: GrpcServerOptions["warn"],
  send: () => Promise<void>,
): void {
  send().then(
    () => call.end(),
    (error: unknown) => {
      if (codeOf(error) === null) warn("A stream could not be sent", error);
      call.emit("error", statusOf(error));
    },
  );
}

/** A handler whose errors are answers. */
function unary(warn: GrpcServerOptions["warn"]) {
  return <Request, Response>(
    handle: (call: ServerUnaryCall<Request, Response>) => Promise<Response>,
  ): Unary<Request, Response> =>
    (call, answer) => {
      handle(call).then(
        (response) => answer(null, response),
        (error: unknown) => {
          if (codeOf(error) === null) warn("A request has failed", error);
          answer(statusOf(error));
        },
      );
    };
}

/** Of what was generated: the service wants a package as `proto-loader` makes it, and looks at its files alone. */
function reflection(): ReflectionService {
  const files = [pb.file_cairn_v1_calls, pb.file_cairn_v1_client, pb.file_cairn_v1_worker];
  const fileDescriptorProtos = files.map(({ proto }) => Buffer.from(toBinary(FileDescriptorProtoSchema, proto)));
  const format = "Protocol Buffer 3 DescriptorProto";
  const described = { "cairn.v1": { format, type: {}, fileDescriptorProtos } };
  return new ReflectionService(described as unknown as ConstructorParameters<typeof ReflectionService>[0]);
}

function credentialsOf(tls: ServerTls | null): ServerCredentials {
  if (tls === null) return ServerCredentials.createInsecure();
  const { key, certificate, clientAuthority = null } = tls;
  const pair = { private_key: key, cert_chain: certificate };
  return ServerCredentials.createSsl(clientAuthority, [pair], clientAuthority !== null);
}
