import { onAbort } from "./abort.ts";

/** What the control plane waits at most before it says that a run has not ended. */
export const WAIT_MS_MAX = 30_000;
/** When half of the turns are taken: whoever comes then has one soon. */
const BUSY_WAIT_MS = 2_000;
const CROWDED_WAIT_MS = 200;

/** Those who wait for results: as many at one time as there are turns, one after the other. */
export class Turns {
  readonly #all: number;
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(all: number) {
    this.#all = all;
    this.#free = all;
  }

  get isFree(): boolean {
    return this.#free > 0;
  }

  /** The work is told how long its turn may take. Rejects with the signal's reason, also while it waits. */
  async take<T>(signal: AbortSignal | undefined, work: (waitMs: number) => Promise<T>): Promise<T> {
    signal?.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn(signal);
    try {
      return await work(this.#waitMs());
    } finally {
      this.#pass();
    }
  }

  #waitMs(): number {
    if (this.#waiting.size > 0) return CROWDED_WAIT_MS;
    return this.#free < this.#all / 2 ? BUSY_WAIT_MS : WAIT_MS_MAX;
  }

  #turn(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        stop?.();
        resolve();
      };
      const leave = (): void => {
        stop?.();
        this.#waiting.delete(begin);
        reject(signal!.reason as Error);
      };
      this.#waiting.add(begin);
      const stop = signal === undefined ? undefined : onAbort(signal, leave);
    });
  }

  #pass(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
