import type { MigrationState } from "../store/migrate.ts";
import type { Queryable } from "../store/statement.ts";
import { PARTITIONED } from "../store/weeks.ts";
import { counted, type Finding, ok, problem, warning } from "./finding.ts";

/** Of Cairn's tables. */

export function checkMigrations({ applied, missing, strange }: MigrationState): Finding {
  if (strange !== null) return problem("migrations", strange);
  if (missing.length === 0)
    return ok("migrations", `${counted(applied.length, "migration")}: it is what this release needs`);
  const what =
    applied.length === 0 ? "There is no schema of Cairn's" : `${counted(missing.length, "migration")} missing`;
  return problem(
    "migrations",
    `${what}: run cairn migrate`,
    missing.map((name) => name),
  );
}

/** Runs of the next week have their places now: nobody may be there to make them then. */
const MISSING = `SELECT parent || '_' || to_char(week AT TIME ZONE 'UTC', 'YYYYMMDD') AS name,
    week <= cairn.now() AS urgent
  FROM unnest($1::text[]) AS parent,
    generate_series(date_trunc('week', cairn.now() - interval '1 day', 'UTC'), cairn.now() + interval '7 days', interval '7 days') AS week
  WHERE to_regclass('cairn.' || parent || '_' || to_char(week AT TIME ZONE 'UTC', 'YYYYMMDD')) IS NULL ORDER BY 1`;

export async function checkPartitions(client: Queryable): Promise<Finding> {
  const { rows } = await client.query<{ name: string; urgent: boolean }>(MISSING, [PARTITIONED]);
  if (rows.length === 0) return ok("partitions", "There are partitions for the runs of this week and the next");
  const names = rows.map(({ name }) => name);
  const says = `${counted(rows.length, "partition")} missing: run cairn migrate, or SELECT cairn.create_partitions(cairn.now() + interval '28 days')`;
  return rows.some(({ urgent }) => urgent) ? problem("partitions", says, names) : warning("partitions", says, names);
}

interface BloatRow {
  readonly name: string;
  readonly live: number;
  readonly dead: number;
  readonly size: string;
}

/** Cairn vacuums at 20,000 by itself: more than this stays because something keeps it from it. */
const DEAD_ROWS_MAX = 100_000;

export async function checkBloat(client: Queryable): Promise<Finding> {
  const { rows } = await client.query<BloatRow & Record<string, unknown>>(
    `SELECT relname::text AS name, n_live_tup AS live, n_dead_tup AS dead,
      pg_size_pretty(pg_total_relation_size(relid)) AS size
    FROM pg_catalog.pg_stat_user_tables
    WHERE schemaname = 'cairn' AND relname IN ('queue', 'mailbox', 'outbox_events') ORDER BY relname`,
  );
  const bloated = rows.filter(({ dead, live }) => dead >= DEAD_ROWS_MAX && dead > 2 * live);
  const sizes = rows.map(({ name, size }) => `${name} ${size}`).join(", ");
  if (bloated.length === 0) return ok("bloat", `Few dead rows: ${sizes}`);
  const details = bloated.map(({ name, dead, live, size }) => `cairn.${name}: ${dead} dead, ${live} live, ${size}`);
  const names = bloated.map(({ name }) => `cairn.${name}`).join(", ");
  return warning("bloat", `Dead rows in ${names}: end transactions that are open for long, then VACUUM`, details);
}
