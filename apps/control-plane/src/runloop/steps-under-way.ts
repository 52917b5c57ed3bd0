import type { HeldRun } from "./held-run.ts";
import type { Step } from "./step.ts";
import { TURN_MS } from "./turns.ts";

/** What a run that takes long gets in a turn. */
const SLOW_TURN_MS = 10;

export interface StepsUnderWayEvents {
  /** Whether there is memory for what the step may make. */
  admits(step: Step): boolean;
  /** A step has come to its end. */
  worked(step: Step): void;
  /** A step has thrown: what it made is not to be used. */
  failed(step: Step, error: unknown): void;
  /** A step needs more time. */
  paused(step: Step): void;
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
  /** That wait for memory, in order. */
  readonly #deferred = new Set<Step>();
  readonly #whenIdle: (() => void)[] = [];
  #turn: "none" | "soon" | NodeJS.Immediate = "none";

  constructor(events: StepsUnderWayEvents) {
    this.#events = events;
  }

  /** Without those that wait for memory. */
  get size(): number {
    return this.#steps.size - this.#deferred.size;
  }

  /** Resolves when there are none but those that wait for memory, or the time is over; there may be new ones soon. */
  idle(withinMs: number): Promise<void> {
    if (this.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, withinMs);
      this.#whenIdle.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #noticeIdle(): void {
    if (this.size === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  /** Its run is busy until it is settled. */
  begin(step: Step): void {
    step.run.busy = true;
    this.#steps.set(step.run, step);
    this.goOn(step);
  }

  goOn(step: Step): void {
    this.#due.push(step);
    this.#takeTurn();
  }

  /** There may be memory again. */
  roomChanged(): void {
    if (this.#deferred.size > 0) this.#takeTurn();
  }

  settled(run: HeldRun): void {
    const step = this.#steps.get(run);
    if (step !== undefined) this.#deferred.delete(step);
    this.#steps.delete(run);
    this.#noticeIdle();
  }

  clear(): void {
    this.#steps.clear();
    this.#due = [];
    this.#slow = [];
    this.#deferred.clear();
    this.#noticeIdle();
    if (typeof this.#turn === "object") clearImmediate(this.#turn);
  }

  #takeTurn(): void {
    if (this.#turn !== "none") return;
    this.#turn = "soon";
    queueMicrotask(() => this.#work());
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
    const more = this.#workOnDeferred(hasTime);
    this.#events.turned();
    const slow = this.#slow.shift();
    const slowUntil = performance.now() + SLOW_TURN_MS;
    if (slow !== undefined) this.#workOn(slow, () => performance.now() < slowUntil);
    this.#events.turned();
    if ((this.#slow.length + this.#due.length === 0 && !more) || this.#turn !== "none") return;
    this.#turn = setImmediate(() => this.#work());
  }

  /** Those that there is memory for now; whether some are left. */
  #workOnDeferred(hasTime: () => boolean): boolean {
    for (const step of this.#deferred) {
      if (!this.#events.admits(step)) return false;
      if (!hasTime()) return true;
      this.#deferred.delete(step);
      this.#workOn(step, hasTime);
    }
    return false;
  }

  #workOn(step: Step, hasTime: () => boolean): void {
    // Its run was dropped in the meantime.
    if (this.#steps.get(step.run) !== step) return;
    if (!this.#events.admits(step)) {
      this.#deferred.add(step);
      return this.#noticeIdle();
    }
    let isDone: boolean;
    try {
      isDone = step.work(hasTime);
    } catch (error) {
      return this.#events.failed(step, error);
    }
    if (isDone) return this.#events.worked(step);
    if (step.unknown !== null) return this.#events.unknown(step);
    this.#slow.push(step);
    this.#events.paused(step);
  }
}
