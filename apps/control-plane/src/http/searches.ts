import { Refused } from "../hub/refused.ts";
import type { RunFilter } from "../store/run-filter.ts";
import { ByteRoom } from "./byte-room.ts";
import type { RestContext } from "./rest.ts";

/** Of the connections that REST has, others need some. */
const TOGETHER = 2;
const WAIT_MS = 5_000;

/** Owns: how many requests read much of the database at one time. Others wait, for a while. */
export class Searches {
  readonly #room = new ByteRoom(TOGETHER, WAIT_MS);

  async take<Answer>(read: () => Promise<Answer>): Promise<Answer> {
    const leave = await this.#room.enter(1);
    if (leave === null) throw new Refused("RateLimited", "Others are searching: try again in a while");
    try {
      return await read();
    } finally {
      leave();
    }
  }
}

/** What an index does not tell is a search: runs are gone through, or their values. */
export function searched<Answer>(
  { searches }: Pick<RestContext, "searches">,
  { tags, since, until, schedule, contains, search }: RunFilter,
  read: () => Promise<Answer>,
): Promise<Answer> {
  const isSearch = [tags, since, until, schedule, contains, search].some((each) => each !== null);
  return isSearch ? searches.take(read) : read();
}
