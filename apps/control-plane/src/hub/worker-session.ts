import { type ControlPlaneFrame, inFrames } from "@cairnjs/protocol";
import type {
  CallRef,
  Cancel,
  ChunksTaken,
  ControlPlaneAddress,
  Credits,
  Dispatch,
  Hello,
  RetryPolicy,
} from "@cairnjs/schemas";
import type { OwnBlobs } from "../blobs/own-blobs.ts";
import { CallTimes } from "./call-times.ts";
import type { HubCall } from "./hub-call.ts";
import { type ServedNames, segmentsOf } from "./names.ts";
import { Refused } from "./refused.ts";

/** A stream to a worker, whatever it is made of. */
export interface SessionLink {
  /** In order; what cannot arrive breaks the stream. */
  send(frame: ControlPlaneFrame): void;
  /** Bytes that were sent and that the worker has not taken. */
  readonly buffered: number;
  /** Nobody can listen to it: by TLS, or within this machine. */
  readonly isPrivate: boolean;
  /** What a worker that is for one namespace alone may read; null: all. */
  readonly ownBlobs: OwnBlobs | null;
  /** Ends the stream. */
  close(why: Refused): void;
}

/** What the calls of an action are to be given. */
interface Needing {
  readonly secrets: readonly string[];
  readonly retry: RetryPolicy | null;
}

/** A worker that takes nothing more is sent no calls. */
export const BUFFERED_SOFT_MAX = 1024 * 1024;
/** Then it is gone: what else is to be told would only grow. */
const BUFFERED_HARD_MAX = 16 * 1024 * 1024;
/** Of a call, beside its arguments. */
const CALL_BYTES = 300;

function workerKey({ namespace, workerId }: Pick<Hello, "namespace" | "workerId">): string {
  return `${namespace}/${workerId}`;
}

/**
 * One stream of a worker.
 *
 * Owns: its credits, what it has of our calls, and what it is to be told next.
 *
 * Invariants:
 *   S1  Never more is dispatched on a stream than its worker has said that may come.
 */
export class WorkerSession<Owner> implements ServedNames {
  readonly hello: Hello;
  readonly link: SessionLink;
  readonly key: string;
  readonly names: ReadonlySet<string>;
  readonly versions: ReadonlySet<string>;
  /** Of actions that say how long nothing may be heard of them. */
  readonly heartbeatTimeouts: ReadonlyMap<string, number>;
  /** Actions whose calls are to be given secrets, and how such an action is tried. */
  readonly needing: ReadonlyMap<string, Needing>;
  /** Actions that run in threads, of which it has a few. */
  readonly #isolated: ReadonlySet<string>;
  #isolatedCalls = 0;
  /** Entries of `Room` that its credits count for. */
  readonly rooms: readonly string[];
  /** Tries that it has of us. */
  readonly calls = new Set<HubCall<Owner>>();
  /** Tries that it has said it has, in the list that it is sending. */
  listed: Set<string> | null = null;
  heardAt: number;
  draining = false;
  /** Nobody waits for it to come back when its stream is gone. */
  over = false;
  closed = false;
  /** Frames of it that are being dealt with: while it cannot be heard, it is not silent. */
  busy = 0;
  readonly times: CallTimes;
  #sent = 0;
  #received = 0;
  #limit = 0;
  #flushing = false;
  #dispatches: Dispatch[] = [];
  /** About what these take. */
  #dispatchesBytes = 0;
  #acknowledged: CallRef[] = [];
  #cancels: Cancel[] = [];
  /** The highest of each try. */
  readonly #chunksTaken = new Map<string, ChunksTaken>();
  #asks = false;
  #backlog = 0;
  #toldBacklog = 0;
  #controlPlanes: readonly ControlPlaneAddress[] = [];
  #goodbye = false;

  constructor(hello: Hello, link: SessionLink, now: number) {
    const { namespace, actions, workflows = [] } = hello;
    this.hello = hello;
    this.link = link;
    this.key = workerKey(hello);
    this.names = new Set([...actions.map(({ name }) => name), ...workflows.map(({ name }) => `${name}/`)]);
    this.versions = new Set(workflows.map(({ name, version }) => `${name}/${version}`));
    this.heartbeatTimeouts = new Map(
      actions.flatMap(({ name, heartbeatTimeoutMs: ms }) => (ms === null ? [] : [[name, ms] as const])),
    );
    this.needing = new Map(
      actions.flatMap(({ name, secrets, retry }) =>
        secrets === undefined ? [] : [[name, { secrets, retry }] as const],
      ),
    );
    this.#isolated = new Set(actions.flatMap(({ name, isolate }) => (isolate === "none" ? [] : [name])));
    this.rooms = segmentsOf(this).map((segment) => `${namespace}:${segment}`);
    this.times = new CallTimes(now);
    this.heardAt = now;
  }

  get prefixes(): readonly string[] {
    return this.hello.prefixes;
  }

  /** How many calls it may be sent. */
  get free(): number {
    if (this.closed || this.draining) return 0;
    const isFull = this.link.buffered + this.#dispatchesBytes > BUFFERED_SOFT_MAX;
    return isFull ? 0 : Math.max(0, this.#limit - this.#sent);
  }

  /** How many calls of the action it runs at one time, if it has credit for them. */
  threadsFor(action: string): number {
    const { threads } = this.hello;
    return threads === undefined || !this.#isolated.has(action) ? Number.POSITIVE_INFINITY : threads;
  }

  /** How many calls of the action it may have beside those it has, if it has credit for them. */
  roomFor(action: string): number {
    return Math.max(0, this.threadsFor(action) - this.#isolatedCalls);
  }

  take(call: HubCall<Owner>): void {
    this.calls.add(call);
    if (this.#isolated.has(call.dispatch.action)) this.#isolatedCalls += 1;
  }

  /** True: there is room for calls that it had none for. */
  leave(call: HubCall<Owner>): boolean {
    if (!this.calls.delete(call) || !this.#isolated.has(call.dispatch.action)) return false;
    this.#isolatedCalls -= 1;
    return true;
  }

  /** Has the code of this version of a workflow. */
  hasVersion(type: string, version: string): boolean {
    return this.versions.has(`${type}/${version}`);
  }

  /** Throws if they cannot be right: others share what a worker may run. */
  credit({ received, free }: Credits): void {
    const { capacity } = this.hello;
    if (received > this.#sent) {
      throw new Refused("InvalidMessage", `credits.received is ${received}, and ${this.#sent} calls were sent`);
    }
    if (received < this.#received) {
      throw new Refused("InvalidMessage", `credits.received is ${received}, and was ${this.#received} before`);
    }
    if (free > capacity) {
      throw new Refused("InvalidMessage", `credits.free is ${free}, and the worker's capacity ${capacity}`);
    }
    this.#received = received;
    this.#limit = received + free;
  }

  /** Takes one of its credits. */
  reserve(): void {
    this.#sent += 1;
  }

  /** A call for which a credit was reserved. */
  dispatch(call: Dispatch): void {
    this.#dispatches.push(call);
    this.#dispatchesBytes += CALL_BYTES + ("json" in call.args ? call.args.json.length : 0);
    this.#flushSoon();
  }

  /** A reserved credit is not used after all. */
  giveBack(): void {
    this.#sent -= 1;
  }

  acknowledge(call: CallRef): void {
    this.#acknowledged.push(call);
    this.#flushSoon();
  }

  cancel({ incarnation, runId, call, attempt }: CallRef, reason: string): void {
    this.#cancels.push({ incarnation, runId, call, attempt, reason });
    this.#flushSoon();
  }

  tookChunk({ incarnation, runId, call, attempt, number }: ChunksTaken): void {
    const key = `${incarnation}/${runId}/${call}/${attempt}`;
    const before = this.#chunksTaken.get(key)?.number ?? 0;
    if (number > before) this.#chunksTaken.set(key, { incarnation, runId, call, attempt, number });
    this.#flushSoon();
  }

  askInFlight(): void {
    this.#asks = true;
    this.#flushSoon();
  }

  tellBacklog(calls: number): void {
    this.#backlog = calls;
    if (calls !== this.#toldBacklog) this.#flushSoon();
  }

  tellControlPlanes(addresses: readonly ControlPlaneAddress[]): void {
    this.#controlPlanes = addresses;
    this.#flushSoon();
  }

  sayGoodbye(): void {
    this.#goodbye = true;
    this.#flushSoon();
  }

  /** All that is said in one turn of the event loop goes together. */
  #flushSoon(): void {
    if (this.#flushing || this.closed) return;
    this.#flushing = true;
    queueMicrotask(() => this.#flush());
  }

  #flush(): void {
    this.#flushing = false;
    const dispatches = [...inFrames(this.#dispatches)];
    const acknowledged = [...inFrames(this.#acknowledged)];
    const cancels = [...inFrames(this.#cancels)];
    const chunksTaken = [...inFrames([...this.#chunksTaken.values()])];
    this.#dispatches = [];
    this.#dispatchesBytes = 0;
    this.#acknowledged = [];
    this.#cancels = [];
    this.#chunksTaken.clear();
    const frames = Math.max(1, dispatches.length, acknowledged.length, cancels.length, chunksTaken.length);
    for (let index = 0; index < frames && !this.closed; index++) {
      this.#send({
        ...(dispatches[index] === undefined ? {} : { dispatches: dispatches[index]! }),
        ...(acknowledged[index] === undefined ? {} : { acknowledged: acknowledged[index]! }),
        ...(cancels[index] === undefined ? {} : { cancels: cancels[index]! }),
        ...(chunksTaken[index] === undefined ? {} : { chunksTaken: chunksTaken[index]! }),
        ...this.#once(),
      });
    }
  }

  /** What stands in one frame only. */
  #once(): ControlPlaneFrame {
    const frame: ControlPlaneFrame = {
      ...(this.#asks ? { askInFlight: true as const } : {}),
      ...(this.#backlog === this.#toldBacklog ? {} : { backlog: { calls: this.#backlog } }),
      ...(this.#controlPlanes.length === 0 ? {} : { controlPlanes: this.#controlPlanes }),
      ...(this.#goodbye ? { goodbye: true as const } : {}),
    };
    this.#asks = false;
    this.#toldBacklog = this.#backlog;
    this.#controlPlanes = [];
    this.#goodbye = false;
    return frame;
  }

  #send(frame: ControlPlaneFrame): void {
    if (Object.keys(frame).length > 0) this.link.send(frame);
    if (this.link.buffered <= BUFFERED_HARD_MAX) return;
    this.link.close(new Refused("Unavailable", "The worker does not read what it is sent"));
  }
}
