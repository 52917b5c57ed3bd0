import type { Turn } from "../store/load-checkpoint.ts";

interface Span {
  readonly first: number;
  readonly last: number;
}

/**
 * The inputs that a state comes from. Numbers never go back, so those that a rollback has superseded lie between: the
 * state after the rollback with number r to n comes from r, and from what the state after n comes from.
 */
export class Lineage {
  readonly #spans: readonly Span[];

  constructor(rollbacks: readonly Turn[], number: number) {
    const spans: Span[] = [];
    for (let last = number, left = rollbacks.length; last > 0;) {
      while (left > 0 && rollbacks[left - 1]!.number > last) left -= 1;
      const turn = rollbacks[left - 1];
      spans.push({ first: turn?.number ?? 1, last });
      last = turn?.to ?? 0;
    }
    this.#spans = spans;
  }

  has(number: number): boolean {
    return this.#spans.some(({ first, last }) => first <= number && number <= last);
  }
}
