import {
  Metadata,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerReadableStream,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
  status,
} from "@grpc/grpc-js";
import { create } from "@bufbuild/protobuf";
import {
  BlobAssembly,
  blobRefFromProto,
  type CallRef,
  chunksOf,
  CODE_METADATA_KEY,
  type ControlPlaneFrame,
  controlPlaneFrameToProto,
  type Dispatch,
  type ErrorCode,
  grpcStatusOf,
  type Outcome,
  pb,
  type RegisterRequest,
  registerRequestFromProto,
  serviceDefinition,
  type Welcome,
  type WorkerFrame,
  workerFrameFromProto,
} from "@cairnjs/protocol";
import { until } from "./until.ts";

export interface FakeOptions {
  readonly id?: string;
  /** 0: any. */
  readonly port?: number;
  readonly welcome?: Partial<Welcome>;
  /** Whether outcomes are acknowledged as they come. */
  readonly acknowledges?: boolean;
  readonly refuse?: { readonly code: number; readonly details: string; readonly cairnCode?: ErrorCode };
  readonly credentials?: ServerCredentials;
}

/** One stream of a worker. */
export class FakeStream {
  readonly frames: WorkerFrame[] = [];
  hasEnded = false;
  readonly #call: ServerDuplexStream<pb.WorkRequest, pb.WorkResponse>;

  constructor(call: ServerDuplexStream<pb.WorkRequest, pb.WorkResponse>) {
    this.#call = call;
  }

  send(frame: ControlPlaneFrame): void {
    if (!this.hasEnded) this.#call.write(controlPlaneFrameToProto(frame));
  }

  sendRaw(message: pb.WorkResponse): void {
    this.#call.write(message);
  }

  acknowledgeAll(): void {
    for (const outcome of this.outcomes) this.send({ acknowledged: [outcome] });
  }

  end(): void {
    this.#call.end();
  }

  break(): void {
    this.hasEnded = true;
    this.#call.emit("error", { code: status.UNAVAILABLE, details: "broken by the test" });
  }

  get outcomes(): Outcome[] {
    return this.frames.flatMap(({ outcomes = [] }) => outcomes);
  }

  /** What was listed last. */
  get inFlight(): readonly CallRef[] | undefined {
    return this.frames.findLast(({ inFlight }) => inFlight !== undefined)?.inFlight?.calls;
  }

  get credits(): { received: number; free: number } | undefined {
    return this.frames.findLast(({ credits }) => credits !== undefined)?.credits;
  }
}

/** A control plane that does what a test says: it dispatches, acknowledges late, breaks streams. */
export class FakeControlPlane {
  readonly id: string;
  readonly streams: FakeStream[] = [];
  readonly registered: RegisterRequest[] = [];
  readonly blobs = new Map<string, Uint8Array>();
  readonly tokens: string[] = [];
  acknowledges: boolean;
  welcome: Partial<Welcome>;
  /** How many of the next blobs are refused for a while. */
  blobFailures = 0;
  blobReads = 0;
  refuse: FakeOptions["refuse"];
  registerRefusal: FakeOptions["refuse"];
  /** It takes what is registered, and never answers. */
  registerHangs = false;
  port = 0;
  readonly #credentials: ServerCredentials;
  #server = new Server();

  private constructor(options: FakeOptions) {
    this.id = options.id ?? "c-1";
    this.acknowledges = options.acknowledges ?? true;
    this.welcome = options.welcome ?? {};
    this.refuse = options.refuse;
    this.#credentials = options.credentials ?? ServerCredentials.createInsecure();
  }

  static async open(options: FakeOptions = {}): Promise<FakeControlPlane> {
    const fake = new FakeControlPlane(options);
    await fake.#listen(options.port ?? 0);
    return fake;
  }

  async #listen(port: number): Promise<void> {
    const { work, putBlob, getBlob } = serviceDefinition(pb.WorkerService);
    const { register } = serviceDefinition(pb.ClientService);
    this.#server.addService({ work, putBlob, getBlob, register }, {
      work: (call: ServerDuplexStream<pb.WorkRequest, pb.WorkResponse>) => this.#work(call),
      putBlob: (call: ServerReadableStream<pb.PutBlobRequest, pb.PutBlobResponse>, answer: Answer) =>
        this.#putBlob(call, answer),
      getBlob: (call: ServerWritableStream<pb.GetBlobRequest, pb.GetBlobResponse>) => this.#getBlob(call),
      register: (call: ServerUnaryCall<pb.RegisterRequest, pb.RegisterResponse>, answer: Answer) => {
        if (this.registerHangs) return;
        if (this.registerRefusal !== undefined) return answer(errorOf(this.registerRefusal), null);
        this.registered.push(registerRequestFromProto(call.request));
        answer(null, create(pb.RegisterResponseSchema));
      },
    } as never);
    this.port = await new Promise<number>((resolve, reject) => {
      this.#server.bindAsync(`127.0.0.1:${port}`, this.#credentials, (error, bound) =>
        error === null ? resolve(bound) : reject(error),
      );
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get address(): { id: string; url: string } {
    return { id: this.id, url: this.url };
  }

  /** The stream that is open now, once a worker has said all after its hello. */
  stream(index = 0): Promise<FakeStream> {
    return until(
      () => this.streams.filter(({ hasEnded, inFlight }) => !hasEnded && inFlight !== undefined)[index],
      `a stream to ${this.id}`,
    );
  }

  get outcomes(): Outcome[] {
    return this.streams.flatMap(({ outcomes }) => outcomes);
  }

  /** As if its process were killed. */
  kill(): void {
    for (const stream of this.streams) stream.hasEnded = true;
    this.#server.forceShutdown();
  }

  /** At the same address. */
  async restart(): Promise<void> {
    const { port } = this;
    this.#server = new Server();
    await this.#listen(port);
  }

  #work(call: ServerDuplexStream<pb.WorkRequest, pb.WorkResponse>): void {
    this.tokens.push(String(call.metadata.get("authorization")[0] ?? ""));
    const stream = new FakeStream(call);
    call.on("data", (message: pb.WorkRequest) => {
      const frame = workerFrameFromProto(message);
      stream.frames.push(frame);
      if (frame.hello !== undefined) this.#hello(stream, call);
      if (this.acknowledges && frame.outcomes !== undefined) stream.send({ acknowledged: frame.outcomes });
    });
    call.on("end", () => {
      stream.hasEnded = true;
      call.end();
    });
    call.on("cancelled", () => {
      stream.hasEnded = true;
    });
    call.on("error", () => {});
    this.streams.push(stream);
  }

  #hello(stream: FakeStream, call: ServerDuplexStream<pb.WorkRequest, pb.WorkResponse>): void {
    if (this.refuse !== undefined) {
      stream.hasEnded = true;
      call.emit("error", errorOf(this.refuse));
      return;
    }
    stream.send({
      welcome: {
        controlPlaneId: this.id,
        protocolVersion: 1,
        controlPlanes: [],
        heartbeatIntervalMs: 10_000,
        ...this.welcome,
      },
    });
  }

  #putBlob(call: ServerReadableStream<pb.PutBlobRequest, pb.PutBlobResponse>, answer: Answer): void {
    let assembly: BlobAssembly | null = null;
    let digest = "";
    call.on("data", ({ blob, chunk }: pb.PutBlobRequest) => {
      if (blob !== undefined) {
        const ref = blobRefFromProto(blob);
        digest = ref.digest;
        assembly = new BlobAssembly(ref, 64 * 1024 * 1024);
      }
      assembly!.add(chunk);
    });
    call.on("end", () => {
      if (this.blobFailures > 0) {
        this.blobFailures -= 1;
        return answer(errorOf({ code: status.UNAVAILABLE, details: "not now" }), null);
      }
      const existed = this.blobs.has(digest);
      this.blobs.set(digest, assembly!.finish());
      answer(null, create(pb.PutBlobResponseSchema, { existed }));
    });
  }

  #getBlob(call: ServerWritableStream<pb.GetBlobRequest, pb.GetBlobResponse>): void {
    const { digest } = blobRefFromProto(call.request.blob);
    this.blobReads += 1;
    const bytes = this.blobs.get(digest);
    if (bytes === undefined) {
      call.emit(
        "error",
        errorOf({ code: status.NOT_FOUND, details: `There is no blob ${digest}`, cairnCode: "BlobMissing" }),
      );
      return;
    }
    for (const chunk of chunksOf(bytes)) call.write(create(pb.GetBlobResponseSchema, { chunk }));
    call.end();
  }
}

type Answer = sendUnaryData<object>;

function errorOf({ code, details, cairnCode }: NonNullable<FakeOptions["refuse"]>): {
  code: number;
  details: string;
  metadata: Metadata;
} {
  const metadata = new Metadata();
  if (cairnCode !== undefined) metadata.set(CODE_METADATA_KEY, cairnCode);
  return { code: cairnCode === undefined ? code : grpcStatusOf(cairnCode), details, metadata };
}

/** A call of an action, to be sent to a worker. */
export function dispatchOf(action: string, args: readonly unknown[], more: Partial<Dispatch> = {}): Dispatch {
  const call = more.call ?? "1.0";
  const runId = more.runId ?? "01890a5d-ac96-774b-bcce-b302099a8057";
  return {
    runId,
    call,
    attempt: 1,
    incarnation: "11111111-1111-4111-8111-111111111111",
    action,
    args: { json: JSON.stringify(args) },
    options: null,
    priority: 0,
    type: "test.v1",
    version: "1",
    deadlineMs: null,
    idempotencyKey: `${runId}/${call}`,
    heartbeatDetails: null,
    traceparent: null,
    ...more,
  };
}
