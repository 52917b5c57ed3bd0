import { context, ROOT_CONTEXT } from "@opentelemetry/api";
import {
  attempt,
  type AttemptOutcome,
  type EncodedChunk,
  encodeCopy,
  encodeThrown,
  type GivenSecrets,
  type Invocable,
  LazyAbort,
  type PayloadCodec,
  secretNames,
} from "cairnjs/host";
import { AttemptSpan } from "./attempt-span.ts";
import { CallContext } from "./call-context.ts";
import { ChunkStream } from "./chunk-stream.ts";
import { CallQueue } from "./call-queue.ts";
import type { CallNotes, CallOutcome, Dispatch } from "./calls.ts";
import type { Logger } from "./log.ts";
import { retryPolicy } from "./retry-policy.ts";
import { taskOf } from "./task.ts";

/** Where handlers run that want a thread of their own. */
export interface IsolatedRuns {
  /** Resolves when its handler begins: the time that it may take is counted from there. Never rejects. */
  begin(call: RunningCall): Promise<IsolatedRun>;
}

export interface IsolatedRun {
  /** Rejects if the thread goes down. */
  readonly outcome: Promise<AttemptOutcome>;
}

export interface ActionRunnerOptions {
  /** How many actions run at one time. */
  readonly capacity: number;
  /** Who runs them, for people. */
  readonly worker: string;
  /** There is more or less room than before. */
  readonly loaded: () => void;
  /** A try has ended. */
  readonly took?: (durationMs: number) => void;
  /** Without it, handlers that want a thread run among the others. */
  readonly isolated: IsolatedRuns | null;
  /** Where handlers log; without it, on the console. */
  readonly logger?: Logger | null;
  /** How what is sealed is opened and made; null: there is nothing to do it by. */
  readonly codec?: PayloadCodec | null;
  /** Secrets of a namespace, by name; without it, calls have brought those that they need. */
  readonly secrets?: (namespace: string, names: readonly string[]) => Promise<GivenSecrets>;
}

/** Who hears of a try. */
export interface CallEvents {
  readonly ended: (outcome: CallOutcome) => void;
  /** What it tells about itself, encoded. */
  readonly told: (details: string) => void;
  /** There is more in `chunks` than before. */
  readonly streamed: () => void;
}

/** One try of a call that waits here or runs. */
export class RunningCall {
  readonly dispatch: Dispatch;
  readonly notes: CallNotes | null;
  readonly abortion = new LazyAbort((reason) => this.chunks?.close(reason));
  /** Null while it has streamed nothing. */
  chunks: ChunkStream | null = null;
  readonly #events: CallEvents;
  #secrets: GivenSecrets | null;
  #isWaiting = true;
  #aborted: Error | null = null;

  /** `secrets`: those that came with the call. */
  constructor(dispatch: Dispatch, notes: CallNotes | null, events: CallEvents, secrets: GivenSecrets | null = null) {
    this.#secrets = secrets;
    this.dispatch = dispatch;
    this.notes = notes;
    this.#events = events;
  }

  /** For who runs it, once: a call that has ended is kept until its outcome is acknowledged, and its secrets are not. */
  takeSecrets(): GivenSecrets | null {
    const secrets = this.#secrets;
    this.#secrets = null;
    return secrets;
  }

  /** Its handler has not begun. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  get isAborted(): boolean {
    return this.#aborted !== null;
  }

  /** Nobody waits for it: nothing more is heard of it. Its handler goes on if it does not listen to its signal. */
  abort(reason: Error): void {
    this.#aborted ??= reason;
    this.abortion.abort(reason);
    this.chunks?.abort(reason);
  }

  begin(): void {
    this.#isWaiting = false;
  }

  /** What the handler tells about itself, encoded. */
  tell(details: string): void {
    if (!this.isAborted) this.#events.told(details);
  }

  /** Resolves when there is room for the next one. */
  async stream(chunk: EncodedChunk): Promise<void> {
    if (this.#aborted !== null) throw this.#aborted;
    this.chunks ??= new ChunkStream(() => this.#events.streamed());
    await this.chunks.take(chunk);
  }

  end(outcome: CallOutcome): void {
    if (!this.isAborted) this.#events.ended(outcome);
  }
}

/**
 * Runs calls of the actions that this process has declared, so many at one time.
 *
 * Owns: which calls wait, and how many run. Who asked for a call, and who is to hear of its outcome, is others' affair.
 */
export class ActionRunner {
  readonly #options: ActionRunnerOptions;
  readonly #queue = new CallQueue<RunningCall>();
  #running = 0;
  #whenIdle: (() => void)[] = [];

  constructor(options: ActionRunnerOptions) {
    this.#options = options;
  }

  get running(): number {
    return this.#running;
  }

  /** Calls that are waiting or running. */
  get load(): number {
    return this.#queue.size + this.#running;
  }

  /** Begins with `runNext`: of several that are added together, those of a higher priority begin first. */
  add(call: RunningCall): void {
    this.#queue.add(call, call.dispatch.priority);
  }

  runNext(): void {
    this.#options.loaded();
    while (this.#running < this.#options.capacity) {
      const call = this.#queue.take();
      if (call === undefined) break;
      // Aborted while it waited.
      if (call.isAborted) continue;
      this.#running += 1;
      call.begin();
      void this.#run(call);
    }
    if (this.load === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  /** Resolves when nothing runs here any more. */
  async idle(): Promise<void> {
    if (this.load > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  async #run(call: RunningCall): Promise<void> {
    const { incarnation, runId, call: id, attempt: number } = call.dispatch;
    const task = taskOf(call.dispatch);
    const isolated = !(task instanceof Error) && task.options.isolate === "thread" ? this.#options.isolated : null;
    // Most calls have nothing to wait for here.
    const secrets = task instanceof Error ? null : this.#secretsOf(call, task, isolated !== null);
    const begun = isolated === null ? null : await isolated.begin(call);
    const startedAt = performance.now();
    const span = AttemptSpan.begin(call.dispatch, this.#options.worker);
    // What another run was traced by must not be taken for this one's.
    const ended = await context.with(span?.context ?? ROOT_CONTEXT, () => this.#tried(call, task, begun, secrets));
    span?.end(ended, call.isAborted);
    // What it did not await is sent before it counts as ended.
    if (call.chunks !== null) await call.chunks.admitted();
    this.#running -= 1;
    const { kind, value } = ended;
    const retry = ended.kind === "error" && ended.retry !== null ? retryPolicy(ended.retry) : null;
    const durationMs = Math.max(0, Math.round(performance.now() - startedAt));
    const { worker, took } = this.#options;
    took?.(durationMs);
    call.end({ incarnation, runId, call: id, attempt: number, kind, value, retry, worker, durationMs });
    this.runNext();
  }

  /** Null: it needs none, or a thread is given them. */
  #secretsOf(call: RunningCall, task: Invocable, isIsolated: boolean): Promise<GivenSecrets> | null {
    const names = secretNames(task.name, task.options.needs);
    if (names.length === 0 || isIsolated) return null;
    const brought = call.takeSecrets();
    const { secrets } = this.#options;
    if (brought !== null || secrets === undefined) return Promise.resolve(brought ?? new Map());
    return secrets(call.dispatch.namespace, names);
  }

  async #tried(
    call: RunningCall,
    task: Invocable | Error,
    begun: IsolatedRun | null,
    secrets: Promise<GivenSecrets> | null,
  ): Promise<AttemptOutcome> {
    if (task instanceof Error) return { kind: "error", value: encodeCopy(task, "error").text, retry: null };
    const { dispatch, notes, abortion: abort } = call;
    const { args, options } = dispatch;
    const { logger = null, codec = null } = this.#options;
    let given: GivenSecrets | undefined;
    try {
      given = secrets === null ? undefined : await secrets;
    } catch (error) {
      return { kind: "error", value: encodeThrown(error).text, retry: task.options.retry ?? {} };
    }
    const about = new CallContext(dispatch, notes, abort, call, logger, given);
    const elsewhere = begun === null ? {} : { elsewhere: () => begun.outcome };
    try {
      return await attempt({ task, args, options, abort, context: about, codec, ...elsewhere });
    } finally {
      about.end();
    }
  }
}
