import { ask, type Queryable, statement } from "./statement.ts";

const MAKE = statement(
  "make_signing_key",
  "INSERT INTO cairn.signing_keys (id, secret, created_at) VALUES (1, $1, cairn.now()) ON CONFLICT DO NOTHING",
);
const FIND = statement("find_signing_key", "SELECT secret FROM cairn.signing_keys WHERE id = 1");

/** The one that is there, or this one. */
export async function signingKey(client: Queryable, fresh: Buffer): Promise<Buffer> {
  const find = async (): Promise<Buffer | undefined> => (await ask<{ secret: Buffer }>(client, FIND))[0]?.secret;
  const found = await find();
  if (found !== undefined) return found;
  await ask(client, MAKE, [fresh]);
  return (await find())!;
}
