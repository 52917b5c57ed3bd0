import type { SinkOutcome } from "./event-sink.ts";

/** So many runs whose events were not taken, and none that was in between: then it is not the events. */
const FAILED_RUNS_MAX = 5;
/** A subscriber that takes longer for one event is slow. */
const SLOW_MS = 500;
/** For how long one that was slow is not waited for by others. */
const SLOW_FOR_MS = 10_000;
/** It is looked at least so often whether it is back. */
const PAUSE_MAX_MS = 60_000;

export interface HealthOptions {
  readonly now: () => number;
  readonly random: () => number;
  /** Before it is tried again; twice as long each time. */
  readonly pauseMs: number;
  /** At most. */
  readonly pauseMaxMs: number;
  /** An outage has begun: once for each. */
  readonly failed: (error: string) => void;
}

/**
 * Owns: how a subscriber is, as this process knows it. One that is down gets a pause, and then one event to be tried by: nobody else's
 * attempts are used up by that.
 */
export class Health {
  readonly #options: HealthOptions;
  readonly #failedRuns = new Set<string>();
  #pauses = 0;
  #pausedUntil = 0;
  #slowUntil = 0;
  #probing = false;
  /** Of the outage; null: it is well. */
  error: string | null = null;

  constructor(options: HealthOptions) {
    this.#options = options;
  }

  /** Whether new events are sent at once: else they wait, so that they hold up nobody. */
  get takesFresh(): boolean {
    return this.#pauses === 0 && this.#options.now() >= this.#slowUntil;
  }

  /** Whether more is sent of what was begun. */
  get goesOn(): boolean {
    return this.#pauses === 0 || this.#probing;
  }

  /** How much may be tried now: everything, one event, or nothing. Whoever is given one reports what came of it. */
  grant(all: number): number {
    if (this.#pauses === 0) return all;
    if (this.#probing || this.#options.now() < this.#pausedUntil) return 0;
    this.#probing = true;
    return 1;
  }

  /** What was granted was not used, or is over. */
  release(): void {
    this.#probing = false;
  }

  /** Until something may be tried again, if it must wait. */
  get waitMs(): number {
    return this.#pauses === 0 || this.#probing ? 0 : Math.max(0, this.#pausedUntil - this.#options.now());
  }

  record(outcome: SinkOutcome, runId: string, tookMs: number): void {
    if (tookMs > SLOW_MS) this.#slowUntil = this.#options.now() + SLOW_FOR_MS;
    if (outcome.taken) return this.#well();
    if (outcome.why === "held back") return;
    this.#failedRuns.add(runId);
    if (outcome.why === "refused" && this.#failedRuns.size < FAILED_RUNS_MAX && this.#pauses === 0) return;
    if (this.error === null) this.#options.failed(outcome.error);
    this.error = outcome.error;
    this.#pause();
  }

  #well(): void {
    this.#failedRuns.clear();
    this.#pauses = 0;
    this.#probing = false;
    this.error = null;
  }

  #pause(): void {
    const { random, pauseMs, pauseMaxMs } = this.#options;
    // Several that were under way together are one failure.
    if (this.#pauses > 0 && !this.#probing) return;
    this.#probing = false;
    const raw = Math.min(PAUSE_MAX_MS, pauseMaxMs, pauseMs * 2 ** Math.min(this.#pauses, 20));
    this.#pauses += 1;
    this.#pausedUntil = this.#options.now() + raw + random() * (raw / 2);
  }
}
