import type { CallId, Dispatch, EndedRun, Outside, TryId } from "./outside.ts";
import type { AfterCommit } from "./step.ts";

/** What is said to the outside once steps are durable, of all of them together. */
export class Aftermath {
  /** To be dispatched. */
  readonly calls: Dispatch[] = [];
  /** Runs that were sent mail. */
  readonly mailed: string[] = [];
  readonly #aborts: CallId[] = [];
  readonly #acknowledged: TryId[] = [];
  readonly #ended: EndedRun[] = [];
  #parked = false;
  #putBack = false;
  #published = false;

  /** Whether runs are not held any more. */
  get parked(): boolean {
    return this.#parked;
  }

  add(after: AfterCommit): void {
    this.#aborts.push(...after.abort);
    this.#acknowledged.push(...after.acknowledge);
    this.mailed.push(...after.mailed);
    if (after.ended !== null) this.#ended.push(after.ended);
    this.#parked ||= after.parked;
    this.#putBack ||= after.putBack;
    this.#published ||= after.published;
  }

  tell(outside: Outside): void {
    // First: a call that was given up may be made again.
    if (this.#aborts.length > 0) outside.abort(this.#aborts);
    if (this.calls.length > 0) outside.dispatch(this.calls);
    if (this.#acknowledged.length > 0) outside.acknowledge(this.#acknowledged);
    if (this.#ended.length > 0) outside.ended(this.#ended);
    if (this.#putBack) outside.notify("cairn_ended");
    if (this.#published) outside.notify("cairn_outbox");
  }
}
