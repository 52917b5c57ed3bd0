import { onAbort } from "./abort.ts";
import type { CairnError } from "./cairn-error.ts";
import { startTimer } from "./timer.ts";

/** How requests are made again that had no answer, or one that says "later". */
export interface RetryPolicy {
  /** So long without an answer, then it is an error: 30 s. 0: nothing is made again. */
  readonly forMs?: number;
  /** Before the second try; it doubles from there, with chance: 100 ms. */
  readonly baseMs?: number;
  /** At most: 5 s. */
  readonly capMs?: number;
}

/** Why a request had no success, and whether it can have one. */
export class Failure {
  readonly error: CairnError;
  /** `never`; `always`: nothing was carried out; `repeatable`: nobody knows, so only what may be carried out twice. */
  readonly again: "never" | "always" | "repeatable";
  /** Not before. */
  readonly afterMs: number;

  constructor(error: CairnError, again: Failure["again"] = "never", afterMs = 0) {
    this.error = error;
    this.again = again;
    this.afterMs = afterMs;
  }

  /** The same, to be tried later. */
  after(ms: number): Failure {
    return new Failure(this.error, this.again, Math.max(this.afterMs, ms));
  }
}

/** Waits between tries, until it is too long since anyone has answered. */
export class Patience {
  readonly #policy: Required<RetryPolicy>;
  readonly #places: number;
  #since: number | null = null;
  #tries = 0;

  /** With several places to ask, the others are asked before there is a pause. */
  constructor({ forMs = 30_000, baseMs = 100, capMs = 5_000 }: RetryPolicy, places: number) {
    this.#policy = { forMs, baseMs, capMs };
    this.#places = places;
  }

  /** Someone is there: time begins anew. Pauses grow on, until there was a success. */
  answered(): void {
    this.#since = null;
  }

  reset(): void {
    this.#since = null;
    this.#tries = 0;
  }

  /** Resolves when it is time for the next try; rejects with the failure's error if there is none. */
  async wait({ error, afterMs }: Failure, signal: AbortSignal | undefined): Promise<void> {
    this.#since ??= performance.now();
    this.#tries += 1;
    const pauseMs = Math.max(afterMs, this.#pauseMs());
    if (performance.now() - this.#since + pauseMs > this.#policy.forMs) throw error;
    await pause(pauseMs, signal);
  }

  /** Half of it is chance: clients that were cut off together do not come back together. */
  #pauseMs(): number {
    if (this.#tries % this.#places !== 0) return 0;
    const { baseMs, capMs } = this.#policy;
    const raw = Math.min(capMs, baseMs * 2 ** Math.min(30, this.#tries / this.#places - 1));
    return raw / 2 + Math.random() * (raw / 2);
  }
}

/** Rejects with the signal's reason when that is aborted. */
async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const end = (done: () => void): void => {
      stopTimer();
      leave?.();
      done();
    };
    const abort = (): void => end(() => reject(signal!.reason as Error));
    const stopTimer = startTimer(ms, () => end(resolve));
    const leave = signal === undefined ? undefined : onAbort(signal, abort);
  });
}
