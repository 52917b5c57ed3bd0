import type { Dispatch } from "../runloop/outside.ts";

/** What is known of a call that waits. */
export interface Waiting {
  /** Grows with each call that begins to wait. */
  readonly turn: number;
  readonly dispatch: Pick<Dispatch, "runId" | "priority" | "type" | "action">;
}

/** Whether the call is all that its run does. */
function isJob({ dispatch: { type, action } }: Waiting): boolean {
  return type === action;
}

/** Calls of one priority, by run. Runs take turns: whoever has had one goes to the end. */
type Level<Call> = Map<string, Set<Call>>;

/** Calls that wait for the same workers: higher priorities first, then runs by turns, then the oldest first. */
export class WaitingCalls<Call extends Waiting> {
  readonly #levels = new Map<number, Level<Call>>();
  #priorities: number[] = [];
  #size = 0;
  #jobs = 0;

  get size(): number {
    return this.#size;
  }

  /** How many of them are jobs. */
  get jobs(): number {
    return this.#jobs;
  }

  *[Symbol.iterator](): Generator<Call> {
    for (const level of this.#levels.values()) for (const calls of level.values()) yield* calls;
  }

  add(call: Call): void {
    const { priority, runId } = call.dispatch;
    let level = this.#levels.get(priority);
    if (level === undefined) {
      level = new Map();
      this.#levels.set(priority, level);
      this.#priorities = [...this.#levels.keys()].sort((a, b) => b - a);
    }
    const calls = level.get(runId);
    if (calls === undefined) level.set(runId, new Set([call]));
    else calls.add(call);
    this.#size += 1;
    if (isJob(call)) this.#jobs += 1;
  }

  /** The next one; by age alone, whatever its priority. */
  head(byAge: boolean): Call | undefined {
    let oldest: Call | undefined;
    for (const priority of this.#priorities) {
      const [calls] = this.#levels.get(priority)!.values();
      const [first] = calls!;
      if (!byAge) return first;
      if (oldest === undefined || first!.turn < oldest.turn) oldest = first;
    }
    return oldest;
  }

  /** It waits no longer; if it has had its run's turn, others of the run come after other runs'. */
  remove(call: Call): void {
    const { priority, runId } = call.dispatch;
    const level = this.#levels.get(priority);
    const calls = level?.get(runId);
    if (level === undefined || calls?.delete(call) !== true) return;
    this.#size -= 1;
    if (isJob(call)) this.#jobs -= 1;
    level.delete(runId);
    if (calls.size > 0) level.set(runId, calls);
    if (level.size > 0) return;
    this.#levels.delete(priority);
    this.#priorities = this.#priorities.filter((each) => each !== priority);
  }
}
