import type pg from "pg";
import { ask, type Queryable, type Statement, statement } from "./statement.ts";

export interface EventRow {
  readonly id: number;
  readonly kind: string;
  /** As JSON. */
  readonly data: string | null;
  readonly at: number;
}

/** Which way, and what of. */
export interface EventsLook {
  /** Behind this event; null: from the beginning. */
  readonly after: number | null;
  readonly newestFirst: boolean;
  readonly kind: string | null;
  readonly limit: number;
}

const events = (name: string, behind: string, direction: string): Statement =>
  statement(
    name,
    `SELECT id, kind, data, at FROM cairn.run_events
    WHERE run_id = $1 AND ($2::int8 IS NULL OR id ${behind} $2) AND ($3::text IS NULL OR kind = $3)
    ORDER BY id ${direction} LIMIT $4`,
  );
const OLDEST_FIRST = events("list_events", ">", "ASC");
const NEWEST_FIRST = events("list_events_backwards", "<", "DESC");

/** Of a run, in their order, or the other way round. */
export function listEvents(
  client: Queryable,
  runId: string,
  { after, newestFirst, kind, limit }: EventsLook,
): Promise<EventRow[]> {
  const how = newestFirst ? NEWEST_FIRST : OLDEST_FIRST;
  return ask<EventRow & pg.QueryResultRow>(client, how, [runId, after, kind, limit]);
}
