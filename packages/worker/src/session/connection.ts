import { Client, type ClientDuplexStream, Metadata, type ServiceError } from "@grpc/grpc-js";
import {
  BlobAssembly,
  type BlobRef,
  blobRefOf,
  blobRefToProto,
  chunksOf,
  type ControlPlaneFrame,
  controlPlaneFrameFromProto,
  FRAME_BYTES_MAX,
  InvalidMessage,
  pb,
  protocolProblem,
  type RegisterRequest,
  registerRequestToProto,
  serviceDefinition,
  type WorkerFrame,
  workerFrameToProto,
} from "@cairnjs/protocol";
import { type Access, channelCredentials } from "./access.ts";
import type { Address } from "./address.ts";
import { Refused } from "./refused.ts";

const { work, putBlob, getBlob } = serviceDefinition(pb.WorkerService);
const { register } = serviceDefinition(pb.ClientService);

/** No longer text can be made of bytes. */
const BLOB_BYTES_MAX = 512 * 1024 * 1024;
const REQUEST_MS_MAX = 60_000;

const CHANNEL_OPTIONS = {
  "grpc.max_receive_message_length": FRAME_BYTES_MAX,
  "grpc.max_send_message_length": FRAME_BYTES_MAX,
  // A peer that is gone without a word, with its machine or its network, is noticed.
  "grpc.keepalive_time_ms": 10_000,
  "grpc.keepalive_timeout_ms": 5_000,
  "grpc.keepalive_permit_without_calls": 1,
  // Waiting before another try is the session's affair; shared connections would have waits of their own.
  "grpc.use_local_subchannel_pool": 1,
  "grpc.enable_retries": 0,
};

export interface WorkEvents {
  readonly frame: (frame: ControlPlaneFrame) => void;
  /** There is room for further frames. */
  readonly writable: () => void;
  /** Once; afterwards nothing is heard any more. */
  readonly ended: (why: Refused) => void;
}

export interface WorkStream {
  /** False: the next one should wait until it is `writable`. */
  send(frame: WorkerFrame): boolean;
  /** Nothing more is said; the other side ends the stream. */
  finish(): void;
  cancel(why?: string): void;
}

/** A channel to one control plane. It connects once: when that is lost, another one is opened. */
export class Connection {
  readonly #client: Client;
  readonly #metadata = new Metadata();
  readonly #isSecure: boolean;

  constructor({ target, isSecure }: Address, { token, certificates }: Access) {
    this.#isSecure = isSecure;
    this.#client = new Client(target, channelCredentials(isSecure, certificates()), CHANNEL_OPTIONS);
    if (token !== null) this.#metadata.set("authorization", `Bearer ${token}`);
  }

  work(events: WorkEvents): WorkStream {
    const stream: ClientDuplexStream<pb.WorkRequest, pb.WorkResponse> = this.#client.makeBidiStreamRequest(
      work.path,
      work.requestSerialize,
      work.responseDeserialize,
      this.#metadata,
    );
    let hasEnded = false;
    const end = (why: Refused): void => {
      if (hasEnded) return;
      hasEnded = true;
      stream.cancel();
      events.ended(why);
    };
    stream.on("data", (message: pb.WorkResponse) => {
      if (hasEnded) return;
      try {
        // Before the rest is looked at: an old one may lack what is required now.
        const problem = message.welcome === undefined ? null : welcomeProblem(message.welcome);
        if (problem !== null) return end(new Refused(problem, "ProtocolTooOld", false));
        events.frame(controlPlaneFrameFromProto(message));
      } catch (error) {
        if (!(error instanceof InvalidMessage)) throw error;
        end(new Refused(`What the control plane said cannot be: ${error.message}`, null, true));
      }
    });
    stream.on("drain", () => {
      if (!hasEnded) events.writable();
    });
    stream.on("error", (error) => end(Refused.by(error as ServiceError, this.#isSecure)));
    stream.on("end", () => end(new Refused("The control plane has ended the stream", null, true)));
    return {
      send: (frame) => stream.write(workerFrameToProto(frame)),
      finish: () => stream.end(),
      cancel: (why = "The worker has ended the stream") => end(new Refused(why, null, true)),
    };
  }

  register(request: RegisterRequest): Promise<void> {
    const { promise, resolve, reject } = answer<void>();
    this.#client.makeUnaryRequest(
      register.path,
      register.requestSerialize,
      register.responseDeserialize,
      registerRequestToProto(request),
      this.#metadata,
      { deadline: Date.now() + REQUEST_MS_MAX },
      (error) => (error === null ? resolve() : reject(Refused.by(error, this.#isSecure))),
    );
    return promise;
  }

  /** Resolves when the bytes are durable. */
  async putBlob(bytes: Uint8Array): Promise<BlobRef> {
    const blob = blobRefOf(bytes);
    const { promise, resolve, reject } = answer<BlobRef>();
    const stream = this.#client.makeClientStreamRequest(
      putBlob.path,
      putBlob.requestSerialize,
      putBlob.responseDeserialize,
      this.#metadata,
      { deadline: Date.now() + REQUEST_MS_MAX },
      (error) => (error === null ? resolve(blob) : reject(Refused.by(error, this.#isSecure))),
    );
    // An error comes by the callback as well.
    stream.on("error", () => {});
    let isFirst = true;
    for (const chunk of chunksOf(bytes)) {
      const message = { $typeName: "cairn.v1.PutBlobRequest" as const, chunk };
      const hasRoom = stream.write(isFirst ? { ...message, blob: blobRefToProto(blob) } : message);
      isFirst = false;
      // Whoever refuses it reads no further: its answer comes all the same.
      if (!hasRoom) await Promise.race([new Promise((next) => stream.once("drain", next)), promise.catch(() => {})]);
    }
    stream.end();
    return promise;
  }

  getBlob(blob: BlobRef): Promise<Uint8Array> {
    const { promise, resolve, reject } = answer<Uint8Array>();
    const stream = this.#client.makeServerStreamRequest(
      getBlob.path,
      getBlob.requestSerialize,
      getBlob.responseDeserialize,
      { $typeName: "cairn.v1.GetBlobRequest" as const, blob: blobRefToProto(blob) },
      this.#metadata,
      { deadline: Date.now() + REQUEST_MS_MAX },
    );
    const guarded = (step: () => void) => (): void => {
      try {
        step();
      } catch (error) {
        reject(new Refused((error as Error).message, null, true, { cause: error }));
        stream.cancel();
      }
    };
    let assembly: BlobAssembly | null = null;
    guarded(() => {
      assembly = new BlobAssembly(blob, BLOB_BYTES_MAX);
    })();
    stream.on("data", ({ chunk }: pb.GetBlobResponse) => guarded(() => assembly?.add(chunk))());
    stream.on(
      "end",
      guarded(() => assembly !== null && resolve(assembly.finish())),
    );
    stream.on("error", (error) => reject(Refused.by(error as ServiceError, this.#isSecure)));
    return promise;
  }

  close(): void {
    this.#client.close();
  }
}

function welcomeProblem({ controlPlaneId: id, protocolVersion }: pb.Welcome): string | null {
  return protocolProblem({ role: "control plane", id, protocolVersion });
}

interface Answer<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
}

function answer<T>(): Answer<T> {
  let resolve!: (value: T) => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<T>((ok, fail) => {
    resolve = ok;
    reject = fail;
  });
  return { promise, resolve, reject };
}
