/** Something that is due at a time. */
export interface Timer {
  cancel(): void;
}

interface Entry {
  readonly dueAt: number;
  readonly order: number;
  /** Null: cancelled. A deadline may be weeks off, and what it would have rung for holds a whole run. */
  ring: (() => void) | null;
}

/** Below this, cancelled ones stay until they come to the top. */
const SWEPT_MIN = 1_000;

/** A binary heap by due time; of equal ones, whichever was set first rings first. */
export class Timers {
  #heap: Entry[] = [];
  #order = 0;
  #cancelled = 0;

  get size(): number {
    return this.#heap.length;
  }

  set(dueAt: number, ring: () => void): Timer {
    const entry: Entry = { dueAt, ring, order: this.#order++ };
    this.#heap.push(entry);
    this.#up(this.#heap.length - 1);
    return { cancel: () => this.#cancel(entry) };
  }

  /** When most are cancelled, they are swept out: each set and cancel pays for a little of it. */
  #cancel(entry: Entry): void {
    if (entry.ring === null) return;
    entry.ring = null;
    this.#cancelled += 1;
    if (this.#cancelled < SWEPT_MIN || this.#cancelled * 2 < this.#heap.length) return;
    this.#heap = this.#heap.filter(({ ring }) => ring !== null).sort((a, b) => a.dueAt - b.dueAt || a.order - b.order);
    this.#cancelled = 0;
  }

  /** Rings all that are due; returns when the next one is, or null. */
  ringDue(now: number): number | null {
    for (;;) {
      const first = this.#heap[0];
      if (first === undefined) return null;
      const { ring, dueAt } = first;
      if (ring !== null && dueAt > now) return dueAt;
      this.#removeFirst();
      // Rung, it cannot be cancelled any more.
      first.ring = null;
      if (ring === null) this.#cancelled -= 1;
      else ring();
    }
  }

  clear(): void {
    this.#heap = [];
    this.#cancelled = 0;
  }

  #removeFirst(): void {
    const last = this.#heap.pop()!;
    if (this.#heap.length === 0) return;
    this.#heap[0] = last;
    this.#down(0);
  }

  #before(a: number, b: number): boolean {
    const left = this.#heap[a]!;
    const right = this.#heap[b]!;
    return left.dueAt === right.dueAt ? left.order < right.order : left.dueAt < right.dueAt;
  }

  #swap(a: number, b: number): void {
    const kept = this.#heap[a]!;
    this.#heap[a] = this.#heap[b]!;
    this.#heap[b] = kept;
  }

  #up(from: number): void {
    for (let at = from; at > 0;) {
      const parent = (at - 1) >> 1;
      if (!this.#before(at, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #down(from: number): void {
    for (let at = from; ;) {
      const left = 2 * at + 1;
      if (left >= this.#heap.length) return;
      const right = left + 1;
      const least = right < this.#heap.length && this.#before(right, left) ? right : left;
      if (!this.#before(least, at)) return;
      this.#swap(least, at);
      at = least;
    }
  }
}
