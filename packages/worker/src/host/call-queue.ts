/** One in so many is taken by age alone: nothing waits for ever behind higher priorities. */
const BY_AGE_EVERY = 10;

interface Entry<T> {
  readonly item: T;
  taken: boolean;
}

/** Entries that were passed are thrown away when there are so many, and as many as are left. */
const PASSED_MAX = 1_000;

/** First in, first out, over entries that another lane may have taken. */
class Lane<T> {
  #entries: Entry<T>[] = [];
  #head = 0;

  add(entry: Entry<T>): void {
    this.#entries.push(entry);
  }

  get length(): number {
    return this.#entries.length;
  }

  take(): Entry<T> | undefined {
    if (this.#head >= PASSED_MAX && this.#head * 2 >= this.#entries.length) {
      this.#entries = this.#entries.slice(this.#head);
      this.#head = 0;
    }
    for (;;) {
      const entry = this.#entries[this.#head];
      if (entry === undefined) {
        this.#entries = [];
        this.#head = 0;
        return undefined;
      }
      this.#head += 1;
      if (!entry.taken) return entry;
    }
  }
}

/** What waits: highest priority first, then oldest first. */
export class CallQueue<T> {
  readonly #lanes = new Map<number, Lane<T>>();
  #priorities: number[] = [];
  readonly #byAge = new Lane<T>();
  #takes = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** What it holds in memory, at most a few times what waits. */
  get kept(): number {
    let kept = this.#byAge.length;
    for (const lane of this.#lanes.values()) kept += lane.length;
    return kept;
  }

  add(item: T, priority: number): void {
    const entry = { item, taken: false };
    let lane = this.#lanes.get(priority);
    if (lane === undefined) {
      lane = new Lane();
      this.#lanes.set(priority, lane);
      this.#priorities = [...this.#lanes.keys()].sort((a, b) => b - a);
    }
    lane.add(entry);
    this.#byAge.add(entry);
    this.#size += 1;
  }

  take(): T | undefined {
    this.#takes += 1;
    const entry = this.#takes % BY_AGE_EVERY === 0 ? this.#byAge.take() : this.#foremost();
    if (entry === undefined) return undefined;
    entry.taken = true;
    this.#size -= 1;
    if (this.#size === 0) this.#byAge.take();
    return entry.item;
  }

  #foremost(): Entry<T> | undefined {
    for (const priority of this.#priorities) {
      const entry = this.#lanes.get(priority)!.take();
      if (entry !== undefined) return entry;
    }
    return undefined;
  }
}
