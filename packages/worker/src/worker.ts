import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { RunCancelled } from "cairnjs";
import { encodeThrown, type PayloadCodec } from "cairnjs/host";
import {
  type CallRef,
  type ControlPlaneFrame,
  type Dispatch,
  type Hello,
  type Outcome,
  PROTOCOL_VERSION,
} from "@cairnjs/protocol";
import { counted } from "./counted.ts";
import { Deadline } from "./deadline.ts";
import { ActionRunner, RunningCall } from "./host/action-runner.ts";
import type { Logger } from "./host/log.ts";
import type { CallOutcome } from "./host/calls.ts";
import { helloActions, helloWorkflows, register, registeredActions } from "./registered.ts";
import type { Connection } from "./session/connection.ts";
import { ControlPlanes } from "./session/control-planes.ts";
import type { Session } from "./session/session.ts";
import type { WorkerSettings } from "./settings.ts";
import { ActionThreads } from "./threads/action-threads.ts";
import { Tries, type Try } from "./tries.ts";
import { type DispatchTexts, Unwanted, Values } from "./values.ts";

/** Outcomes that nobody acknowledges: with so many of them nothing new is taken. */
const HELD_MAX = 10_000;
/** What a worker is for if nobody says so. */
const PREFIXES_DEFAULT = ["default."];
/** For handlers that were aborted to clean up. */
const ABORTED_MS_MAX = 2_000;

export interface WorkerOptions extends Omit<WorkerSettings, "modules" | "codecModule"> {
  /** The module that `codec` is from, if threads are to have it too. */
  readonly codecModule?: string | null;
  /** Files that were loaded: threads load them too. */
  readonly modules: readonly string[];
  /** For sealed values. */
  readonly codec?: PayloadCodec | null;
  readonly random: () => number;
  /** What happens, a line at a time. */
  readonly log: (line: string) => void;
  /** Where handlers log; without it, on the console. */
  readonly logger?: Logger;
  /** A control plane has welcomed it: all that is declared here is registered. */
  readonly connected?: (hello: Hello) => void;
}

/** Why a worker has ended. */
export interface WorkerEnd {
  readonly kind: "drained" | "recycled";
  /** Outcomes that nobody has taken: these calls will be made again. */
  readonly unacknowledged: number;
}

/**
 * Runs the actions that this process has declared for control planes elsewhere.
 *
 * Owns: the calls that run here and the outcomes that are held, by try.
 *
 * Invariants:
 *   W1  A try is run once, however often it is sent.
 *   W2  An outcome is held until it is acknowledged or cancelled, and offered to whoever is there.
 *   W3  Of a try that was aborted nothing is said: to control planes it is lost, and not failed.
 */
export class Worker {
  readonly id = `${hostname().slice(0, 100)}:${process.pid}:${randomUUID()}`;
  /** Rejects if no control plane will ever speak with it. */
  readonly ended: Promise<WorkerEnd>;
  readonly #options: WorkerOptions;
  readonly #tries = new Tries();
  readonly #runner: ActionRunner;
  readonly #threads: ActionThreads;
  readonly #controlPlanes: ControlPlanes;
  readonly #values: Values;
  /** Calls whose arguments are on their way. */
  #fetching = 0;
  #actionsEnded = 0;
  #isRegistered = false;
  #draining: WorkerEnd["kind"] | null = null;
  /** All calls have ended, and it is going to: one that was sent before that was known elsewhere is not begun. */
  #isEnding = false;
  #end!: (end: WorkerEnd) => void;
  #fail!: (error: Error) => void;
  readonly #deadlines = { calls: new Deadline(), outcomes: new Deadline() };

  constructor(options: WorkerOptions) {
    this.#options = options;
    const { urls, token, certificates, random, log, capacity, connected = () => {} } = options;
    this.ended = new Promise((resolve, reject) => {
      this.#end = resolve;
      this.#fail = reject;
    });
    // Who does not wait for it is not to be brought down by it.
    this.ended.catch(() => {});
    this.#threads = new ActionThreads(
      options.threads,
      options.modules,
      options.logger ?? null,
      options.codecModule ?? null,
    );
    this.#runner = new ActionRunner({
      capacity,
      worker: this.id,
      loaded: () => this.#controlPlanes.balance(),
      isolated: this.#threads,
      logger: options.logger ?? null,
      codec: options.codec ?? null,
    });
    const actions = registeredActions();
    const hello = this.#hello(actions);
    this.#controlPlanes = new ControlPlanes({
      urls,
      access: { token, certificates },
      hello,
      tries: this.#tries,
      random,
      prepare: (connection) => this.#register(connection, actions),
      heard: (session, frame) => this.#heard(session, frame),
      free: () => this.#free(),
      log,
      connected: () => connected(hello),
      refused: (why) => {
        void this.#controlPlanes.finish();
        this.#fail(why);
      },
    });
    this.#values = new Values({ connection: () => this.#controlPlanes.connection(), random });
  }

  connect(): void {
    this.#controlPlanes.connect();
  }

  /**
   * Takes no further calls, lets those it has come to an end and delivers their outcomes. With a limit, calls that take longer are
   * aborted: they are made again elsewhere. A later limit counts too.
   */
  drain(limitMs: number | null, kind: WorkerEnd["kind"] = "drained"): Promise<WorkerEnd> {
    if (limitMs !== null) {
      this.#deadlines.calls.set(limitMs);
      this.#deadlines.outcomes.set(limitMs + this.#options.flushMs);
    }
    const isFirst = this.#draining === null;
    if (this.#draining !== "drained") this.#draining = kind;
    if (isFirst) void this.#drain();
    return this.ended;
  }

  async #drain(): Promise<void> {
    const { calls, outcomes } = this.#deadlines;
    this.#controlPlanes.drain();
    await calls.orWhen(this.#tries.settled());
    this.#isEnding = true;
    const late = [...this.#tries.all()].filter(({ hasEnded }) => !hasEnded);
    for (const one of late) this.#drop(one, new RunCancelled("The worker is ending: the call is made again elsewhere"));
    if (late.length > 0) {
      this.#options.log(`Aborted ${counted(late.length, "call")} that would not end, to be made again elsewhere`);
      const cleanedUp = new Deadline();
      cleanedUp.set(ABORTED_MS_MAX);
      await cleanedUp.orWhen(this.#runner.idle());
    }
    await outcomes.orWhen(this.#tries.empty());
    const unacknowledged = this.#tries.size;
    await this.#controlPlanes.finish();
    await this.#threads.close();
    calls.clear();
    outcomes.clear();
    this.#end({ kind: this.#draining ?? "drained", unacknowledged });
  }

  #hello(registered: Hello["actions"]): Hello {
    const { namespace, prefixes, capacity, threads, log } = this.#options;
    const actions = helloActions(registered, prefixes);
    const workflows = helloWorkflows(prefixes);
    if (prefixes !== null && actions.length + workflows.length === 0) {
      log(`No action and no workflow here has a name that begins with ${prefixes.join(" or ")}: nothing will run here`);
    }
    return {
      protocolVersion: PROTOCOL_VERSION,
      workerId: this.id,
      namespace,
      prefixes: [...(prefixes ?? PREFIXES_DEFAULT)],
      actions,
      workflows,
      capacity,
      threads,
      language: "typescript",
      libraryVersion: libraryVersion(),
    };
  }

  /** Control planes share what is registered: with one that has answered it is done, and none waits for another that hangs. */
  async #register(connection: Connection, actions: Hello["actions"]): Promise<void> {
    if (this.#isRegistered) return;
    await register(connection, this.#options.namespace, actions);
    this.#isRegistered = true;
  }

  #free(): number {
    const held = this.#tries.size - this.#runner.load - this.#fetching;
    if (held > HELD_MAX) return 0;
    return Math.max(0, this.#options.capacity - this.#runner.load - this.#fetching);
  }

  #heard(session: Session, frame: ControlPlaneFrame): void {
    const { dispatches = [], acknowledged = [], cancels = [], chunksTaken = [] } = frame;
    for (const { number, ...ref } of chunksTaken) this.#tries.get(ref)?.running?.chunks?.acknowledge(number);
    for (const ref of acknowledged) this.#acknowledged(ref);
    for (const cancel of cancels) {
      const one = this.#tries.get(cancel);
      if (one !== undefined) this.#drop(one, new RunCancelled(cancel.reason || "Nobody waits for this call any more"));
    }
    if (this.#isEnding) return;
    for (const dispatch of dispatches) this.#dispatched(session, dispatch);
    if (dispatches.length > 0) this.#runner.runNext();
  }

  #acknowledged(ref: CallRef): void {
    const one = this.#tries.get(ref);
    // Of a call that runs there is nothing to acknowledge.
    if (one?.outcome) this.#tries.remove(one);
  }

  #drop(one: Try, reason: Error): void {
    this.#tries.remove(one);
    one.running?.abort(reason);
  }

  #dispatched(session: Session, dispatch: Dispatch): void {
    const one = this.#tries.add(dispatch);
    // W1. Whoever sends it again does not know what became of it.
    if (one === undefined) return session.offer(this.#tries.get(dispatch)!);
    const texts = this.#values.textsOf(dispatch, () => this.#tries.has(one));
    if (texts instanceof Promise) void this.#beginLater(session, one, dispatch, texts);
    else this.#begin(session, one, dispatch, texts);
  }

  async #beginLater(session: Session, one: Try, dispatch: Dispatch, texts: Promise<DispatchTexts>): Promise<void> {
    this.#fetching += 1;
    try {
      const fetched = await texts;
      if (this.#tries.has(one)) this.#begin(session, one, dispatch, fetched);
    } catch (error) {
      if (!(error instanceof Unwanted)) this.#unfetched(session, one, error);
    } finally {
      this.#fetching -= 1;
      this.#runner.runNext();
    }
  }

  #begin(session: Session, one: Try, dispatch: Dispatch, texts: DispatchTexts): void {
    const { incarnation, runId, call, attempt, action, priority, type, version, deadlineMs, idempotencyKey } = dispatch;
    const { traceparent, secrets } = dispatch;
    const { args, options, heartbeatDetails } = texts;
    const { namespace } = this.#options;
    // One by one, as in the protocol's conversions: an object that begins with a spread takes V8 much longer to make.
    one.running = new RunningCall(
      {
        incarnation,
        runId,
        call,
        attempt,
        namespace,
        action,
        args,
        options,
        priority,
        type,
        version,
        deadline: deadlineMs,
        traceparent,
      },
      { idempotencyKey, heartbeatDetails },
      {
        ended: (outcome) => void this.#ended(session, one, outcome),
        told: (details) => void this.#told(one, details),
        streamed: () => this.#controlPlanes.stream(one, session),
      },
      secrets === undefined ? null : new Map(secrets.map(({ name, value }) => [name, value])),
    );
    this.#runner.add(one.running);
  }

  /** Its arguments are lost, and will be the next time. */
  #unfetched(session: Session, one: Try, error: unknown): void {
    const { incarnation, runId, call, attempt } = one.ref;
    const about = { incarnation, runId, call, attempt, worker: this.id, durationMs: 0 };
    void this.#ended(session, one, { ...about, kind: "error", value: encodeThrown(error).text, retry: null });
  }

  async #ended(session: Session, one: Try, outcome: CallOutcome): Promise<void> {
    this.#tries.end(one);
    const { incarnation, runId, call, attempt, kind, retry, durationMs } = outcome;
    const about = { incarnation, runId, call, attempt, durationMs };
    let held: Outcome;
    try {
      const value = this.#values.toWire(outcome.value, () => this.#tries.has(one));
      held = { ...about, kind, value: value instanceof Promise ? await value : value, retry };
    } catch (error) {
      if (error instanceof Unwanted) return;
      const value = { json: encodeThrown(error).text };
      held = { ...about, kind: "error", value, retry: null };
    }
    if (!this.#tries.has(one)) return;
    one.outcome = held;
    this.#controlPlanes.offer(one, session);
    this.#recycleIfDue();
  }

  async #told(one: Try, details: string): Promise<void> {
    try {
      const value = this.#values.toWire(details, () => !one.hasEnded);
      one.details = value instanceof Promise ? await value : value;
    } catch (error) {
      // Details are a help for the next try; a call does not fail for want of it.
      if (!(error instanceof Unwanted)) this.#options.log(`Details of a heartbeat were refused: ${String(error)}`);
      return;
    }
    if (!one.hasEnded) this.#controlPlanes.beat(one);
  }

  #recycleIfDue(): void {
    this.#actionsEnded += 1;
    const { actions = Number.POSITIVE_INFINITY, memoryMb = Number.POSITIVE_INFINITY } = this.#options.recycleAfter;
    if (this.#draining !== null) return;
    const isWorn = this.#actionsEnded >= actions;
    if (!isWorn && (memoryMb === Number.POSITIVE_INFINITY || process.memoryUsage.rss() <= memoryMb * 1024 * 1024))
      return;
    const why = isWorn ? counted(this.#actionsEnded, "action") : `more than ${memoryMb} MB of memory`;
    this.#options.log(`Recycling after ${why}: running calls come to an end first`);
    void this.drain(null, "recycled");
  }
}

function libraryVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string };
  return manifest.version;
}
