import { DEFAULT_RETRY } from "@cairnjs/ir";
import { attempt, declaredAction, declaredWorkflow, encodeCopy, type Invocable, LazyAbort } from "cairnjs/host";
import { NoHandlerRegistered, RunCancelled, StepChanged } from "cairnjs";
import type { CallId, CallOutcome, Dispatch, TryId } from "../runloop/outside.ts";
import { CallContext } from "./call-context.ts";
import { CallQueue } from "./call-queue.ts";

export interface ActionHostOptions<Owner> {
  /** How many actions run at one time. */
  readonly capacity: number;
  /** Who ran them, for people. */
  readonly worker: string;
  /** Tells whoever asked for the call, or adopted it last. */
  readonly report: (owner: Owner, outcomes: readonly CallOutcome[]) => void;
  /** There is more or less room than before. */
  readonly loaded: () => void;
}

interface Call<Owner> {
  owner: Owner;
  readonly dispatch: Dispatch;
  readonly abort: LazyAbort;
  outcome: CallOutcome | null;
  /** Nobody waits for it. */
  aborted: boolean;
}

const keyOf = ({ runId, call }: CallId): string => `${runId}/${call}`;

/**
 * Runs the actions of this process.
 *
 * Owns: calls that wait, run, or have ended and are not acknowledged. A call belongs to its run, not to whoever holds the
 * run: when that changes, the new owner adopts it.
 */
export class ActionHost<Owner> {
  readonly #options: ActionHostOptions<Owner>;
  readonly #calls = new Map<string, Call<Owner>>();
  readonly #queue = new CallQueue<Call<Owner>>();
  #running = 0;
  readonly #outcomes = new Map<Owner, CallOutcome[]>();
  #whenIdle: (() => void)[] = [];

  constructor(options: ActionHostOptions<Owner>) {
    this.#options = options;
  }

  /** Calls that are waiting or running. */
  get load(): number {
    return this.#queue.size + this.#running;
  }

  dispatch(owner: Owner, calls: readonly Dispatch[]): void {
    for (const dispatch of calls) {
      const call: Call<Owner> = { owner, dispatch, abort: new LazyAbort(), outcome: null, aborted: false };
      this.#calls.set(keyOf(dispatch), call);
      this.#queue.add(call, dispatch.priority);
    }
    this.#runNext();
  }

  /**
   * Returns the tries that nobody runs here. The outcome of one that has ended is reported again; one that was given up
   * meanwhile goes on, since its result would be one. One of a past that was lost is nobody's.
   */
  adopt(owner: Owner, calls: readonly Dispatch[]): TryId[] {
    const strangers: TryId[] = [];
    for (const dispatch of calls) {
      const { runId, call: id, attempt, incarnation } = dispatch;
      const known = this.#calls.get(keyOf(dispatch));
      const call = known?.dispatch.incarnation === incarnation ? known : undefined;
      if (known !== call) this.abort([dispatch]);
      if (call?.dispatch.attempt !== attempt) strangers.push({ runId, call: id, attempt });
      if (call === undefined) continue;
      call.owner = owner;
      if (call.outcome !== null) this.#report(owner, call.outcome);
    }
    return strangers;
  }

  abort(calls: readonly CallId[]): void {
    for (const id of calls) {
      const call = this.#calls.get(keyOf(id));
      this.#calls.delete(keyOf(id));
      if (call === undefined) continue;
      call.aborted = true;
      call.abort.abort(new RunCancelled("Nobody waits for this call any more"));
    }
  }

  acknowledge(calls: readonly CallId[]): void {
    for (const id of calls) {
      const call = this.#calls.get(keyOf(id));
      if (call?.outcome !== null) this.#calls.delete(keyOf(id));
    }
  }

  /** Reports again what was not acknowledged, at once: whoever was told of it is gone. */
  reportAgain(to: Owner): void {
    const outcomes: CallOutcome[] = [];
    for (const { owner, outcome } of this.#calls.values()) {
      if (outcome !== null && owner === to) outcomes.push(outcome);
    }
    if (outcomes.length > 0) this.#options.report(to, outcomes);
  }

  /** Resolves when nothing runs here any more. */
  async idle(): Promise<void> {
    if (this.load > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  #runNext(): void {
    this.#options.loaded();
    while (this.#running < this.#options.capacity) {
      const call = this.#queue.take();
      if (call === undefined) return;
      // Aborted while it waited.
      if (this.#calls.get(keyOf(call.dispatch)) !== call) continue;
      this.#running += 1;
      void this.#run(call);
    }
  }

  async #run(call: Call<Owner>): Promise<void> {
    const { dispatch, abort } = call;
    const { incarnation, runId, call: id, args, options, attempt: number } = dispatch;
    const startedAt = performance.now();
    const task = taskOf(dispatch);
    const ended =
      task instanceof Error
        ? { kind: "error" as const, value: encodeCopy(task, "error").text, retry: null }
        : await attempt({ task, args, options, abort, context: new CallContext(dispatch, abort) });
    this.#running -= 1;
    const retry = ended.kind === "error" && ended.retry !== null ? { ...DEFAULT_RETRY, ...ended.retry } : null;
    const durationMs = Math.max(0, Math.round(performance.now() - startedAt));
    const { kind, value } = ended;
    const { worker } = this.#options;
    call.outcome = { incarnation, runId, call: id, attempt: number, kind, value, retry, worker, durationMs };
    // Also of a try that another one has taken the place of: its result is one.
    if (!call.aborted) this.#report(call.owner, call.outcome);
    this.#runNext();
    if (this.load === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  /** All that end in one turn of the event loop are reported together. */
  #report(owner: Owner, outcome: CallOutcome): void {
    const waiting = this.#outcomes.get(owner);
    if (waiting !== undefined) return void waiting.push(outcome);
    const outcomes = [outcome];
    this.#outcomes.set(owner, outcomes);
    queueMicrotask(() => {
      this.#outcomes.delete(owner);
      this.#options.report(owner, outcomes);
    });
  }
}

/** What runs a call: an action, or a step of the workflow it comes from. */
function taskOf({ action, type }: Dispatch): Invocable | Error {
  const declared = declaredAction(action);
  if (declared !== undefined) return declared;
  const compiled = declaredWorkflow(type)?.compiled;
  const step = compiled?.steps.get(action);
  if (step !== undefined) return { name: action, handler: step, options: {} };
  return compiled !== undefined && action.startsWith(`${type}/`)
    ? new StepChanged(`The step "${action}" is missing from the code that was loaded`)
    : new NoHandlerRegistered(`There is no action "${action}"`);
}
