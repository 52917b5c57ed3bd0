/** So long a process may be busy with something else from one tick to the next, and time goes on. */
const GAP_MS_MAX = 250;

/**
 * Time in which this process was there to listen.
 *
 * One that stood still (it computed, its container was throttled, its machine slept) has what was said meanwhile in its sockets, and
 * timers come before those: by another clock all workers were silent, and their calls lost.
 */
export class AwakeClock {
  readonly #real: () => number;
  #tickedAt: number;
  #awakeMs = 0;

  constructor(real: () => number) {
    this.#real = real;
    this.#tickedAt = real();
  }

  now(): number {
    return this.#awakeMs + Math.min(this.#real() - this.#tickedAt, GAP_MS_MAX);
  }

  tick(): void {
    this.#awakeMs = this.now();
    this.#tickedAt = this.#real();
  }
}
