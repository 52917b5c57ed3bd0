/** A run that was claimed so long ago has made its call, or has none to make. */
const TAKEN_FOR_MS = 5_000;

/** What was said of the room that some jobs share. */
export interface SaidRoom {
  readonly whose: string;
  readonly count: number;
  /** Another one each time that it is said. */
  readonly turn: number;
}

interface Taken {
  /** That were claimed, and whose calls are yet to come: the oldest first. */
  readonly coming: { count: number; readonly until: number }[];
  /** Whose calls were sent since the room was said. */
  sent: number;
  turn: number;
}

/**
 * Owns: how much was claimed of the room that whoever runs calls has said. What was claimed counts until its call is sent, whatever
 * is said meanwhile, and from then on until the room is said anew, which counts that call: without it the same room would be claimed
 * again. Some that are claimed have no call to make, those that were cancelled for example: these give it back. Whatever else may
 * become of one is forgotten after a while.
 */
export class TakenRoom {
  readonly #now: () => number;
  readonly #taken = new Map<string, Taken>();

  constructor(now: () => number) {
    this.#now = now;
  }

  left(said: SaidRoom): number {
    const { coming, sent } = this.#takenOf(said);
    return coming.reduce((left, { count }) => left - count, said.count - sent);
  }

  take(said: SaidRoom, count: number): void {
    this.#takenOf(said).coming.push({ count, until: this.#now() + TAKEN_FOR_MS });
  }

  /** The call of one is sent. */
  send(said: SaidRoom): void {
    this.giveBack(said);
    this.#takenOf(said).sent += 1;
  }

  giveBack(said: SaidRoom): void {
    const { coming } = this.#takenOf(said);
    const [oldest] = coming;
    if (oldest !== undefined && --oldest.count === 0) coming.shift();
  }

  #takenOf({ whose, turn }: SaidRoom): Taken {
    let taken = this.#taken.get(whose);
    if (taken === undefined) {
      taken = { coming: [], sent: 0, turn };
      this.#taken.set(whose, taken);
    }
    if (taken.turn !== turn) taken.sent = 0;
    taken.turn = turn;
    while (taken.coming.length > 0 && this.#now() >= taken.coming[0]!.until) taken.coming.shift();
    return taken;
  }
}
