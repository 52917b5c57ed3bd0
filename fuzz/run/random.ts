/** A small seeded generator (xorshift128): schedules and bodies must be the same on every machine. */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  constructor(seed: number) {
    this.#a = seed | 0;
    this.#b = Math.imul(seed, 0x9e3779b1) ^ 0x6c078965;
    this.#c = 0x2545f491;
    this.#d = 0x7f4a7c15;
    for (let round = 0; round < 12; round++) this.next();
  }

  /** 32 random bits as a whole number of 0 or more. */
  next(): number {
    let t = this.#d;
    const s = this.#a;
    this.#d = this.#c;
    this.#c = this.#b;
    this.#b = s;
    t ^= t << 11;
    t ^= t >>> 8;
    this.#a = t ^ s ^ (s >>> 19);
    return this.#a >>> 0;
  }

  /** A whole number of 0 or more below the limit. */
  below(limit: number): number {
    return limit <= 1 ? 0 : this.next() % limit;
  }

  chance(probability: number): boolean {
    return this.next() / 0x1_0000_0000 < probability;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  /** In random order. */
  shuffle<T>(items: readonly T[]): T[] {
    const left = [...items];
    const shuffled: T[] = [];
    while (left.length > 0) shuffled.push(...left.splice(this.below(left.length), 1));
    return shuffled;
  }
}
