import { POOLS_WITH_WORK } from "./claim-runs.ts";
import { ask, type Queryable, statement } from "./statement.ts";

/** What shows that something has happened, whoever did it. */
export interface News {
  /** Pools in which something is ready. */
  readonly pools: readonly string[];
  /** Grow with each letter and each event: with the statement that writes it, so a little before it can be seen. */
  readonly lastMail: number;
  readonly lastEvent: number;
}

/** A sequence that nothing was taken from says the same as after the first. */
const position = (sequence: string): string => `${sequence}.last_value + ${sequence}.is_called::int`;

const LOOK = statement(
  "look_for_news",
  `SELECT ARRAY(${POOLS_WITH_WORK}) AS pools, ${position("mail")} AS "lastMail",
    ${position("event")} AS "lastEvent"
  FROM cairn.mail_ids AS mail, cairn.event_ids AS event`,
);

/** One statement, whose cost does not depend on how much there is. */
export async function lookForNews(client: Queryable): Promise<News> {
  return (await ask<{ pools: string[]; lastMail: number; lastEvent: number }>(client, LOOK))[0]!;
}
