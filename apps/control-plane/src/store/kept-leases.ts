import { ask, type Queryable, statement } from "./statement.ts";

const KEPT = statement(
  "kept_leases",
  "SELECT count(*)::int AS kept FROM cairn.owners WHERE id = ANY($1::uuid[]) AND expires_at > cairn.now()",
);

/** How many of these owners are alive. */
export async function keptLeases(client: Queryable, owners: readonly string[]): Promise<number> {
  const [row] = await ask<{ kept: number }>(client, KEPT, [owners]);
  return row!.kept;
}
