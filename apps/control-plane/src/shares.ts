import { type Caller, shareOf, tenantOf } from "./access/caller.ts";
import { Counts } from "./counts.ts";

/** Who uses some of what there is. */
export interface Holder {
  readonly caller: string;
  /** Those who have one share together: the callers of a namespace; one who is for all of them is alone. */
  readonly tenant: string;
}

export function holderOf(caller: Caller, share = shareOf(caller)): Holder {
  return { caller: share, tenant: tenantOf(caller, share) };
}

export interface ShareLimits {
  readonly all: number;
  /** Half of all, if nothing is said. */
  readonly ofTenant?: number;
  readonly ofCaller: number;
}

/** Whose share does not suffice. */
export type UsedUp = "caller" | "tenant" | "all";

/**
 * What there is so much of, for many who do not know each other.
 *
 * Owns how much each has. I1: nobody has more than the share of a tenant, however many keys his namespace has. I2: who is alone may have one
 * thing, however large.
 */
export class Shares {
  readonly #limits: ShareLimits;
  readonly #callers = new Counts();
  readonly #tenants = new Counts();

  constructor(limits: ShareLimits) {
    this.#limits = limits;
  }

  get all(): number {
    return this.#tenants.all;
  }

  get ofTenant(): number {
    return this.#limits.ofTenant ?? Math.ceil(this.#limits.all / 2);
  }

  /** Null: so much more fits. `held`: what there is already of the thing that grows. */
  usedUp({ caller, tenant }: Holder, more: number, held = 0): UsedUp | null {
    const isOver = (has: number, most: number): boolean => has > held && has + more > most;
    if (isOver(this.#callers.of(caller), this.#limits.ofCaller)) return "caller";
    if (isOver(this.#tenants.of(tenant), this.ofTenant)) return "tenant";
    return isOver(this.#tenants.all, this.#limits.all) ? "all" : null;
  }

  /** What is given back is less than 0. */
  add({ caller, tenant }: Holder, amount: number): void {
    this.#callers.add(caller, amount);
    this.#tenants.add(tenant, amount);
  }
}
