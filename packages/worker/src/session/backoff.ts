const FIRST_MS = 50;
const LONGEST_MS = 2_000;

/** Waits before a control plane is tried again: about 50 ms at first, twice as long each time, up to 2 s. */
export class Backoff {
  readonly #random: () => number;
  #failures = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  nextMs(): number {
    const raw = Math.min(LONGEST_MS, FIRST_MS * 2 ** this.#failures);
    this.#failures += 1;
    // Workers that have lost the same control plane do not come back all at once.
    return Math.min(LONGEST_MS, Math.max(FIRST_MS, raw * (0.75 + this.#random() / 2)));
  }

  reset(): void {
    this.#failures = 0;
  }
}
