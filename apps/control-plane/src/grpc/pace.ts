import { PACE } from "../http/guard/pace.ts";

/** In which something must have moved; and, where it matters, so much of it in each of them. */
export const WINDOW_MS = PACE.graceMs;

/** How fast a large value comes, or goes. What moved fast before buys no time: it counts by windows. */
export class Pace {
  readonly windowMs: number;
  #movedAt = performance.now();
  #windowAt = this.#movedAt;
  #bytes = 0;
  #isSlow = false;

  constructor(windowMs: number) {
    this.windowMs = windowMs;
  }

  moved(bytes: number): void {
    this.#movedAt = performance.now();
    this.#bytes += bytes;
  }

  /** Nothing has moved for so long. */
  get isSilent(): boolean {
    return performance.now() - this.#movedAt >= this.windowMs;
  }

  /** Less than 64 KB/s, in the last window. */
  get isSlow(): boolean {
    const at = performance.now();
    const afterMs = at - this.#windowAt;
    if (afterMs >= this.windowMs) {
      this.#isSlow = this.#bytes < (afterMs / 1_000) * PACE.bytesPerSecond;
      this.#windowAt = at;
      this.#bytes = 0;
    }
    return this.#isSlow;
  }

  /** Looks at it ten times a window. Returns what ends that. */
  watch(look: () => void): () => void {
    const timer = setInterval(look, this.windowMs / 10);
    return () => clearInterval(timer);
  }
}
