import { Counts } from "../counts.ts";
import { PACE } from "../http/guard/pace.ts";
import { type Place, Places } from "../places.ts";
import type { Holder } from "../shares.ts";

/** Of requests that are on their way or being answered, each of 4 MB at most: of all, and of one caller. Others wait. */
const INSIDE_OF_ALL = 128;
const INSIDE_OF_CALLER = 32;
/** In which a request must have arrived: 4 MB at 140 KB/s. */
const ARRIVAL_MS_MAX = 30_000;
/** While it keeps others waiting, it has so long; and from then on, it must have come at the pace of all that is large. */
const FREE_MS = 2_000;
const LOOK_MS = 500;

/** The connection that a request comes by. */
export interface Line {
  readonly peer: string;
  /** All that has come by it. */
  readonly bytesRead: () => number;
}

export interface Arrival {
  /** Resolves when it may be read; never, if it has gone. */
  readonly entered: Promise<void>;
  /** Its request is there. */
  readonly arrived: () => void;
  /** Gives the place back, or the turn. */
  readonly leave: () => void;
}

/**
 * Requests of one message, of those who are known. How large one is, nobody knows before it is there: so they are counted.
 *
 * Owns who is read from. I1: nothing of those who wait is read; that of one that waits which HTTP/2 sends unasked is 64 KB. I2: whoever is kept
 * out by others waits for requests that come, not for such as do not.
 */
export class Arrivals {
  readonly #places = new Places({
    all: INSIDE_OF_ALL,
    ofCaller: INSIDE_OF_CALLER,
    tooMany: "Too many requests of the same caller are on their way",
  });
  /** By the peer: they share what comes. */
  readonly #arriving = new Counts();
  readonly #freeMs: number;

  constructor(freeMs = FREE_MS) {
    this.#freeMs = freeMs;
  }

  /** `tooLate` is to end it, and its connection. Throws `Refused` if too many of his wait. */
  expect(who: Holder, line: Line, tooLate: () => void): Arrival {
    const place = this.#places.wait(who);
    let stopWatching = (): void => {};
    let isOver = false;
    const arrived = (): void => {
      isOver = true;
      stopWatching();
    };
    const enter = async (): Promise<void> => {
      await place.entered;
      if (!isOver) stopWatching = this.#watch(place, line, tooLate);
    };
    return {
      entered: enter(),
      arrived,
      leave: () => {
        arrived();
        place.leave();
      },
    };
  }

  #watch(place: Place, { peer, bytesRead }: Line, tooLate: () => void): () => void {
    const begunAt = performance.now();
    const bytesBefore = bytesRead();
    const isTooLate = (): boolean => {
      const afterMs = performance.now() - begunAt;
      const lateMs = afterMs - this.#freeMs;
      const own = (bytesRead() - bytesBefore) / this.#arriving.of(peer);
      const isSlow = lateMs >= 0 && own <= (lateMs / 1_000) * PACE.bytesPerSecond;
      return afterMs >= ARRIVAL_MS_MAX || (isSlow && place.isInTheWay());
    };
    this.#arriving.add(peer, 1);
    const check = (): void => {
      if (!isTooLate()) return;
      clearInterval(look);
      tooLate();
    };
    const look = setInterval(check, Math.min(LOOK_MS, this.#freeMs));
    let isOver = false;
    return () => {
      clearInterval(look);
      if (!isOver) this.#arriving.add(peer, -1);
      isOver = true;
    };
  }
}
