/** What was looked up a moment ago, whether it was found or not. */
interface Remembered<T> {
  readonly value: T | null;
  /** By the local clock. */
  readonly until: number;
}

export interface Found<T> {
  readonly value: T;
  /** How long that may be said, from when it was asked; null: as long as is usual. */
  readonly livesMs: number | null;
}

/**
 * Owns: answers of the database, for a moment, and the questions under way.
 *
 * Invariants:
 *   I1  Nothing is said longer than it lives: that is counted from before it was asked.
 *   I2  What was asked before `forget` is not remembered after it.
 *   I3  It has room for so many that were found, and as many that were not: whoever guesses drives out guesses alone.
 */
export class BriefMemory<T> {
  readonly #found = new Map<string, Remembered<T>>();
  readonly #missing = new Map<string, Remembered<T>>();
  readonly #asking = new Map<string, Promise<Remembered<T>>>();
  readonly #briefMs: number;
  readonly #most: number;
  readonly #now: () => number;
  #generation = 0;

  constructor(briefMs: number, most: number, now: () => number) {
    this.#briefMs = briefMs;
    this.#most = most;
    this.#now = now;
  }

  /** As it was a moment ago, or as `look` finds it. */
  async get(name: string, look: () => Promise<Found<T> | null>): Promise<T | null> {
    const began = this.#now();
    const known = this.#found.get(name) ?? this.#missing.get(name);
    if (known !== undefined && known.until > began) return known.value;
    const asked = this.#asking.get(name);
    if (asked === undefined) return (await this.#look(name, look)).value;
    // One that was asked long ago may be over, for who asks now.
    const answer = await asked;
    return answer.until > began ? answer.value : this.get(name, look);
  }

  /** What is so is looked up anew. */
  forget(isSo: (value: T) => boolean): void {
    this.#generation += 1;
    this.#asking.clear();
    for (const [name, { value }] of this.#found) if (value !== null && isSo(value)) this.#found.delete(name);
  }

  #look(name: string, look: () => Promise<Found<T> | null>): Promise<Remembered<T>> {
    const [generation, began] = [this.#generation, this.#now()];
    const asking = look().then((found) => {
      const until = began + Math.min(this.#briefMs, found?.livesMs ?? this.#briefMs);
      const answer = { value: found?.value ?? null, until };
      if (generation === this.#generation) this.#remember(name, answer);
      return answer;
    });
    this.#asking.set(name, asking);
    const ended = (): void => {
      if (this.#asking.get(name) === asking) this.#asking.delete(name);
    };
    asking.then(ended, ended);
    return asking;
  }

  #remember(name: string, answer: Remembered<T>): void {
    this.#found.delete(name);
    this.#missing.delete(name);
    const kept = answer.value === null ? this.#missing : this.#found;
    kept.set(name, answer);
    // The one that was put there first.
    if (kept.size > this.#most) kept.delete(kept.keys().next().value!);
  }
}
