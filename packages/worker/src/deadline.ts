/** What timers of Node.js can count: 24.8 days. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** A point in time that something is waited for until, at the latest; without one, for ever. */
export class Deadline {
  #timer: NodeJS.Timeout | undefined;
  #pass!: () => void;
  readonly #passed = new Promise<void>((resolve) => {
    this.#pass = resolve;
  });

  set(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#pass, Math.min(ms, TIMER_MS_MAX));
  }

  clear(): void {
    clearTimeout(this.#timer);
  }

  async orWhen(done: Promise<void>): Promise<void> {
    await Promise.race([done, this.#passed]);
  }
}
