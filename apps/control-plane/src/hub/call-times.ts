/** Of so many calls it is remembered how long they took, for so long. */
const KEPT = 1_000;
const KEPT_MS = 300_000;

/** How calls of a worker go, for people. */
export interface CallRates {
  /** Calls that have ended since it is there. */
  readonly completed: number;
  /** Since it was last asked. */
  readonly actionsPerSecond: number;
  /** Null: none has ended for a while. */
  readonly latencyP50Ms: number | null;
  readonly latencyP95Ms: number | null;
  readonly latencyP99Ms: number | null;
}

/**
 * Owns: how long the last 1,000 calls took, those of the last five minutes alone. Of these, percentiles are exact (by nearest rank):
 * sorting them once a heartbeat costs less than 0.1 ms. A sketch over all calls would have an error instead, and 16 KB are no concern.
 */
export class CallTimes {
  readonly #took = new Float64Array(KEPT);
  readonly #endedAt = new Float64Array(KEPT).fill(Number.NEGATIVE_INFINITY);
  #completed = 0;
  /** When it was last asked, by a steady clock, and what had ended then. */
  #askedAt: number;
  #asked = 0;

  constructor(now: number) {
    this.#askedAt = now;
  }

  add(durationMs: number, now: number): void {
    const place = this.#completed % KEPT;
    this.#took[place] = durationMs;
    this.#endedAt[place] = now;
    this.#completed += 1;
  }

  rates(now: number): CallRates {
    const seconds = Math.max(0.001, (now - this.#askedAt) / 1_000);
    const actionsPerSecond = (this.#completed - this.#asked) / seconds;
    this.#askedAt = now;
    this.#asked = this.#completed;
    const took = this.#took.filter((_, place) => this.#endedAt[place]! > now - KEPT_MS).sort();
    const percentile = (part: number): number | null => took[Math.ceil(took.length * part) - 1] ?? null;
    return {
      completed: this.#completed,
      actionsPerSecond,
      latencyP50Ms: percentile(0.5),
      latencyP95Ms: percentile(0.95),
      latencyP99Ms: percentile(0.99),
    };
  }
}
