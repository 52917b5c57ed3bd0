import { ask, type Queryable, statement } from "./statement.ts";

const GIVE = statement(
  "give_id",
  `INSERT INTO cairn.given_ids AS g (key, id, digest, given_at) VALUES ($1, $2, decode($3, 'hex'), cairn.now())
  ON CONFLICT (key) DO UPDATE SET key = excluded.key RETURNING id, g.digest = decode($3, 'hex') AS same`,
);

/** The id that was given under this key before, or this one from now on; null: it was given for something else. */
export async function giveId(client: Queryable, key: string, digest: string, id: string): Promise<string | null> {
  const { id: given, same } = (await ask<{ id: string; same: boolean }>(client, GIVE, [key, id, digest]))[0]!;
  return same ? given : null;
}

/** Ids of runs are of about now: one that was given a day ago could not be used any more. */
const FORGET = statement(
  "forget_given_ids",
  "DELETE FROM cairn.given_ids WHERE given_at < (SELECT cairn.now() - interval '12 hours')",
);

export async function forgetGivenIds(client: Queryable): Promise<void> {
  await ask(client, FORGET);
}
