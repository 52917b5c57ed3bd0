import { setTimeout as delay } from "node:timers/promises";

/** What one transaction should take, at most. */
const AIM_MS = 50;
/** Of the time, so much is for others: after a piece of work it rests so many times as long as it took. */
const REST = 1;
const REST_MAX_MS = 5_000;
const REST_MIN_MS = 1;

export interface PaceLimits {
  readonly first: number;
  readonly least: number;
  readonly most: number;
}

/**
 * How much is done at a time, and how long it rests between: a database that has much to do takes longer for the same, so it gets less, and
 * less often.
 */
export class Pace {
  readonly #limits: PaceLimits;
  readonly #signal: AbortSignal;
  #size: number;

  constructor(limits: PaceLimits, signal: AbortSignal) {
    this.#limits = limits;
    this.#signal = signal;
    this.#size = limits.first;
  }

  /** Does a piece of work of the size that is right now, then rests. */
  async piece<T>(work: (size: number) => Promise<T>): Promise<T> {
    this.#signal.throwIfAborted();
    const before = performance.now();
    const done = await work(this.#size);
    const tookMs = performance.now() - before;
    this.#learn(tookMs);
    const restMs = Math.min(REST_MAX_MS, Math.max(REST_MIN_MS, tookMs * REST));
    await delay(restMs, undefined, { signal: this.#signal });
    return done;
  }

  #learn(tookMs: number): void {
    const { least, most } = this.#limits;
    if (tookMs > AIM_MS) this.#size = Math.max(least, Math.floor(this.#size / 2));
    else if (tookMs < AIM_MS / 2) this.#size = Math.min(most, Math.ceil(this.#size * 1.25));
  }
}
