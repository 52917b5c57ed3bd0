/**
 * The database's time without asking for it each time: every answer that carries it sets the clock. It may be set
 * back; within a run time never decreases, since its machine keeps the latest it has seen.
 */
export class DatabaseClock {
  readonly #local: () => number;
  #offsetMs = 0;

  /** `local` counts milliseconds steadily. */
  constructor(local: () => number) {
    this.#local = local;
  }

  observe(databaseMs: number): void {
    this.#offsetMs = databaseMs - this.#local();
  }

  now(): number {
    return Math.floor(this.#local() + this.#offsetMs);
  }
}
