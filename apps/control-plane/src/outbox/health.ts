import { notTaken, type SinkOutcome } from "./event-sink.ts";

/** So many runs whose events were not taken, and none that was in between: then it is not the events. */
const FAILED_RUNS_MAX = 5;
/** A subscriber that takes longer for one event is slow. */
const SLOW_MS = 500;
/**
 * So is one that takes longer for those that are offered to all at one time. (With half a second, one that was well was taken for
 * slow by a busy process.)
 */
export const PATIENCE_MS = 2_000;
/** For how long one that was slow is not waited for by others. */
const SLOW_FOR_MS = 10_000;
/** It is looked at least so often whether it is back. */
const PAUSE_MAX_MS = 60_000;
/** Runs that are remembered; of more, all are forgotten. */
const SUSPECTS_MAX = 1_000;

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
  /** In this outage it may have been events of these runs that took the subscriber down. */
  readonly #blamed = new Set<string>();
  /** In earlier ones it may have been these, and the subscriber was well without them. */
  readonly #suspects = new Set<string>();
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

  /** Returns what it counts as: one that is away whenever it is sent this event, and only then, refuses the event. */
  record(outcome: SinkOutcome, runId: string, tookMs: number): SinkOutcome {
    if (tookMs > SLOW_MS) this.keepsWaiting();
    if (outcome.taken) this.#well(runId);
    else if (outcome.why !== "held back") return this.#failed(outcome, runId);
    return outcome;
  }

  #failed(outcome: Exclude<SinkOutcome, { taken: true }>, runId: string): SinkOutcome {
    const { why, error, mayBeEvent = false } = outcome;
    const isWell = this.#pauses === 0;
    const isRefused = why === "refused" || (mayBeEvent && isWell && this.#suspects.has(runId));
    if (mayBeEvent) this.#blamed.add(runId);
    this.#failedRuns.add(runId);
    if (!isRefused || this.#failedRuns.size >= FAILED_RUNS_MAX || !isWell) {
      if (this.error === null) this.#options.failed(error);
      this.error = error;
      this.#pause();
    }
    return isRefused ? notTaken("refused", error) : outcome;
  }

  /** Others had to wait for it. */
  keepsWaiting(): void {
    this.#slowUntil = this.#options.now() + SLOW_FOR_MS;
  }

  #well(runId: string): void {
    if (this.#suspects.size + this.#blamed.size > SUSPECTS_MAX) this.#suspects.clear();
    for (const blamed of this.#blamed) this.#suspects.add(blamed);
    this.#suspects.delete(runId);
    this.#blamed.clear();
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
