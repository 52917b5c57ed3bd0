/** A look that takes long is followed by a longer pause: at most a fifth of the time is spent looking. */
export const PAUSE_PER_LOOK = 4;

export interface SharedLooksOptions<Waiting> {
  /** Those for whom it is worth looking now. */
  readonly waiting: () => readonly Waiting[];
  /** Never rejects. */
  readonly lookFor: (waiting: readonly Waiting[]) => Promise<void>;
  /** Between two looks, however much happens, at least. */
  readonly pauseMs: number;
}

/** Looks for all who wait together, one look at a time, as long as there are any. */
export class SharedLooks<Waiting> {
  readonly #options: SharedLooksOptions<Waiting>;
  #looking = false;

  constructor(options: SharedLooksOptions<Waiting>) {
    this.#options = options;
  }

  /** Someone has begun to wait, or there may be something for one who does. */
  wake(): void {
    if (!this.#looking) void this.#turn();
  }

  async #turn(): Promise<void> {
    const { waiting, lookFor, pauseMs } = this.#options;
    this.#looking = true;
    for (;;) {
      // All who begin to wait in this turn of the event loop are looked for at once.
      await new Promise((resolve) => setImmediate(resolve));
      const all = waiting();
      if (all.length === 0) break;
      const before = performance.now();
      await lookFor(all);
      const lookMs = performance.now() - before;
      await new Promise((resolve) => setTimeout(resolve, Math.max(pauseMs, lookMs * PAUSE_PER_LOOK)));
    }
    this.#looking = false;
  }
}
