import { Counts } from "./counts.ts";
import { Refused } from "./hub/refused.ts";
import { type Holder, type ShareLimits, Shares, type UsedUp } from "./shares.ts";

interface PlacesOptions extends ShareLimits {
  /** Said to those of whom too many wait already. */
  readonly tooMany: string;
}

/** How many wait, of one caller and of one tenant. */
const WAITING_OF_CALLER = 1_000;
const WAITING_OF_TENANT = 4_000;

export interface Place {
  /** Resolves when it is his; never, if he has left before. */
  readonly entered: Promise<void>;
  /** Whether another caller would have a place if this one were given back. */
  readonly isInTheWay: () => boolean;
  /** Gives the place back, or the turn. */
  readonly leave: () => void;
}

interface Guest {
  readonly who: Holder;
  readonly size: number;
  enter: () => void;
  state: "waiting" | "inside" | "gone";
}

/**
 * What there is little of, such as memory, and who waits for it.
 *
 * Owns who has how much. I1: no tenant has more than his share, nor a caller more than his, whatever keys he has. I2: who waits comes in turns:
 * one of each tenant, then the next one of each; of a tenant, one of each caller. So however many of one wait, another comes after those of
 * others that are inside. I3: a large one is not overtaken for ever by small ones. I4: who has left has no place.
 */
export class Places {
  readonly #tooMany: string;
  readonly #shares: Shares;
  readonly #waitingOfTenants = new Counts();
  /** By tenant and caller, in the order of their turns. */
  readonly #waiting = new Map<string, Map<string, Set<Guest>>>();

  constructor({ tooMany, ...limits }: PlacesOptions) {
    this.#tooMany = tooMany;
    this.#shares = new Shares(limits);
  }

  /** Throws `Refused` if too many of his wait. */
  wait(who: Holder, size = 1): Place {
    const { caller, tenant } = who;
    const callers = this.#waiting.get(tenant) ?? new Map<string, Set<Guest>>();
    const guests = callers.get(caller) ?? new Set();
    if (guests.size >= WAITING_OF_CALLER || this.#waitingOfTenants.of(tenant) >= WAITING_OF_TENANT) {
      throw new Refused("RateLimited", this.#tooMany);
    }
    const guest: Guest = { who, size, enter: () => {}, state: "waiting" };
    const entered = new Promise<void>((resolve) => (guest.enter = resolve));
    this.#waiting.set(tenant, callers.set(caller, guests.add(guest)));
    this.#waitingOfTenants.add(tenant, 1);
    this.#admit();
    return { entered, isInTheWay: () => this.#isInTheWay(guest), leave: () => this.#leave(guest) };
  }

  /** Does something in a place. Rejects with the reason of `gone` if that comes before there is one. */
  async within<T>(who: Holder, size: number, gone: AbortSignal, work: (place: Place) => Promise<T>): Promise<T> {
    gone.throwIfAborted();
    const place = this.wait(who, size);
    try {
      await orGone(place.entered, gone);
      return await work(place);
    } finally {
      place.leave();
    }
  }

  #leave(guest: Guest): void {
    const { who, size, state } = guest;
    guest.state = "gone";
    if (state === "gone") return;
    if (state === "waiting") this.#waitNoMore(guest);
    else this.#shares.add(who, -size);
    this.#admit();
  }

  #admit(): void {
    for (let next = this.#next(); next !== null; next = this.#next()) {
      if (this.#usedUp(next) !== null) return;
      this.#goBehind(next.who);
      this.#waitNoMore(next);
      next.state = "inside";
      this.#shares.add(next.who, next.size);
      next.enter();
    }
  }

  /** Whose turn it is, of those who are not kept out by their own. */
  #next(): Guest | null {
    for (const callers of this.#waiting.values()) {
      const guest = this.#nextOf(callers);
      if (guest !== null && this.#usedUp(guest) !== "tenant") return guest;
    }
    return null;
  }

  #nextOf(callers: ReadonlyMap<string, ReadonlySet<Guest>>): Guest | null {
    for (const [guest] of callers.values()) if (this.#usedUp(guest!) !== "caller") return guest!;
    return null;
  }

  /** If there are more of this caller, or this tenant, they come after all others. */
  #goBehind({ tenant, caller }: Holder): void {
    const callers = this.#waiting.get(tenant)!;
    const guests = callers.get(caller)!;
    callers.delete(caller);
    this.#waiting.delete(tenant);
    this.#waiting.set(tenant, callers.set(caller, guests));
  }

  #waitNoMore(guest: Guest): void {
    const { tenant, caller } = guest.who;
    const callers = this.#waiting.get(tenant)!;
    const guests = callers.get(caller)!;
    guests.delete(guest);
    if (guests.size === 0) callers.delete(caller);
    if (callers.size === 0) this.#waiting.delete(tenant);
    this.#waitingOfTenants.add(tenant, -1);
  }

  #isInTheWay({ who, state }: Guest): boolean {
    if (state !== "inside") return false;
    for (const [tenant, callers] of this.#waiting) {
      const next = this.#nextOf(callers);
      if (next === null || next.who.caller === who.caller) continue;
      if (tenant === who.tenant || this.#usedUp(next) !== "tenant") return true;
    }
    return false;
  }

  #usedUp({ who, size }: Guest): UsedUp | null {
    return this.#shares.usedUp(who, size);
  }
}

async function orGone(entered: Promise<void>, gone: AbortSignal): Promise<void> {
  let leave = (): void => {};
  const left = new Promise<never>((_, reject) => (leave = () => reject(gone.reason)));
  gone.addEventListener("abort", leave);
  try {
    await Promise.race([entered, left]);
  } finally {
    gone.removeEventListener("abort", leave);
  }
}
