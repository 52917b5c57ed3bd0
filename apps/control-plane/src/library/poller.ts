/** After something has happened; then twice as long each time, as long as nothing does. */
const PAUSE_MIN_MS = 5;
const PAUSE_MAX_MS = 100;
/** While the database cannot be asked. */
const PAUSE_FAILED_MS = 1_000;
/** A look that takes long is followed by a longer pause: at most a fifth of the time is spent looking. */
const PAUSE_PER_LOOK = 4;

/** Looks again and again, as often as there is reason to: where nobody tells one, and only then. */
export class Poller {
  readonly #look: () => Promise<boolean>;
  #timer: NodeJS.Timeout | null = null;
  #pauseMs = PAUSE_MIN_MS;
  #wanted = false;
  #looking = false;
  #hurried = false;

  /** `look` says whether there was something new. */
  constructor(look: () => Promise<boolean>) {
    this.#look = look;
  }

  start(): void {
    if (this.#wanted) return;
    this.#wanted = true;
    this.hurry();
  }

  stop(): void {
    this.#wanted = false;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** Something has happened here: more is likely to follow. */
  hurry(): void {
    this.#hurried = true;
    if (!this.#wanted || this.#looking) return;
    if (this.#timer === null || this.#pauseMs > PAUSE_MIN_MS) this.#sleep(PAUSE_MIN_MS);
  }

  #sleep(ms: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#pauseMs = ms;
    this.#timer = setTimeout(() => void this.#turn(), ms);
  }

  async #turn(): Promise<void> {
    this.#timer = null;
    this.#looking = true;
    this.#hurried = false;
    const before = performance.now();
    const found = await this.#look().catch(() => null);
    this.#looking = false;
    if (!this.#wanted) return;
    const lookMs = performance.now() - before;
    if (found === null) return this.#sleep(PAUSE_FAILED_MS);
    const pauseMs = found || this.#hurried ? PAUSE_MIN_MS : Math.min(PAUSE_MAX_MS, this.#pauseMs * 2);
    this.#sleep(Math.max(pauseMs, lookMs * PAUSE_PER_LOOK));
  }
}
