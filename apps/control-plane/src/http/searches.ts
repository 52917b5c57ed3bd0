import type { FastifyRequest } from "fastify";
import { Refused } from "../hub/refused.ts";
import { Places } from "../places.ts";
import type { Holder } from "../shares.ts";
import type { RunFilter } from "../store/run-filter.ts";
import { shareOfRequest } from "./guard/request-limits.ts";
import type { RestContext } from "./rest.ts";

/** Of the connections that REST has, others need some. */
const TOGETHER = 2;
/** Of one caller: never all of them. */
const OF_ONE = 1;
const WAIT_MS = 5_000;
const OTHERS = "Others are searching: try again in a while";

/** Owns: how many requests read much of the database at one time, of all and of one caller. Others wait, for a while, in turns. */
export class Searches {
  readonly #places = new Places({ all: TOGETHER, ofTenant: TOGETHER, ofCaller: OF_ONE, tooMany: OTHERS });

  async take<Answer>(who: Holder, read: () => Promise<Answer>): Promise<Answer> {
    const gone = new AbortController();
    const timer = setTimeout(() => gone.abort(new Refused("RateLimited", OTHERS)), WAIT_MS);
    try {
      return await this.#places.within(who, 1, gone.signal, read);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Turns are by the namespace that is searched, also of a caller who asks in several. */
export function searcherOf(namespace: string, request: FastifyRequest): Holder {
  return { caller: shareOfRequest(request), tenant: namespace };
}

/** To look into values is a search. What else is asked for goes through a bounded number of rows, by an index. */
export function searched<Answer>(
  { searches }: Pick<RestContext, "searches">,
  who: Holder,
  { contains, search }: RunFilter,
  read: () => Promise<Answer>,
): Promise<Answer> {
  return contains === null && search === null ? read() : searches.take(who, read);
}
