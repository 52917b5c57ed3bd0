/** One in so many is taken by age alone: nothing waits for ever behind higher priorities. */
const BY_AGE_EVERY = 10;

interface Entry<T> {
  readonly item: T;
  taken: boolean;
}

/** First in, first out, over entries that another lane may have taken. */
class Lane<T> {
  #entries: Entry<T>[] = [];
  #head = 0;

  add(entry: Entry<T>): void {
    this.#entries.push(entry);
  }

  take(): Entry<T> | undefined {
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
