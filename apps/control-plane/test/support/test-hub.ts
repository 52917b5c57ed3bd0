import { callKey } from "@cairnjs/worker/host";
import { createHash } from "node:crypto";
import type { ControlPlaneFrame } from "@cairnjs/protocol";
import type { CallRef, ChunksTaken, Dispatch as SentDispatch, Hello } from "@cairnjs/schemas";
import type { BlobStore } from "../../src/blobs/blob-store.ts";
import { missingBlob } from "../../src/blobs/blob-store.ts";
import type { StoredDetails } from "../../src/hub/heartbeat-details.ts";
import type { ServedNames } from "../../src/hub/names.ts";
import type { Refused } from "../../src/hub/refused.ts";
import type { HubOptions } from "../../src/hub/hub-options.ts";
import { WorkerHub } from "../../src/hub/worker-hub.ts";
import type { SessionLink, WorkerSession } from "../../src/hub/worker-session.ts";
import { type NewChunk, runKey } from "../../src/store/stream-chunks.ts";
import type { CallOutcome, Dispatch, TryId, UnservedCall } from "../../src/runloop/outside.ts";

export type Owner = string;

/** A hub alone: a clock that the test moves, blobs and details in memory, and whatever it tells its owners. */
export class TestHub {
  now = 1_000_000;
  readonly reports: { readonly owner: Owner; readonly outcome: CallOutcome }[] = [];
  readonly strangers: { readonly owner: Owner; readonly call: TryId }[] = [];
  readonly unserved: UnservedCall[] = [];
  readonly joined: (readonly [string, readonly string[]])[] = [];
  readonly passedOn: CallOutcome[] = [];
  readonly warnings: string[] = [];
  readonly details = new Map<string, StoredDetails>();
  /** What was streamed, of runs that live. */
  readonly chunks: NewChunk[] = [];
  /** Runs whose chunks nobody wants. */
  readonly endedRuns = new Set<string>();
  writeChunks = async (chunks: readonly NewChunk[]): Promise<ReadonlySet<string>> => {
    const living = chunks.filter(({ runId }) => !this.endedRuns.has(runId));
    this.chunks.push(...living);
    return new Set(living.map(runKey));
  };
  /** Runs that live at other control planes. */
  readonly foreignRuns = new Set<string>();
  elsewhere: ServedNames[] = [];
  /** By `namespace/name`. */
  readonly secrets = new Map<string, string>();
  readonly blobs = new MemoryBlobs();
  readonly hub: WorkerHub<Owner>;

  constructor(options: Partial<HubOptions> = {}) {
    this.hub = new WorkerHub<Owner>(
      {
        id: "c-1",
        now: () => this.now,
        blobs: this.blobs,
        details: {
          find: async (calls) => calls.flatMap((call) => this.details.get(callKey(call)) ?? []),
          keep: async (all) => all.forEach((each) => this.details.set(callKey(each), each)),
          forget: async (calls) => calls.forEach((call) => this.details.delete(callKey(call))),
        },
        vouched: async () => {},
        chunks: {
          write: async (chunks) => this.writeChunks(chunks),
          written: () => {},
        },
        heartbeatMs: 10_000,
        graceMs: 10_000,
        passOn: async (_namespace, outcomes) => {
          const living = outcomes.filter(({ runId }) => this.foreignRuns.has(runId));
          this.passedOn.push(...living);
          return new Set(living.map(({ runId }) => runId));
        },
        workersElsewhere: async () => this.elsewhere,
        fleetChanged: () => {},
        joined: () => {},
        secrets: async (namespace, names) => this.secretsOf(namespace, names),
        warn: (message) => void this.warnings.push(message),
        ...options,
      },
      {
        report: (owner, outcomes) => outcomes.forEach((outcome) => this.reports.push({ owner, outcome })),
        strangers: (owner, calls) => calls.forEach((call) => this.strangers.push({ owner, call })),
        unserved: (_owner, calls) => void this.unserved.push(...calls),
        joined: (namespace, segments) => void this.joined.push([namespace, segments.toSorted()]),
        roomChanged: () => {},
      },
    );
  }

  secretsOf(namespace: string, names: readonly string[]): Map<string, string> {
    return new Map(
      names.flatMap((name) => {
        const value = this.secrets.get(`${namespace}/${name}`);
        return value === undefined ? [] : [[name, value] as const];
      }),
    );
  }

  /** A worker that is there, and no more. */
  join(hello: Partial<Hello> & { readonly workerId: string }): FakeWorker {
    return new FakeWorker(this, hello);
  }

  /** Lets time pass, in small steps. */
  async pass(ms: number): Promise<void> {
    for (const until = this.now + ms; this.now < until;) {
      this.now = Math.min(until, this.now + 100);
      this.hub.tick();
      await settled();
    }
  }
}

/** Until whatever was said in this turn has been heard. */
export async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

/** A worker that does what the test says, with one stream at a time. */
export class FakeWorker implements SessionLink {
  readonly hello: Hello;
  readonly frames: ControlPlaneFrame[] = [];
  /** What it was sent on this stream, and has not answered. */
  running: SentDispatch[] = [];
  readonly acknowledged: CallRef[] = [];
  readonly cancels: (CallRef & { readonly reason: string })[] = [];
  readonly chunksTaken: ChunksTaken[] = [];
  closed: Refused | null = null;
  buffered = 0;
  isPrivate = true;
  readonly ownBlobs = null;
  received = 0;
  limit = 0;
  /** Whether it was ever sent more than it had said. */
  overrun = false;
  readonly #hub: TestHub;
  session: WorkerSession<Owner> | null = null;

  constructor(hub: TestHub, hello: Partial<Hello> & { readonly workerId: string }) {
    this.#hub = hub;
    this.hello = {
      protocolVersion: 1,
      namespace: "default",
      prefixes: ["test."],
      actions: [],
      capacity: 1_000,
      language: "typescript",
      libraryVersion: "0.0.0",
      ...hello,
    };
    this.connect();
  }

  connect(): void {
    this.received = 0;
    this.limit = 0;
    this.closed = null;
    this.session = this.#hub.hub.connect(this.hello, this);
  }

  async break(): Promise<void> {
    const { session } = this;
    this.session = null;
    if (session !== null) this.#hub.hub.disconnect(session);
    await settled();
  }

  /** As a worker does that has ended. */
  async finish(): Promise<void> {
    const { session } = this;
    this.session = null;
    if (session !== null) this.#hub.hub.finish(session);
    await settled();
  }

  send(frame: ControlPlaneFrame): void {
    this.frames.push(frame);
    for (const call of frame.dispatches ?? []) {
      this.received += 1;
      if (this.received > this.limit) this.overrun = true;
      this.running.push(call);
    }
    this.acknowledged.push(...(frame.acknowledged ?? []));
    this.cancels.push(...(frame.cancels ?? []));
    this.chunksTaken.push(...(frame.chunksTaken ?? []));
  }

  close(why: Refused): void {
    this.closed = why;
    if (this.session !== null) this.#hub.hub.disconnect(this.session);
    this.session = null;
  }

  async say(frame: Parameters<WorkerHub<Owner>["receive"]>[1]): Promise<void> {
    try {
      if (this.session !== null) await this.#hub.hub.receive(this.session, frame);
    } catch (error) {
      this.close(error as Refused);
    }
    await settled();
  }

  credit(free: number): Promise<void> {
    this.limit = this.received + free;
    return this.say({ credits: { received: this.received, free } });
  }

  /** Takes what it has been sent as being run no longer. */
  take(call: CallRef): void {
    this.running = this.running.filter((each) => callKey(each) !== callKey(call) || each.attempt !== call.attempt);
  }

  answer(call: CallRef, json = "1"): Promise<void> {
    this.take(call);
    return this.say({ outcomes: [outcome(call, json)] });
  }
}

export function outcome({ incarnation, runId, call, attempt }: CallRef, json = "1") {
  return { incarnation, runId, call, attempt, kind: "result" as const, value: { json }, retry: null, durationMs: 5 };
}

export function idOf({ incarnation, runId, call, attempt }: CallRef): CallRef {
  return { incarnation, runId, call, attempt };
}

export function action(name: string): Hello["actions"][number] {
  return {
    name,
    inputSchema: null,
    retry: null,
    heartbeatTimeoutMs: null,
    isolate: "none",
  };
}

let lastRun = 0;

export function testDispatch(changes: Partial<Dispatch> = {}): Dispatch {
  const number = (++lastRun).toString(16).padStart(12, "0");
  return {
    runId: `01890a5d-ac96-774b-bcce-${number}`,
    namespace: "default",
    call: "1.0",
    attempt: 1,
    incarnation: "11111111-1111-4111-8111-111111111111",
    action: "test.a",
    args: "[]",
    options: null,
    priority: 0,
    type: "test.flow",
    version: "v1",
    deadline: null,
    traceparent: null,
    ...changes,
  };
}

class MemoryBlobs implements BlobStore {
  isBroken = false;
  readonly #bytes = new Map<string, Buffer>();

  async put(bytes: Uint8Array): Promise<string> {
    if (this.isBroken) throw new Error("no room on the disk");
    const digest = createHash("sha256").update(bytes).digest("hex");
    this.#bytes.set(digest, Buffer.from(bytes));
    return digest;
  }

  putMany(blobs: readonly Uint8Array[]): Promise<string[]> {
    return Promise.all(blobs.map((bytes) => this.put(bytes)));
  }

  async get(digest: string): Promise<Buffer> {
    const found = this.#bytes.get(digest);
    if (found === undefined) throw missingBlob(digest, "memory");
    return found;
  }
}

/** A hub with one worker, which has been sent a call. */
export async function hubWithCall(changes = {}) {
  const test = new TestHub();
  const worker = new FakeWorker(test, { workerId: "w-1", actions: [action("test.a")] });
  const call = testDispatch(changes);
  test.hub.dispatch("loop", [call]);
  await worker.credit(1);
  return { test, worker, call };
}
