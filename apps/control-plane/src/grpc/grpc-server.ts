import {
  type Metadata,
  type sendUnaryData,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServerWritableStream,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { create } from "@bufbuild/protobuf";
import { MIN_PROTOCOL_VERSION, pb, serviceDefinition } from "@cairnjs/protocol";
import { FRAME_BYTES_MAX } from "@cairnjs/schemas";
import { HealthImplementation } from "grpc-health-check";
import type { AuditLog } from "../audit/audit-log.ts";
import { type Caller, checkNamespace } from "../access/caller.ts";
import { BlobReaders, OwnBlobs } from "../blobs/own-blobs.ts";
import type { Engine } from "../library/engine.ts";
import { TrustedProxies } from "../http/guard/addresses.ts";
import type { WorkerHub } from "../hub/worker-hub.ts";
import { holderOf } from "../shares.ts";
import { BlobGets, type GetCall } from "./blob-gets.ts";
import { BlobPuts, type PutCall } from "./blob-puts.ts";
import { storePlaces, type Transfer } from "./blob-transfer.ts";
import { type Asking, ClientService } from "./client-service.ts";
import { audited, brokenStatus, writeConnected, writeDown, writeRefusal } from "./audited-call.ts";
import type { Doors } from "./authorization.ts";
import { Doorkeeper } from "./doorkeeper.ts";
import { GrpcListener, type GrpcListenerOptions } from "./grpc-listener.ts";
import { reflection } from "./reflection.ts";
import type { ServerTls } from "./server-certificates.ts";
import { codeOf, statusOf } from "./status.ts";
import type { StayingCaller } from "./staying-caller.ts";
import { WaitStream, type WaitCall } from "./wait-stream.ts";
import { type WatchCall, watchChunks } from "./watch-stream.ts";
import { type WorkCall, WorkStream } from "./work-stream.ts";
import type { Warn } from "../warn.ts";

export interface GrpcServerOptions extends Doors {
  readonly engine: Engine;
  readonly hub: WorkerHub<unknown>;
  /** Host and port; 0 is any that is free. */
  readonly listen: string;
  readonly tls: ServerTls | null;
  /** Addresses and networks of proxies, behind which many are. */
  readonly trustedProxies?: readonly string[];
  readonly audit: AuditLog;
  readonly leaseOf: (type: string) => number | null | undefined;
  readonly minProtocolVersion?: number;
  readonly handshakeFailed: GrpcListenerOptions["handshakeFailed"];
  readonly timeNow: GrpcListenerOptions["timeNow"];
  readonly warn: Warn;
}

/** A peer that is gone without a word is noticed after their sum. */
const KEEPALIVE_MS = 10_000;
const KEEPALIVE_TIMEOUT_MS = 5_000;
/** On one connection: a client may watch many runs, and what is beyond waits there. */
const STREAMS_MAX = 1_000;
/** For answers that are under way when it closes. */
const CLOSE_MAX_MS = 1_000;

const SERVICES = ["", pb.WorkerService.typeName, pb.ClientService.typeName];

type Unary<Request, Response> = (call: ServerUnaryCall<Request, Response>, answer: sendUnaryData<Response>) => void;

/** The services of the protocol, health and reflection, on a port. */
export class GrpcServer {
  readonly #server: Server;
  readonly #health: HealthImplementation;
  readonly #listener: GrpcListener;

  static async open(options: GrpcServerOptions): Promise<GrpcServer> {
    const { listen, tls, access, limits, audit, warn, handshakeFailed, timeNow, trustedProxies = [] } = options;
    const isProxy = new TrustedProxies(trustedProxies).has;
    const listener = new GrpcListener({ listen, tls, isProxy, handshakeFailed, timeNow });
    const doorkeeper = new Doorkeeper({ access, limits, audit, peers: listener, warn });
    const server = new Server({
      "grpc.max_receive_message_length": FRAME_BYTES_MAX,
      "grpc.max_send_message_length": FRAME_BYTES_MAX,
      "grpc.max_concurrent_streams": STREAMS_MAX,
      "grpc.keepalive_time_ms": KEEPALIVE_MS,
      "grpc.keepalive_timeout_ms": KEEPALIVE_TIMEOUT_MS,
      "grpc.keepalive_permit_without_calls": 1,
      interceptors: [doorkeeper.intercept],
    });
    const ownBlobs = ownBlobsOf(options.engine);
    addWorkerService(server, options, doorkeeper, ownBlobs, (peer) => listener.cut(peer));
    addClientService(server, options, doorkeeper, ownBlobs);
    const health = new HealthImplementation(Object.fromEntries(SERVICES.map((name) => [name, "SERVING" as const])));
    health.addToServer(server);
    reflection().addToServer(server);
    // What is secure is so before it comes there.
    const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
    await listener.open((socket) => injector.injectConnection(socket));
    return new GrpcServer(server, health, listener);
  }

  private constructor(server: Server, health: HealthImplementation, listener: GrpcListener) {
    this.#server = server;
    this.#health = health;
    this.#listener = listener;
  }

  get port(): number {
    return this.#listener.port;
  }

  /** Load balancers send nobody here any more. */
  drain(): void {
    for (const name of SERVICES) this.#health.setStatus(name, "NOT_SERVING");
  }

  /** Who connects from now on is shown this certificate. */
  renew(tls: ServerTls): void {
    this.#listener.renew(tls);
  }

  async close(): Promise<void> {
    this.#listener.close();
    const force = setTimeout(() => this.#server.forceShutdown(), CLOSE_MAX_MS);
    await new Promise<void>((resolve) => this.#server.tryShutdown(() => resolve()));
    clearTimeout(force);
    this.#listener.end();
  }
}

function addWorkerService(
  server: Server,
  options: GrpcServerOptions,
  doorkeeper: Doorkeeper,
  ownBlobs: OwnBlobsOf,
  cut: (peer: string) => void,
): void {
  const { access, audit, hub, engine, tls, warn, minProtocolVersion = MIN_PROTOCOL_VERSION } = options;
  const { work, putBlob, getBlob } = serviceDefinition(pb.WorkerService);
  const stored = storePlaces();
  const [puts, gets] = [new BlobPuts(stored), new BlobGets(stored)];
  const transferOf = (caller: Caller): Transfer => ({
    who: holderOf(caller),
    blobs: ownBlobs(caller) ?? engine.blobs,
    watch: staying(options, caller).watch,
  });
  const answering = unary(options);
  const implementation: UntypedServiceImplementation = {
    work: (call: WorkCall) =>
      void new WorkStream(call, {
        hub,
        access,
        caller: doorkeeper.callerOf(call),
        isSecure: tls !== null,
        ownBlobs,
        minProtocolVersion,
        warn,
        connected: (caller, hello) => void writeConnected(audit, caller, call, hello),
        refused: (error) => writeRefusal(audit, call, error),
      }),
    putBlob: answering<pb.PutBlobRequest, pb.PutBlobResponse>(async (call) => {
      const caller = doorkeeper.callerOf(call);
      const { existed } = await puts.put(call as unknown as PutCall, transferOf(caller));
      // Blobs are of all namespaces: whether someone else has these bytes is nothing for who may be in one alone.
      return create(pb.PutBlobResponseSchema, { existed: existed && caller.namespace === null });
    }),
    getBlob: (call: GetCall) =>
      sending(call, options, () =>
        gets.get(call, { ...transferOf(doorkeeper.callerOf(call)), cut: () => cut(call.getPeer()) }),
      ),
  };
  // Frames are made bytes of before they are sent: see `WorkStream`.
  const asBytes = { ...work, responseSerialize: (bytes: Buffer): Buffer => bytes };
  server.addService({ work: asBytes, putBlob, getBlob }, implementation);
}

function addClientService(
  server: Server,
  options: GrpcServerOptions,
  doorkeeper: Doorkeeper,
  ownBlobs: OwnBlobsOf,
): void {
  const { audit, engine, warn, leaseOf } = options;
  const service = new ClientService({ engine, leaseOf, warn });
  const answering = unary(options);
  const checking = (call: { readonly metadata: Metadata }): { caller: Caller; asking: Asking } => {
    const caller = doorkeeper.callerOf(call);
    const blobs = ownBlobs(caller) ?? engine.blobs;
    return { caller, asking: { check: (namespace) => checkNamespace(caller, namespace), blobs } };
  };
  const implementation: UntypedServiceImplementation = {
    register: answering<pb.RegisterRequest, pb.RegisterResponse>(async (call) => {
      const { request } = call;
      const detail = { workflows: request.workflows.map(({ name }) => name), actions: request.actions.length };
      const { caller, asking } = checking(call);
      const registered: string[] = [];
      const about = { action: "workflow.register", namespace: request.namespace, detail };
      return audited(
        audit,
        caller,
        call,
        about,
        () => service.register(request, asking, (name) => registered.push(name)),
        () => (registered.length === 0 ? null : { registered }),
      );
    }),
    start: answering<pb.StartRequest, pb.StartResponse>(async (call) => {
      const { request } = call;
      const { caller, asking } = checking(call);
      const response = await service.start(request, asking);
      const ids = response.runs.flatMap(({ outcome: { case: is, value } }) =>
        is === "started" || is === "existed" ? [value] : [],
      );
      const broken = response.runs.flatMap(({ outcome }) =>
        outcome.case === "error" ? brokenStatus(outcome.value) : [],
      );
      if (ids.length === 0 && broken.length === 0) return response;
      const types = [...new Set(request.runs.map(({ type }) => type))];
      const detail = { types, count: ids.length, ...(broken.length === 0 ? {} : { failed: broken.length }) };
      const runId = ids.length === 1 ? ids[0]! : null;
      const status = ids.length === 0 ? broken[0]! : 200;
      const { namespace } = request;
      await writeDown(audit, caller, call, { action: "run.start", namespace, runId, detail, status });
      return response;
    }),
    signal: answering<pb.SignalRequest, pb.SignalResponse>(async (call) => {
      const { namespace, runId, name } = call.request;
      const { caller, asking } = checking(call);
      const about = { action: "run.signal", namespace, runId, detail: { name } };
      return audited(audit, caller, call, about, () => service.signal(call.request, asking));
    }),
    cancel: answering<pb.CancelRequest, pb.CancelResponse>(async (call) => {
      const { namespace, runId, reason } = call.request;
      const { caller, asking } = checking(call);
      const about = { action: "run.cancel", namespace, runId, detail: { reason } };
      return audited(audit, caller, call, about, () => service.cancel(call.request, asking));
    }),
    wait: (call: WaitCall) => {
      const caller = doorkeeper.callerOf(call);
      void new WaitStream(call, {
        waiters: engine.waiters,
        blobs: engine.blobs,
        ownBlobs: ownBlobs(caller),
        refused: (error) => writeRefusal(audit, call, error),
        ...staying(options, caller),
      });
    },
    watchChunks: (call: WatchCall) =>
      sending(call, options, () => watchChunks(call, engine, staying(options, doorkeeper.callerOf(call)))),
  };
  server.addService(serviceDefinition(pb.ClientService), implementation);
}

/** The blobs of who is for one namespace alone; null: all. */
type OwnBlobsOf = (caller: Caller) => OwnBlobs | null;

function ownBlobsOf({ client, blobs }: Engine): OwnBlobsOf {
  const readers = new BlobReaders(client, () => performance.now());
  return ({ namespace }) => (namespace === null ? null : new OwnBlobs(blobs, readers, namespace));
}

/** What streams have to know of who has opened them. */
function staying({ access }: GrpcServerOptions, caller: Caller): StayingCaller {
  return {
    check: (namespace) => checkNamespace(caller, namespace),
    watch: (end) => access.watch(caller, end),
  };
}

/** Ends a stream when all was sent, or with what went wrong. */
function sending(
  call: Pick<ServerWritableStream<unknown, unknown>, "end" | "emit" | "getPath" | "getPeer">,
  { audit, warn }: GrpcServerOptions,
  send: () => Promise<void>,
): void {
  void send().then(
    () => call.end(),
    async (error: unknown) => {
      if (codeOf(error) === null) warn("A stream could not be sent", error);
      await writeRefusal(audit, call, error);
      call.emit("error", statusOf(error));
    },
  );
}

/** A handler whose errors are answers. */
function unary({ audit, warn }: GrpcServerOptions) {
  return <Request, Response>(
    handle: (call: ServerUnaryCall<Request, Response>) => Promise<Response>,
  ): Unary<Request, Response> =>
    (call, answer) => {
      void handle(call).then(
        (response) => answer(null, response),
        async (error: unknown) => {
          if (codeOf(error) === null) warn("A request has failed", error);
          await writeRefusal(audit, call, error);
          answer(statusOf(error));
        },
      );
    };
}
