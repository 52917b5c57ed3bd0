/** A run that was claimed so long ago has made its call, which is part of what is said since, or has none to make. */
const TAKEN_FOR_MS = 5_000;

/** What was said of the room that some jobs share. */
export interface SaidRoom {
  readonly whose: string;
  readonly count: number;
  /** Another one each time that it is said. */
  readonly turn: number;
}

interface Taken {
  readonly turn: number;
  readonly count: number;
  readonly until: number;
}

/**
 * Owns: how much was claimed of the room that whoever runs calls has said, until that is said anew. Calls come there after their
 * commit: without it the same room would be claimed again. Some that are claimed have no call to make, those that were cancelled
 * for example, and nothing is said anew because of them: these give it back. Whatever else may become of one is forgotten after a while.
 */
export class TakenRoom {
  readonly #now: () => number;
  readonly #taken = new Map<string, Taken>();

  constructor(now: () => number) {
    this.#now = now;
  }

  left(said: SaidRoom): number {
    return said.count - this.#takenOf(said);
  }

  take(said: SaidRoom, count: number): void {
    const taken = this.#takenOf(said) + count;
    this.#taken.set(said.whose, { turn: said.turn, count: taken, until: this.#now() + TAKEN_FOR_MS });
  }

  giveBack(said: SaidRoom, count: number): void {
    const taken = this.#taken.get(said.whose);
    if (taken !== undefined) this.#taken.set(said.whose, { ...taken, count: Math.max(0, taken.count - count) });
  }

  #takenOf({ whose, turn }: SaidRoom): number {
    const taken = this.#taken.get(whose);
    if (taken === undefined) return 0;
    if (taken.turn === turn && this.#now() < taken.until) return taken.count;
    this.#taken.delete(whose);
    return 0;
  }
}
