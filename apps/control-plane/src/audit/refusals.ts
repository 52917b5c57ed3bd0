const MINUTE_MS = 60_000;
const OF_ONE_MAX = 60;
/** Of all, however many they are. */
const OF_ALL_MAX = 1_000;

/** Owns: how often who was refused in this minute. So nobody fills the log with what he was not let do. */
export class Refusals {
  readonly #now: () => number;
  readonly #counts = new Map<string, number>();
  #began: number;
  #all = 0;

  constructor(now: () => number) {
    this.#now = now;
    this.#began = this.#now();
  }

  /** Whether another one is written down; `last`: the next ones of this minute are not. */
  count(who: string): "written" | "last" | "left out" {
    if (this.#now() - this.#began >= MINUTE_MS) {
      this.#counts.clear();
      [this.#began, this.#all] = [this.#now(), 0];
    }
    const count = (this.#counts.get(who) ?? 0) + 1;
    if (count > OF_ONE_MAX || this.#all >= OF_ALL_MAX) return "left out";
    this.#counts.set(who, count);
    this.#all++;
    return count === OF_ONE_MAX || this.#all === OF_ALL_MAX ? "last" : "written";
  }
}
