import { Counts } from "../counts.ts";

/** Who has room, and may want more. */
export interface Guest {
  /** False: there was none for so long. */
  readonly take: (bytes: number) => Promise<boolean>;
  /** Gives back all that was taken. */
  readonly leave: () => void;
}

/** What a guest has. */
interface Place {
  readonly tenant: string;
  bytes: number;
}

/** What waits for room. */
interface Waiting {
  readonly place: Place;
  readonly bytes: number;
  readonly end: (isIn: boolean) => void;
}

/**
 * Owns: how many bytes of large requests are held at one time, of all and of one tenant (the callers of a namespace), who has half at most.
 * Others wait, for a while, in the order they came, but not behind one whose tenant has his share. Who has come first of those that are there
 * gets whatever he wants, so that they never wait for each other: a request takes room as its bytes arrive. What he has beyond the share of
 * his tenant is not taken from the others.
 */
export class ByteRoom {
  readonly #bytesMax: number;
  readonly #waitMs: number;
  readonly #taken = new Counts();
  /** In the order they came. */
  readonly #places = new Set<Place>();
  #waiting: Waiting[] = [];

  constructor(bytesMax: number, waitMs: number) {
    this.#bytesMax = bytesMax;
    this.#waitMs = waitMs;
  }

  open(tenant: string): Guest {
    const place = { tenant, bytes: 0 };
    this.#places.add(place);
    return { take: (bytes) => this.#take(place, bytes), leave: () => this.#leave(place) };
  }

  /** Resolves at once if there is room. */
  #take(place: Place, bytes: number): Promise<boolean> {
    return new Promise((resolve) => {
      // Who has left has no place to hold it in.
      if (!this.#places.has(place)) return resolve(false);
      let timer: NodeJS.Timeout | null = null;
      let isOver = false;
      const end = (isIn: boolean): void => {
        isOver = true;
        if (timer !== null) clearTimeout(timer);
        resolve(isIn);
      };
      const waiting = { place, bytes, end };
      this.#waiting.push(waiting);
      this.#admit();
      if (!isOver) timer = setTimeout(() => this.#sendAway((each) => each === waiting), this.#waitMs);
    });
  }

  #leave(place: Place): void {
    if (!this.#places.delete(place)) return;
    this.#taken.add(place.tenant, -place.bytes);
    this.#sendAway((each) => each.place === place);
  }

  #sendAway(which: (waiting: Waiting) => boolean): void {
    const away = this.#waiting.filter(which);
    this.#waiting = this.#waiting.filter((each) => !which(each));
    for (const { end } of away) end(false);
    this.#admit();
  }

  #admit(): void {
    const [first] = this.#places;
    const left: Waiting[] = [];
    for (const waiting of this.#waiting) {
      const { place, bytes, end } = waiting;
      const isBehind = left.some((each) => each.place.tenant === place.tenant || this.#fitsShare(each));
      if (place === first || (!isBehind && this.#fitsShare(waiting) && this.#fitsRoom(waiting))) {
        place.bytes += bytes;
        this.#taken.add(place.tenant, bytes);
        end(true);
      } else {
        left.push(waiting);
      }
    }
    this.#waiting = left;
  }

  #fitsShare({ place, bytes }: Waiting): boolean {
    return this.#taken.of(place.tenant) + bytes <= this.#share;
  }

  #fitsRoom({ bytes }: Waiting): boolean {
    const [first] = this.#places;
    // Only the tenant of the first one may have more than his share.
    const beyond = first === undefined ? 0 : Math.max(0, this.#taken.of(first.tenant) - this.#share);
    return this.#taken.all - beyond + bytes <= this.#bytesMax;
  }

  get #share(): number {
    return this.#bytesMax / 2;
  }
}
