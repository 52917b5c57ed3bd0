import { RunCancelled } from "cairnjs";
import { ActionRunner, type ActionRunnerOptions, RunningCall } from "./action-runner.ts";
import type { ChunkStream } from "./chunk-stream.ts";
import { type CallId, callKey, type CallOutcome, type Dispatch, type TryId } from "./calls.ts";

export interface ActionHostOptions<Owner> extends Omit<ActionRunnerOptions, "isolated"> {
  /** Tells whoever asked for the call, or adopted it last. */
  readonly report: (owner: Owner, outcomes: readonly CallOutcome[]) => void;
  /** A call streams: there is more in its chunks than before. */
  readonly streamed: (call: Dispatch, chunks: ChunkStream) => void;
  /** Resolves when what was streamed before can be seen by those who watch, or cannot be at the moment. */
  readonly flushed: () => Promise<void>;
}

interface Call<Owner> {
  owner: Owner;
  readonly running: RunningCall;
  outcome: CallOutcome | null;
}

/**
 * Runs the actions of a process that is its own control plane.
 *
 * Owns: calls that wait, run, or have ended and are not acknowledged. A call belongs to its run, not to whoever holds the
 * run: when that changes, the new owner adopts it.
 */
export class ActionHost<Owner> {
  readonly #options: ActionHostOptions<Owner>;
  readonly #runner: ActionRunner;
  readonly #calls = new Map<string, Call<Owner>>();
  readonly #outcomes = new Map<Owner, CallOutcome[]>();
  /** Calls whose outcomes somebody waits for: also those whose place another try has taken. */
  readonly #wanted = new Set<RunningCall>();
  #whenIdle: (() => void)[] = [];

  constructor(options: ActionHostOptions<Owner>) {
    this.#options = options;
    this.#runner = new ActionRunner({ ...options, isolated: null });
  }

  get running(): number {
    return this.#runner.running;
  }

  /** Calls that are waiting or running. */
  get load(): number {
    return this.#runner.load;
  }

  dispatch(owner: Owner, calls: readonly Dispatch[]): void {
    for (const dispatch of calls) {
      // A try that has not begun is left to the one that takes its place.
      const before = this.#calls.get(callKey(dispatch));
      if (before?.running.isWaiting === true) this.#abort(before.running);
      const running: RunningCall = new RunningCall(dispatch, null, {
        ended: (outcome) => void this.#ended(call, outcome),
        // Tries are lost here with the process that would have to remember what they told.
        told: () => {},
        streamed: () => this.#options.streamed(dispatch, running.chunks!),
      });
      const call: Call<Owner> = { owner, running, outcome: null };
      this.#calls.set(callKey(dispatch), call);
      this.#wanted.add(running);
      this.#runner.add(running);
    }
    this.#runner.runNext();
  }

  /**
   * Returns the tries that nobody runs here. The outcome of one that has ended is reported again; one that was given up
   * meanwhile goes on, since its result would be one. One of a past that was lost is nobody's.
   */
  adopt(owner: Owner, calls: readonly Dispatch[]): TryId[] {
    const strangers: TryId[] = [];
    for (const dispatch of calls) {
      const { runId, call: id, attempt, incarnation } = dispatch;
      const known = this.#calls.get(callKey(dispatch));
      const call = known?.running.dispatch.incarnation === incarnation ? known : undefined;
      if (known !== call) this.abort([dispatch]);
      if (call?.running.dispatch.attempt !== attempt) strangers.push({ runId, call: id, attempt });
      if (call === undefined) continue;
      call.owner = owner;
      if (call.outcome !== null) this.#report(owner, call.outcome);
    }
    return strangers;
  }

  abort(calls: readonly CallId[]): void {
    for (const id of calls) {
      const call = this.#calls.get(callKey(id));
      this.#calls.delete(callKey(id));
      if (call !== undefined) this.#abort(call.running);
    }
  }

  /** Gives those up whose handlers have not begun, and returns them. */
  recall(calls: readonly TryId[]): TryId[] {
    const isWaiting = (id: TryId): boolean => {
      const running = this.#calls.get(callKey(id))?.running;
      return running?.isWaiting === true && running.dispatch.attempt === id.attempt;
    };
    const back = calls.filter(isWaiting);
    this.abort(back);
    return back;
  }

  acknowledge(calls: readonly TryId[]): void {
    for (const id of calls) {
      // That of an earlier try says nothing of this one.
      if (this.#calls.get(callKey(id))?.outcome?.attempt === id.attempt) this.#calls.delete(callKey(id));
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

  /** Resolves when nothing runs here any more that somebody waits for: handlers need not listen to their abort signals. */
  async idle(): Promise<void> {
    if (this.#wanted.size > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  #abort(running: RunningCall): void {
    running.abort(NOBODY_WAITS());
    this.#forget(running);
  }

  #forget(running: RunningCall): void {
    this.#wanted.delete(running);
    if (this.#wanted.size === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  /** Also of a try that another one has taken the place of: its result is one. */
  async #ended(call: Call<Owner>, outcome: CallOutcome): Promise<void> {
    // Who watches the run sees all of it before the run can end.
    if (call.running.chunks !== null) await this.#options.flushed();
    if (call.running.isAborted) return;
    call.outcome = outcome;
    this.#report(call.owner, outcome);
    this.#forget(call.running);
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

const NOBODY_WAITS = (): Error => new RunCancelled("Nobody waits for this call any more");
