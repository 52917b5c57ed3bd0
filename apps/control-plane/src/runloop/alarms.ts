import type { DatabaseClock } from "./clock.ts";
import { type Timer, Timers } from "./timers.ts";

/** The clock may be set: it is looked at again before long. */
const SLEEP_MAX_MS = 1_000;

/** Timers by the database's clock, and the one of Node.js that wakes them. */
export class Alarms {
  readonly #timers = new Timers();
  readonly #clock: DatabaseClock;
  #wake: NodeJS.Timeout | null = null;
  #wakeAt = Number.POSITIVE_INFINITY;

  constructor(clock: DatabaseClock) {
    this.#clock = clock;
  }

  set(dueAt: number, ring: () => void): Timer {
    const timer = this.#timers.set(dueAt, ring);
    this.#wakeFor(dueAt);
    return timer;
  }

  /** Rings what is due; also for who has looked at the clock. */
  ring(): void {
    this.#forgetWake();
    const next = this.#timers.ringDue(this.#clock.now());
    if (next !== null) this.#wakeFor(next);
  }

  clear(): void {
    this.#forgetWake();
    this.#timers.clear();
  }

  #wakeFor(dueAt: number): void {
    if (dueAt >= this.#wakeAt) return;
    this.#forgetWake();
    this.#wakeAt = dueAt;
    const inMs = Math.min(Math.max(0, dueAt - this.#clock.now()), SLEEP_MAX_MS);
    this.#wake = setTimeout(() => this.ring(), inMs);
  }

  #forgetWake(): void {
    if (this.#wake !== null) clearTimeout(this.#wake);
    this.#wake = null;
    this.#wakeAt = Number.POSITIVE_INFINITY;
  }
}
