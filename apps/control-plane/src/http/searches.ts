import type { FastifyRequest } from "fastify";
import { Refused } from "../hub/refused.ts";
import type { RunFilter } from "../store/run-filter.ts";
import { shareOfRequest } from "./guard/request-limits.ts";
import type { RestContext } from "./rest.ts";

/** Of the connections that REST has, others need some. */
const TOGETHER = 2;
/** Of one caller: never all of them. */
const OF_ONE = 1;
const WAIT_MS = 5_000;

/** Who searches. */
export interface Searcher {
  /** Whose places these are. */
  readonly caller: string;
  readonly namespace: string;
}

/**
 * Owns: how many requests read much of the database at one time, of all and of one caller. Others wait, for a while, and come in turns: one
 * of each caller and namespace, then the next one of each. So however much one asks for, another waits for those that are under way alone.
 */
export class Searches {
  readonly #places = new Map<string, number>();
  #taken = 0;
  /** Those who wait, in the order of their turns. */
  readonly #waiting = new Map<string, { readonly caller: string; readonly enter: (() => void)[] }>();

  async take<Answer>(who: Searcher, read: () => Promise<Answer>): Promise<Answer> {
    if (!this.#fits(who.caller) && !(await this.#wait(who)))
      throw new Refused("RateLimited", "Others are searching: try again in a while");
    try {
      return await read();
    } finally {
      this.#leave(who.caller);
    }
  }

  /** Whoever waits did not fit when someone left last: nobody is overtaken. */
  #fits(caller: string): boolean {
    const own = this.#places.get(caller) ?? 0;
    if (this.#taken >= TOGETHER || own >= OF_ONE) return false;
    this.#places.set(caller, own + 1);
    this.#taken += 1;
    return true;
  }

  #wait({ caller, namespace }: Searcher): Promise<boolean> {
    return new Promise((resolve) => {
      const turn = JSON.stringify([caller, namespace]);
      const enter = this.#waiting.get(turn)?.enter ?? [];
      const mine = (): void => {
        clearTimeout(timer);
        resolve(true);
      };
      const timer = setTimeout(() => {
        enter.splice(enter.indexOf(mine), 1);
        if (enter.length === 0) this.#waiting.delete(turn);
        resolve(false);
      }, WAIT_MS);
      enter.push(mine);
      this.#waiting.set(turn, { caller, enter });
    });
  }

  #leave(caller: string): void {
    const own = this.#places.get(caller)! - 1;
    if (own === 0) this.#places.delete(caller);
    else this.#places.set(caller, own);
    this.#taken -= 1;
    for (const [turn, waiting] of this.#waiting) {
      if (!this.#fits(waiting.caller)) continue;
      // Behind all others, if it wants more.
      this.#waiting.delete(turn);
      const next = waiting.enter.shift()!;
      if (waiting.enter.length > 0) this.#waiting.set(turn, waiting);
      return next();
    }
  }
}

export function searcherOf(namespace: string, request: FastifyRequest): Searcher {
  return { caller: shareOfRequest(request), namespace };
}

/** To look into values is a search. What else is asked for goes through a bounded number of rows, by an index. */
export function searched<Answer>(
  { searches }: Pick<RestContext, "searches">,
  who: Searcher,
  { contains, search }: RunFilter,
  read: () => Promise<Answer>,
): Promise<Answer> {
  return contains === null && search === null ? read() : searches.take(who, read);
}
