import type pg from "pg";
import { ask, type Queryable, type Statement, statement } from "./statement.ts";

/** A table whose rows have ids of a sequence, in the order of which they are told. */
export interface NumberedTable {
  readonly last: Statement;
  readonly removed: Statement;
  readonly writers: Statement;
}

/**
 * The lock of the table, of a partitioned one that of the parent, is taken before an id is drawn, however the statement is written, and kept until its
 * transaction, or the part of it that is rolled back, has ended for everyone to see.
 */
function numbered(table: string, sequence: string): NumberedTable {
  return {
    last: statement(`last_of_${table}`, `SELECT last_value - (NOT is_called)::int AS last FROM cairn.${sequence}`),
    removed: statement(
      `removed_of_${table}`,
      `SELECT r.up_to AS removed FROM cairn.removed_rows AS r WHERE r.log = '${table}'`,
    ),
    writers: statement(
      `writers_of_${table}`,
      `SELECT l.virtualtransaction AS transaction, l.pid FROM pg_catalog.pg_locks AS l
      WHERE l.locktype = 'relation' AND l.relation = 'cairn.${table}'::regclass AND l.mode = 'RowExclusiveLock' AND l.granted
        AND l.database = (SELECT d.oid FROM pg_catalog.pg_database AS d WHERE d.datname = current_database())`,
    ),
  };
}

export const RUN_EVENTS_TABLE = numbered("run_events", "event_ids");
export const AUDIT_TABLE = numbered("audit_log", "audit_ids");

/** The last id that was drawn, whether its row can be seen, will be, or never. */
export async function lastId(client: Queryable, { last }: NumberedTable): Promise<number> {
  return (await ask<{ last: number }>(client, last))[0]!.last;
}

/** Up to which id rows may have been removed since they were old. */
export async function removedUpTo(client: Queryable, { removed }: NumberedTable): Promise<number> {
  return (await ask<{ removed: number }>(client, removed))[0]?.removed ?? 0;
}

/** A transaction that has written rows, or is about to. */
export interface RowWriter {
  /** Its virtual id; of one that is prepared, -1 and its id. */
  readonly transaction: string;
  /** Null: it is prepared. */
  readonly pid: number | null;
}

export function writersOf(client: Queryable, { writers }: NumberedTable): Promise<RowWriter[]> {
  return ask<RowWriter & pg.QueryResultRow>(client, writers);
}
