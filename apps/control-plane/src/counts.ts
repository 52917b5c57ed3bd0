/** How much there is of what. What there is nothing of is forgotten, so it holds no more keys than are in use. */
export class Counts {
  readonly #counts = new Map<string, number>();
  #all = 0;

  /** Of all keys together. */
  get all(): number {
    return this.#all;
  }

  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  /** What goes away is less than 0. Returns how much there is of it now. */
  add(key: string, count: number): number {
    const own = this.of(key) + count;
    if (own === 0) this.#counts.delete(key);
    else this.#counts.set(key, own);
    this.#all += count;
    return own;
  }

  /** Of how many keys there is something. */
  get size(): number {
    return this.#counts.size;
  }
}
