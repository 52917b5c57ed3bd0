import type { RunKind } from "./remove-runs.ts";
import { ask, type Queryable, statement } from "./statement.ts";

/** When runs of a kind are over; null: never. */
export interface RunsOver extends RunKind {
  readonly endedBefore: number | null;
  /** The first id that is not. */
  readonly to: string;
  readonly deletedBefore: number | null;
}

const IS_OVER = `(v.ended_at < to_timestamp($3::float8 / 1000) AND v.id < $4 OR v.deleted_at < to_timestamp($5::float8 / 1000))`;

const RUNS = statement(
  "count_over",
  `SELECT count(*) AS count FROM cairn.removable_runs AS v WHERE v.namespace = $1 AND v.type = $2 AND ${IS_OVER}`,
);

function valuesOf({ namespace, type, endedBefore, to, deletedBefore }: RunsOver): unknown[] {
  return [namespace, type, endedBefore, to, deletedBefore];
}

/** Runs that ended, or were deleted, before these times. */
export async function countOver(client: Queryable, over: RunsOver): Promise<number> {
  return (await ask<{ count: number }>(client, RUNS, valuesOf(over)))[0]!.count;
}

const EVENTS = statement(
  "count_events_over",
  `SELECT coalesce(sum(e.count), 0)::bigint AS count FROM cairn.runs AS r CROSS JOIN LATERAL (
    SELECT count(*) AS count FROM cairn.run_events AS e WHERE e.run_id = r.id AND e.at < to_timestamp($6::float8 / 1000) OFFSET 0
  ) AS e
  WHERE r.namespace = $1 AND r.type = $2 AND r.id < $7
    AND NOT EXISTS (SELECT FROM cairn.queue AS q WHERE q.run_id = r.id)
    AND NOT EXISTS (SELECT FROM cairn.removable_runs AS v WHERE v.id = r.id AND ${IS_OVER})`,
);

/** Events that were written before a time, of runs that have ended and stay, with ids before one. */
export async function countEventsOver(client: Queryable, over: RunsOver, before: number, to: string): Promise<number> {
  return (await ask<{ count: number }>(client, EVENTS, [...valuesOf(over), before, to]))[0]!.count;
}

const TYPES = statement(
  "types_of_outbox",
  "SELECT DISTINCT type FROM cairn.outbox_events WHERE namespace = $1 AND published_at IS NOT NULL",
);
const OUTBOX = statement(
  "count_outbox_over",
  `SELECT count(*) AS count FROM cairn.outbox_events
  WHERE namespace = $1 AND type = $2 AND published_at < to_timestamp($3::float8 / 1000)`,
);

/** Published events that are over, by type. */
export async function countOutboxOver(
  client: Queryable,
  namespace: string,
  beforeOf: (type: string) => number | null,
): Promise<{ readonly type: string; readonly events: number }[]> {
  const counted: { type: string; events: number }[] = [];
  for (const { type } of await ask<{ type: string }>(client, TYPES, [namespace])) {
    const before = beforeOf(type);
    if (before === null) continue;
    const [row] = await ask<{ count: number }>(client, OUTBOX, [namespace, type, before]);
    if (row!.count > 0) counted.push({ type, events: row!.count });
  }
  return counted.toSorted((a, b) => (a.type < b.type ? -1 : 1));
}
