/** What waits for room. */
interface Waiting {
  readonly guest: Guest;
  readonly bytes: number;
  readonly enter: () => void;
}

/** Who has room, and may want more. */
export interface Guest {
  /** False: there was none for so long. */
  readonly take: (bytes: number) => Promise<boolean>;
  /** Gives back all that was taken. */
  readonly leave: () => void;
}

/**
 * Owns: how many bytes of large requests are held at one time. Others wait, for a while, in the order they came. Who has come first of
 * those that are there gets whatever he wants, so that they never wait for each other: a request takes room as its bytes arrive.
 */
export class ByteRoom {
  readonly #bytesMax: number;
  readonly #waitMs: number;
  #taken = 0;
  /** In the order they came. */
  readonly #guests = new Set<Guest>();
  #waiting: Waiting[] = [];

  constructor(bytesMax: number, waitMs: number) {
    this.#bytesMax = bytesMax;
    this.#waitMs = waitMs;
  }

  open(): Guest {
    let own = 0;
    const guest: Guest = {
      take: async (bytes) => {
        const isIn = this.#waiting.length === 0 || this.#isFirst(guest) ? this.#fits(guest, bytes) : false;
        if (!isIn && !(await this.#wait(guest, bytes))) return false;
        own += bytes;
        return true;
      },
      leave: () => {
        if (!this.#guests.delete(guest)) return;
        this.#taken -= own;
        this.#admit();
      },
    };
    this.#guests.add(guest);
    return guest;
  }

  /** Resolves to what gives the room back; null: there was none for so long. */
  async enter(bytes: number): Promise<(() => void) | null> {
    const guest = this.open();
    if (await guest.take(bytes)) return guest.leave;
    guest.leave();
    return null;
  }

  #isFirst(guest: Guest): boolean {
    const [first] = this.#guests;
    return first === guest;
  }

  #fits(guest: Guest, bytes: number): boolean {
    if (!this.#isFirst(guest) && this.#taken + bytes > this.#bytesMax) return false;
    this.#taken += bytes;
    return true;
  }

  #wait(guest: Guest, bytes: number): Promise<boolean> {
    return new Promise((resolve) => {
      const waiting = {
        guest,
        bytes,
        enter: () => {
          clearTimeout(timer);
          resolve(true);
        },
      };
      const timer = setTimeout(() => {
        this.#waiting = this.#waiting.filter((each) => each !== waiting);
        this.#admit();
        resolve(false);
      }, this.#waitMs);
      this.#waiting.push(waiting);
    });
  }

  #admit(): void {
    const waiting = this.#waiting;
    // Who is the first of all may wait behind others.
    const first = waiting.findIndex(({ guest }) => this.#isFirst(guest));
    if (first > 0) waiting.unshift(...waiting.splice(first, 1));
    while (waiting.length > 0 && this.#fits(waiting[0]!.guest, waiting[0]!.bytes)) waiting.shift()!.enter();
  }
}
