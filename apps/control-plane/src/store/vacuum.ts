import { ask, type Queryable, statement } from "./statement.ts";

/** Rows that were deleted or changed since a table was last vacuumed, before it is worth doing so. */
const DEAD_ROWS_MIN = 20_000;

const BLOATED = statement(
  "bloated_tables",
  `SELECT relname::text AS name FROM pg_catalog.pg_stat_user_tables
  WHERE schemaname = 'cairn' AND relname IN ('queue', 'mailbox', 'outbox_events', 'stream_chunks') AND n_dead_tup >= $1`,
);

/**
 * Vacuums the tables through which everything passes: autovacuum comes once a minute at best, and a claim reads what lies
 * dead before its rows. Two at a time would wait for each other; whoever comes second leaves it.
 */
export async function vacuumHotTables(client: Queryable): Promise<void> {
  for (const { name } of await ask<{ name: string }>(client, BLOATED, [DEAD_ROWS_MIN])) {
    await client.query(`VACUUM (SKIP_LOCKED) cairn.${name}`);
  }
}

/** After many were removed: what they took is used again. */
export async function vacuumRuns(client: Queryable): Promise<void> {
  for (const name of ["runs", "idempotency_keys"]) await client.query(`VACUUM (SKIP_LOCKED, ANALYZE) cairn.${name}`);
}
