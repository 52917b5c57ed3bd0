import type { HeldRun } from "./held-run.ts";
import type { Step } from "./step.ts";
import { TURN_MS } from "./turns.ts";

/** What a run that takes long gets in a turn. */
const SLOW_TURN_MS = 10;

export interface StepsUnderWayEvents {
  /** A step has come to its end. */
  worked(step: Step): void;
  /** A step must look something up, and is to be given back then. */
  unknown(step: Step): void;
  /** All of a turn have been worked on. */
  turned(): void;
}

/**
 * Owns: the one step of each run that is not committed, and whose turn it is.
 * Whatever arrives in one go is worked on in one turn, at once; when that takes long, others come in between.
 */
export class StepsUnderWay {
  readonly #events: StepsUnderWayEvents;
  readonly #steps = new Map<HeldRun, Step>();
  /** With something new to do, in order. */
  #due: Step[] = [];
  /** That did not come to their end within their time. */
  #slow: Step[] = [];
  #turn: "none" | "soon" | NodeJS.Immediate = "none";

  constructor(events: StepsUnderWayEvents) {
    this.#events = events;
  }

  get size(): number {
    return this.#steps.size;
  }

  /** Its run is busy until it is settled. */
  begin(step: Step): void {
    step.run.busy = true;
    this.#steps.set(step.run, step);
    this.goOn(step);
  }

  goOn(step: Step): void {
    this.#due.push(step);
    if (this.#turn !== "none") return;
    this.#turn = "soon";
    queueMicrotask(() => this.#work());
  }

  settled(run: HeldRun): void {
    this.#steps.delete(run);
  }

  clear(): void {
    this.#steps.clear();
    this.#due = [];
    this.#slow = [];
    if (typeof this.#turn === "object") clearImmediate(this.#turn);
  }

  /** First those with something new, for a while, then one of those that take long. */
  #work(): void {
    this.#turn = "none";
    const until = performance.now() + TURN_MS;
    const hasTime = (): boolean => performance.now() < until;
    const due = this.#due;
    this.#due = [];
    let taken = 0;
    while (taken < due.length && hasTime()) this.#workOn(due[taken++]!, hasTime);
    this.#due = [...due.slice(taken), ...this.#due];
    this.#events.turned();
    const slow = this.#slow.shift();
    const slowUntil = performance.now() + SLOW_TURN_MS;
    if (slow !== undefined) this.#workOn(slow, () => performance.now() < slowUntil);
    this.#events.turned();
    if (this.#slow.length + this.#due.length === 0 || this.#turn !== "none") return;
    this.#turn = setImmediate(() => this.#work());
  }

  #workOn(step: Step, hasTime: () => boolean): void {
    // Its run was dropped in the meantime.
    if (this.#steps.get(step.run) !== step) return;
    if (step.work(hasTime)) this.#events.worked(step);
    else if (step.unknown === null) this.#slow.push(step);
    else this.#events.unknown(step);
  }
}
