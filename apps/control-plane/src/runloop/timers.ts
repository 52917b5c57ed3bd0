/** Something that is due at a time. Cancelled ones stay until they come to the top. */
export interface Timer {
  readonly dueAt: number;
  readonly ring: () => void;
  cancelled: boolean;
}

/** A binary heap by due time; of equal ones, whichever was set first rings first. */
export class Timers {
  readonly #heap: { readonly timer: Timer; readonly order: number }[] = [];
  #order = 0;

  set(dueAt: number, ring: () => void): Timer {
    const timer = { dueAt, ring, cancelled: false };
    this.#heap.push({ timer, order: this.#order++ });
    this.#up(this.#heap.length - 1);
    return timer;
  }

  /** Rings all that are due; returns when the next one is, or null. */
  ringDue(now: number): number | null {
    for (;;) {
      const first = this.#heap[0];
      if (first === undefined) return null;
      if (!first.timer.cancelled && first.timer.dueAt > now) return first.timer.dueAt;
      this.#removeFirst();
      if (!first.timer.cancelled) first.timer.ring();
    }
  }

  clear(): void {
    this.#heap.length = 0;
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
    return left.timer.dueAt === right.timer.dueAt ? left.order < right.order : left.timer.dueAt < right.timer.dueAt;
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
