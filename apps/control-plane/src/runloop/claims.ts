import {
  claimByAge,
  claimByPriority,
  type ClaimedRun,
  claimFromFront,
  claimQuarantined,
  poolsWithWork,
} from "../store/claim-runs.ts";
import type { Queryable } from "../store/statement.ts";

/** In one statement. */
const CLAIM_MAX = 500;
/** One claim in so many is by age alone. */
const BY_AGE_EVERY = 10;
/** How long claims go on from where they were before they look from the front again. */
const FRONT_EVERY_MS = 1_000;
/** Rows that became ready a little earlier may be committed a little later. */
const OVERLAP_MS = 1_000;

/** How many are wanted of which pool, for whom. */
interface Claim {
  readonly client: Queryable;
  readonly owner: string;
  readonly pool: string;
  readonly count: number;
}

interface PoolState {
  /** Where claims have come to, by priority. */
  readonly readyFrom: Map<number, number>;
  ageFrom: number;
  frontAt: number;
  claims: number;
}

/** How many runs of a pool there is room for. */
type Serves = (pool: string) => number;
type Took = (pool: string, count: number) => void;

/**
 * Owns: where this runloop has come to in each pool, and which pools had work of late. Beside a long open transaction the
 * index keeps entries of rows that were claimed long ago; a claim from the front, or a look for pools, would read them all
 * each time: after 100,000 claimed runs, 3,158 blocks for a claim of 20 instead of 315.
 */
export class Claims {
  readonly #now: () => number;
  readonly #pools = new Map<string, PoolState>();
  #takes = 0;
  /** Pools in which there was something when last looked. */
  #busy: string[] = [];
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Takes up to `count` runs from pools that are served. Fewer: there are no more. `took` is told how many of each. */
  async take(
    client: Queryable,
    owner: string,
    count: number,
    serves: Serves,
    took: Took = () => {},
  ): Promise<ClaimedRun[]> {
    const known = this.#now() - this.#lookedAt < FRONT_EVERY_MS;
    const claimed = known ? await this.#takeFromBusy(client, owner, count, serves, took) : [];
    if (claimed.length > 0) return claimed;
    this.#lookedAt = this.#now();
    this.#busy = await poolsWithWork(client);
    return this.#takeFromBusy(client, owner, count, serves, took);
  }

  async #takeFromBusy(
    client: Queryable,
    owner: string,
    count: number,
    serves: Serves,
    took: Took,
  ): Promise<ClaimedRun[]> {
    const claimed: ClaimedRun[] = [];
    // Where there is little room, another one has it each time.
    const first = this.#takes++ % Math.max(1, this.#busy.length);
    for (const pool of [...this.#busy.slice(first), ...this.#busy.slice(0, first)]) {
      const wanted = Math.min(count - claimed.length, serves(pool), CLAIM_MAX);
      if (wanted <= 0) continue;
      const taken = await this.#takeFrom(client, owner, pool, wanted);
      if (taken.length === 0) this.#busy = this.#busy.filter((each) => each !== pool);
      took(pool, taken.length);
      claimed.push(...taken);
    }
    return claimed;
  }

  takeQuarantined(
    client: Queryable,
    owner: string,
    namespace: string | null,
    served: readonly string[] | null,
  ): Promise<ClaimedRun[]> {
    return claimQuarantined(client, owner, namespace, served);
  }

  async #takeFrom(client: Queryable, owner: string, pool: string, count: number): Promise<ClaimedRun[]> {
    const state = this.#stateOf(pool);
    const now = this.#now();
    const fromFront = now - state.frontAt >= FRONT_EVERY_MS;
    if (fromFront) {
      state.frontAt = now;
      state.readyFrom.clear();
      state.ageFrom = 0;
    }
    const isByAge = (state.claims + 1) % BY_AGE_EVERY === 0;
    const claim = { client, owner, pool, count };
    const taken = isByAge ? await takeOldest(claim, state) : await this.#takeUrgent(claim, state);
    // What is looked at while there is nothing does not count, else a queue that was empty would begin by age.
    if (isByAge || taken.length > 0) state.claims += 1;
    return taken;
  }

  async #takeUrgent({ client, owner, pool, count }: Claim, state: PoolState): Promise<ClaimedRun[]> {
    if (state.readyFrom.size > 0) {
      const cursors = [...state.readyFrom]
        .map(([priority, readyFrom]) => ({ priority, readyFrom }))
        .sort((a, b) => b.priority - a.priority);
      const next = await claimByPriority(client, owner, pool, count, cursors);
      this.#remember(state, next);
      if (next.length > 0) return next;
    }
    const first = await claimFromFront(client, owner, pool, count);
    this.#remember(state, first);
    return first;
  }

  #remember({ readyFrom }: PoolState, claimed: readonly ClaimedRun[]): void {
    for (const { priority, readyAt } of claimed) {
      readyFrom.set(priority, Math.max(readyFrom.get(priority) ?? 0, readyAt - OVERLAP_MS));
    }
  }

  #stateOf(pool: string): PoolState {
    let state = this.#pools.get(pool);
    if (state === undefined) {
      state = { readyFrom: new Map(), ageFrom: 0, frontAt: 0, claims: 0 };
      this.#pools.set(pool, state);
    }
    return state;
  }
}

async function takeOldest({ client, owner, pool, count }: Claim, state: PoolState): Promise<ClaimedRun[]> {
  const oldest = await claimByAge(client, owner, pool, count, state.ageFrom);
  state.ageFrom = Math.max(state.ageFrom, ...oldest.map(({ readyAt }) => readyAt - OVERLAP_MS));
  return oldest;
}
