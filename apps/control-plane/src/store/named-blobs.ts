import { type Partitioned, partName, type Week } from "./weeks.ts";
import { ask, type Queryable, statement } from "./statement.ts";

const NAME = "INSERT INTO cairn.named_blobs (digest)";
const ONCE = "ON CONFLICT DO NOTHING";

/** What stands for values in a column of a table. */
function values(table: string, column: string): string {
  return `${NAME} SELECT DISTINCT decode(t.${column}->>'$blob', 'hex') FROM cairn.${table} AS t
    WHERE cairn.is_reference(t.${column}) ${ONCE}`;
}

/** One look begins: nothing is known to be named. */
export async function forgetNames(client: Queryable): Promise<void> {
  await client.query("TRUNCATE cairn.named_blobs");
}

/**
 * Notes what is named by what waits to be taken. The mailbox comes before everything else: what is taken from there is written elsewhere, and
 * would be in neither if it were looked at behind that. All else stays where it is, or was put anew.
 */
export async function nameInWaiting(client: Queryable): Promise<void> {
  await client.query(values("mailbox", "value"));
  await client.query(values("deleted_mail", "value"));
  await client.query(values("heartbeat_details", "details"));
}

/** Of a row `e`. */
function digests(...columns: readonly string[]): string {
  const each = columns.map((column) => `(e.${column})`).join(", ");
  return `SELECT decode(v.value->>'$blob', 'hex') FROM (VALUES ${each}) AS v (value) WHERE cairn.is_reference(v.value)`;
}

/** Of a letter that nobody read, the event has what it said, inside of other things. */
const ANYWHERE = `SELECT decode(m.found[1], 'hex')
  FROM regexp_matches(e.data::text, '"\\$blob"\\s*:\\s*"([0-9a-f]{64})"', 'g') AS m (found) WHERE strpos(e.data::text, '"$blob"') > 0`;

const NAMED: Readonly<Record<Partitioned, string>> = {
  history: digests("value"),
  snapshots: `SELECT e.blob WHERE e.blob IS NOT NULL UNION ALL ${digests("open")}`,
  failed_attempts: digests("error"),
  run_events: ANYWHERE,
};

/** The next runs behind one. */
interface NamingPage {
  readonly after: string;
  readonly limit: number;
}

/** Notes what some rows name, each of a run of the page; returns the last run, or null: there are no more. */
async function notePage(
  client: Queryable,
  { rows, named, to }: { readonly rows: string; readonly named: string; readonly to: string },
  { after, limit }: NamingPage,
): Promise<string | null> {
  const text = `WITH page AS MATERIALIZED (
    SELECT r.id FROM cairn.runs AS r WHERE r.id > $1 AND r.id < $2 ORDER BY r.id LIMIT $3
  ), noted AS (
    ${NAME} SELECT DISTINCT n.digest FROM page CROSS JOIN LATERAL (${rows} OFFSET 0) AS e
      CROSS JOIN LATERAL (${named}) AS n (digest) ${ONCE}
  ) SELECT (SELECT page.id FROM page ORDER BY page.id DESC LIMIT 1) AS last`;
  return (await client.query<{ last: string | null }>(text, [after, to, limit])).rows[0]!.last;
}

export const BEFORE_ALL_RUNS = "00000000-0000-0000-0000-000000000000";
const BEHIND_ALL_RUNS = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** What runs name themselves, of whatever week. */
export function nameInRuns(client: Queryable, after: string, limit: number): Promise<string | null> {
  const rows = "SELECT e.payload, e.result, e.error FROM cairn.runs AS e WHERE e.id = page.id";
  const named = digests("payload", "result", "error");
  return notePage(client, { rows, named, to: BEHIND_ALL_RUNS }, { after, limit });
}

/** What rows of some runs of a week name. What belongs to no run is nobody's. */
export function nameInPart(
  client: Queryable,
  table: Partitioned,
  week: Week,
  page: NamingPage,
): Promise<string | null> {
  const rows = `SELECT e.* FROM cairn.${partName(table, week.at)} AS e WHERE e.run_id = page.id`;
  return notePage(client, { rows, named: NAMED[table], to: week.to }, page);
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
