import type pg from "pg";
import { ask, type Queryable, statement } from "./statement.ts";

export interface EventRow {
  readonly id: number;
  readonly kind: string;
  /** As JSON. */
  readonly data: string | null;
  readonly at: number;
}

const EVENTS = statement(
  "list_events",
  "SELECT id, kind, data, at FROM cairn.run_events WHERE run_id = $1 AND id > $2 ORDER BY id LIMIT $3",
);

/** Of a run, in their order, after one of them. */
export function listEvents(client: Queryable, runId: string, after: number, limit: number): Promise<EventRow[]> {
  return ask<EventRow & pg.QueryResultRow>(client, EVENTS, [runId, after, limit]);
}
