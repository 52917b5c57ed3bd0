import type { ServerDuplexStream } from "@grpc/grpc-js";
import {
  type ControlPlaneFrame,
  controlPlaneFrameToProto,
  messageToBytes,
  pb,
  protocolProblem,
  type WorkerFrame,
  workerFrameFromProto,
} from "@cairnjs/protocol";
import type { Hello } from "@cairnjs/schemas";
import type { Access } from "../access/access.ts";
import { type Caller, checkNamespace } from "../access/caller.ts";
import type { OwnBlobs } from "../blobs/own-blobs.ts";
import { Refused } from "../hub/refused.ts";
import type { WorkerHub } from "../hub/worker-hub.ts";
import { BUFFERED_SOFT_MAX, type SessionLink, type WorkerSession } from "../hub/worker-session.ts";
import { codeOf, statusOf } from "./status.ts";
import { hostOfPeer } from "./authorization.ts";
import type { Warn } from "../warn.ts";

/** A stream on which nobody says who he is ends. */
const HELLO_WITHIN_MS = 10_000;
/** One that is broken seems to have been ended by the worker, and says a few turns of the event loop later that it was not. */
const BROKEN_WITHIN_MS = 20;

/** Frames go out as bytes: so it is known how many wait. */
export type WorkCall = ServerDuplexStream<pb.WorkRequest, Buffer>;

export interface WorkStreamOptions {
  readonly hub: WorkerHub<unknown>;
  readonly access: Access;
  readonly caller: Caller;
  readonly ownBlobs: (caller: Caller) => OwnBlobs | null;
  /** By TLS. */
  readonly isSecure: boolean;
  /** The oldest that is spoken here. */
  readonly minProtocolVersion: number;
  readonly warn: Warn;
  /** Writes down who was refused, if it is that. */
  readonly refused: (error: unknown) => Promise<void>;
  /** Writes down who has connected. Nobody waits for it: workers connect while the database is away. */
  readonly connected: (caller: Caller, hello: Hello) => void;
}

/** A worker's stream, from its first frame to its end. */
export class WorkStream implements SessionLink {
  readonly #options: WorkStreamOptions;
  readonly #call: WorkCall;
  #session: WorkerSession<unknown> | null = null;
  #ownBlobs: OwnBlobs | null = null;
  #buffered = 0;
  #isOver = false;
  #unwatch: () => void = () => {};
  readonly #helloTimer: NodeJS.Timeout;

  constructor(call: WorkCall, options: WorkStreamOptions) {
    this.#options = options;
    this.#call = call;
    this.#helloTimer = setTimeout(
      () => this.close(new Refused("InvalidMessage", "hello is missing: nothing was said")),
      HELLO_WITHIN_MS,
    );
    call.on("data", (message: pb.WorkRequest) => void this.#take(message));
    for (const event of ["cancelled", "close", "error"]) call.on(event, () => this.#gone());
    call.on("end", () => setTimeout(() => this.#ended(), BROKEN_WITHIN_MS));
  }

  get buffered(): number {
    return this.#buffered;
  }

  get isPrivate(): boolean {
    return this.#options.isSecure || isThisMachine(this.#call.getPeer());
  }

  get ownBlobs(): OwnBlobs | null {
    return this.#ownBlobs;
  }

  send(frame: ControlPlaneFrame): void {
    if (this.#isOver) return;
    const bytes = messageToBytes(pb.WorkResponseSchema, controlPlaneFrameToProto(frame));
    this.#buffered += bytes.length;
    this.#call.write(bytes, () => this.#sent(bytes.length));
  }

  #sent(bytes: number): void {
    const wasFull = this.#buffered > BUFFERED_SOFT_MAX;
    this.#buffered -= bytes;
    const isFull = this.#buffered > BUFFERED_SOFT_MAX;
    if (wasFull && !isFull && this.#session !== null) this.#options.hub.hasRead(this.#session);
  }

  close(why: Refused): void {
    this.#fail(why);
  }

  /** While a frame is being dealt with, no other one is read: who sends faster than we can take waits. */
  async #take(message: pb.WorkRequest): Promise<void> {
    this.#call.pause();
    try {
      if (this.#session === null) await this.#hello(message);
      else await this.#options.hub.receive(this.#session, workerFrameFromProto(message));
    } catch (error) {
      this.#fail(error);
    }
    this.#call.resume();
  }

  async #hello(message: pb.WorkRequest): Promise<void> {
    const { hub, access, caller, minProtocolVersion } = this.#options;
    const frame = helloOf(message, minProtocolVersion);
    const { hello, ...rest } = frame;
    if (hello === undefined) throw new Refused("InvalidMessage", "hello is missing: it stands in the first frame");
    checkNamespace(caller, hello.namespace);
    if (this.#isOver) return;
    clearTimeout(this.#helloTimer);
    this.#unwatch = access.watch(caller, (why) => this.close(why));
    this.#ownBlobs = this.#options.ownBlobs(caller);
    this.#session = hub.connect(hello, this);
    this.#options.connected(caller, hello);
    if (Object.keys(rest).length > 0) await hub.receive(this.#session, rest);
  }

  #fail(why: unknown): void {
    if (this.#isOver) return;
    if (codeOf(why) === null) this.#options.warn("A worker's stream has failed", why);
    this.#leave();
    void this.#options.refused(why).then(() => this.#call.emit("error", statusOf(why)));
  }

  /** By the worker. */
  #ended(): void {
    if (!this.#isOver && this.#session !== null) this.#options.hub.finish(this.#session);
    this.#gone();
  }

  /** The worker has ended its stream, or it is broken. */
  #gone(): void {
    if (this.#isOver) return;
    this.#leave();
    if (!this.#call.cancelled) this.#call.end();
  }

  #leave(): void {
    this.#isOver = true;
    this.#unwatch();
    clearTimeout(this.#helloTimer);
    if (this.#session !== null) this.#options.hub.disconnect(this.#session);
  }
}

/** What is not understood is elsewhere. */
export function isThisMachine(peer: string): boolean {
  if (peer.startsWith("unix:")) return true;
  const host = hostOfPeer(peer);
  return host === "::1" || /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/i.test(host);
}

/** An old worker may lack what is required now: its version is looked at before the rest. */
function helloOf(message: pb.WorkRequest, minVersion: number): WorkerFrame {
  const { hello } = message;
  const protocolVersion = hello?.protocolVersion ?? 0;
  const problem =
    hello === undefined || protocolVersion === 0
      ? null
      : protocolProblem({ role: "worker", id: hello.workerId, protocolVersion }, minVersion);
  if (problem !== null) throw new Refused("ProtocolTooOld", problem);
  return workerFrameFromProto(message);
}
