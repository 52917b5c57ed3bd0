import { ask, type Queryable, statement } from "./statement.ts";

const GIVE = statement(
  "give_id",
  `INSERT INTO cairn.given_ids (key, id, given_at) VALUES ($1, $2, cairn.now())
  ON CONFLICT (key) DO UPDATE SET key = excluded.key RETURNING id`,
);

/** The id that was given under this key before, or this one from now on. */
export async function giveId(client: Queryable, key: string, id: string): Promise<string> {
  return (await ask<{ id: string }>(client, GIVE, [key, id]))[0]!.id;
}

/** Ids of runs are of about now: one that was given a day ago could not be used any more. */
const FORGET = statement(
  "forget_given_ids",
  "DELETE FROM cairn.given_ids WHERE given_at < (SELECT cairn.now() - interval '12 hours')",
);

export async function forgetGivenIds(client: Queryable): Promise<void> {
  await ask(client, FORGET);
}
