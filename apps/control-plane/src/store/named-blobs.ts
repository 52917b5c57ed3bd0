import { type Partitioned, partName, type Week } from "./weeks.ts";
import { ask, type Queryable, statement } from "./statement.ts";

const NAME = "INSERT INTO cairn.named_blobs (digest)";
const ONCE = "ON CONFLICT DO NOTHING";

/** What stands for values in columns of a table. */
function values(table: string, columns: readonly string[]): string {
  const each = columns.map(
    (column) => `SELECT ${column} AS value FROM cairn.${table} WHERE cairn.is_reference(${column})`,
  );
  return `${NAME} SELECT DISTINCT decode(v.value->>'$blob', 'hex') FROM (${each.join(" UNION ALL ")}) AS v ${ONCE}`;
}

/** Of a letter that nobody read, the event has what it said, inside of other things. */
function anywhere(table: string, column: string): string {
  return `${NAME} SELECT DISTINCT decode(m.found[1], 'hex') FROM cairn.${table} AS t,
    regexp_matches(t.${column}::text, '"\\$blob"\\s*:\\s*"([0-9a-f]{64})"', 'g') AS m (found)
    WHERE t.${column} IS NOT NULL AND strpos(t.${column}::text, '"$blob"') > 0 ${ONCE}`;
}

/** One look begins: nothing is known to be named. */
export async function forgetNames(client: Queryable): Promise<void> {
  await client.query("TRUNCATE cairn.named_blobs");
}

/**
 * Notes what tables without partitions name. The mailbox comes before everything else: what is taken from there is written elsewhere, and
 * would be in neither if it were looked at behind that. All else stays where it is, or was put anew.
 */
export async function nameInTables(client: Queryable): Promise<void> {
  await client.query(values("mailbox", ["value"]));
  await client.query(values("heartbeat_details", ["details"]));
  await client.query(values("runs", ["payload", "result", "error"]));
}

const IN_PARTS: Readonly<Record<Partitioned, (part: string) => string>> = {
  history: (part) => values(part, ["value"]),
  snapshots: (part) =>
    `${NAME} SELECT DISTINCT blob FROM cairn.${part} WHERE blob IS NOT NULL ${ONCE};${values(part, ["open"])}`,
  failed_attempts: (part) => values(part, ["error"]),
  run_events: (part) => anywhere(part, "data"),
};

export async function nameInPart(client: Queryable, table: Partitioned, week: Week): Promise<void> {
  await client.query(IN_PARTS[table](partName(table, week.at)));
}

const SETTLE = statement(
  "settle_unnamed_blobs",
  `WITH wanted AS MATERIALIZED (SELECT decode(w.digest, 'hex') AS digest FROM unnest($1::text[]) AS w (digest)),
  unnamed AS MATERIALIZED (
    SELECT w.digest FROM wanted AS w WHERE NOT EXISTS (SELECT FROM cairn.named_blobs AS n WHERE n.digest = w.digest)
  ),
  again AS (
    DELETE FROM cairn.unnamed_blobs AS u USING wanted AS w
    WHERE u.digest = w.digest AND EXISTS (SELECT FROM cairn.named_blobs AS n WHERE n.digest = w.digest)
  ),
  noted AS (
    INSERT INTO cairn.unnamed_blobs (digest, since) SELECT digest, cairn.now() FROM unnamed ON CONFLICT DO NOTHING
  )
  SELECT encode(u.digest, 'hex') AS digest FROM unnamed JOIN cairn.unnamed_blobs AS u ON u.digest = unnamed.digest
  WHERE u.since <= (SELECT cairn.now()) - $2::float8 * interval '1 ms'`,
);

/** Of these blobs, notes which nothing names; returns those of which that has been so for the whole grace. */
export async function longUnnamed(client: Queryable, digests: readonly string[], graceMs: number): Promise<string[]> {
  return (await ask<{ digest: string }>(client, SETTLE, [digests, graceMs])).map(({ digest }) => digest);
}

const FORGET = statement(
  "forget_unnamed_blobs",
  "DELETE FROM cairn.unnamed_blobs AS u USING unnest($1::text[]) AS gone (digest) WHERE u.digest = decode(gone.digest, 'hex')",
);

export async function forgetUnnamed(client: Queryable, digests: readonly string[]): Promise<void> {
  await ask(client, FORGET, [digests]);
}
