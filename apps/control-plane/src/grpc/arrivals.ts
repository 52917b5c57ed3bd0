import { Refused } from "../hub/refused.ts";

/** Of requests that are on their way or being answered, each of 4 MB at most: of one who asks, and of all. Others wait. */
const INSIDE_OF_ONE = 32;
const INSIDE_OF_ALL = 128;
/** Of one who asks. Of one that waits, as much has come as HTTP/2 sends unasked: 64 KB. */
const WAITING_OF_ONE = 1_000;

export interface Place {
  /** Resolves when it may be read; never, if it has gone. */
  readonly entered: Promise<void>;
  /** Gives the place back, or the turn. */
  readonly leave: () => void;
}

interface Guest {
  enter: () => void;
  isInside: boolean;
  isGone: boolean;
}

interface Own {
  inside: number;
  waiting: Guest[];
}

/**
 * Requests of one message, of those who are known. How large one is, nobody knows before it is there: so they are counted.
 *
 * Owns who is read from, and who waits. I1: one who asks has so many places, whatever others do; what he has beyond them waits, and nothing of it
 * is read. I2: who has gone has no place.
 */
export class Arrivals {
  readonly #ofOne = new Map<string, Own>();
  #inside = 0;

  /** Throws `Refused` if too many of him wait. */
  wait(who: string): Place {
    const own = this.#ofOne.get(who) ?? { inside: 0, waiting: [] };
    if (own.waiting.length >= WAITING_OF_ONE) {
      throw new Refused("RateLimited", "Too many requests of the same caller are on their way");
    }
    this.#ofOne.set(who, own);
    const guest: Guest = { enter: () => {}, isInside: false, isGone: false };
    const entered = new Promise<void>((resolve) => (guest.enter = resolve));
    own.waiting.push(guest);
    this.#admit();
    return { entered, leave: () => this.#leave(who, own, guest) };
  }

  #leave(who: string, own: Own, guest: Guest): void {
    if (guest.isGone) return;
    guest.isGone = true;
    if (guest.isInside) {
      own.inside -= 1;
      this.#inside -= 1;
    } else {
      own.waiting = own.waiting.filter((each) => each !== guest);
    }
    if (own.inside === 0 && own.waiting.length === 0) this.#ofOne.delete(who);
    this.#admit();
  }

  #admit(): void {
    for (const own of this.#ofOne.values()) {
      while (own.waiting.length > 0 && own.inside < INSIDE_OF_ONE && this.#inside < INSIDE_OF_ALL) {
        const guest = own.waiting.shift()!;
        guest.isInside = true;
        own.inside += 1;
        this.#inside += 1;
        guest.enter();
      }
    }
  }
}
