import type pg from "pg";
import { ask, columns, type Queryable, statement } from "./statement.ts";

/** What goes with an event is told to those who watch up to this length: what they are told is kept in memory. */
const TOLD_LENGTH_MAX = 32 * 1024;
const TOLD = `CASE WHEN length(e.data::text) <= ${TOLD_LENGTH_MAX} THEN e.data END AS data,
      coalesce(length(e.data::text) > ${TOLD_LENGTH_MAX}, false) AS "isCut"`;

interface ToldEventRow {
  readonly id: number;
  readonly kind: string;
  /** As JSON. */
  readonly data: string | null;
  /** What goes with it is too long. */
  readonly isCut: boolean;
  readonly at: number;
}

export interface ReadEvent extends ToldEventRow {
  readonly runId: string;
  /** Null: its run was removed. */
  readonly namespace: string | null;
  readonly type: string;
  readonly tags: readonly string[];
}

const READ = statement(
  "read_events",
  `SELECT e.id, e.run_id AS "runId", r.namespace, r.type, r.tags, e.kind, ${TOLD}, e.at
  FROM (SELECT * FROM cairn.run_events WHERE id > $1 AND id <= $2 ORDER BY id LIMIT $3) AS e
  LEFT JOIN LATERAL (
    SELECT one.namespace, one.type, one.tags FROM cairn.runs AS one WHERE one.id = e.run_id OFFSET 0
  ) AS r ON true ORDER BY e.id`,
);

/** Of all runs, after one id and up to another. */
export function readEvents(client: Queryable, after: number, upTo: number, limit: number): Promise<ReadEvent[]> {
  return ask<ReadEvent & pg.QueryResultRow>(client, READ, [after, upTo, limit]);
}

/** How far someone has seen a run: events by their ids, inputs by their numbers. */
export interface TailPosition {
  readonly event: number;
  readonly number: number;
}

export interface WatchedTail extends TailPosition {
  readonly runId: string;
}

interface ToldStepRow {
  readonly number: number;
  readonly kind: string;
  readonly call: string | null;
  readonly node: string | null;
  readonly name: string | null;
  readonly at: number;
}

/** Of one run, and of all together. */
const OF_RUN_MAX = 100;
const ROWS_MAX = 2_000;

const OVER = statement(
  "tails_over",
  `SELECT u.ordinal AS watcher FROM unnest($1::uuid[]) WITH ORDINALITY AS u (id, ordinal) LEFT JOIN LATERAL (
    SELECT one.status, one.deleted_at FROM cairn.runs AS one WHERE one.id = u.id OFFSET 0
  ) AS r ON true WHERE r.status IS NULL OR r.status <> 'pending' OR r.deleted_at IS NOT NULL`,
);

const EVENTS = statement(
  "tail_events",
  `SELECT u.ordinal AS watcher, n.* FROM unnest($1::uuid[], $2::int8[]) WITH ORDINALITY AS u (run_id, seen, ordinal)
  CROSS JOIN LATERAL (
    SELECT e.id, e.kind, ${TOLD}, e.at FROM cairn.run_events AS e
    WHERE e.run_id = u.run_id AND e.id > u.seen ORDER BY e.id LIMIT ${OF_RUN_MAX} OFFSET 0
  ) AS n LIMIT ${ROWS_MAX}`,
);

const STEPS = statement(
  "tail_steps",
  `SELECT u.ordinal AS watcher, n.* FROM unnest($1::uuid[], $2::int[]) WITH ORDINALITY AS u (run_id, seen, ordinal)
  CROSS JOIN LATERAL (
    SELECT h.number, h.kind, h.call, h.node, coalesce(h.action, h.name) AS name, h.at FROM cairn.history AS h
    WHERE h.run_id = u.run_id AND h.number > u.seen ORDER BY h.number LIMIT ${OF_RUN_MAX} OFFSET 0
  ) AS n LIMIT ${ROWS_MAX}`,
);

/** What there is of a run beyond what was seen. */
export interface TailRows {
  readonly events: ToldEventRow[];
  readonly steps: ToldStepRow[];
  /** These are all, and there will be no more. */
  isOver: boolean;
}

/** For each that is watched, in order. Not all of it, if there is much. */
export async function readTails(
  client: Queryable,
  watched: readonly WatchedTail[],
): Promise<{ readonly tails: readonly TailRows[]; readonly isCut: boolean }> {
  const [ids, events, numbers] = columns(watched, ["runId", "event", "number"]);
  // First: of a run that has ended by then, everything is there.
  const over = await ask<{ watcher: number }>(client, OVER, [ids]);
  const eventRows = await ask<ToldEventRow & Watching>(client, EVENTS, [ids, events]);
  const stepRows = await ask<ToldStepRow & Watching>(client, STEPS, [ids, numbers]);
  const tails = watched.map((): TailRows => ({ events: [], steps: [], isOver: false }));
  for (const { watcher, ...event } of eventRows) tails[watcher - 1]!.events.push(event);
  for (const { watcher, ...step } of stepRows) tails[watcher - 1]!.steps.push(step);
  const isCut = eventRows.length === ROWS_MAX || stepRows.length === ROWS_MAX;
  if (isCut) return { tails, isCut };
  for (const { watcher } of over) {
    const tail = tails[watcher - 1]!;
    tail.isOver = tail.events.length < OF_RUN_MAX && tail.steps.length < OF_RUN_MAX;
  }
  return { tails, isCut };
}

interface Watching extends pg.QueryResultRow {
  readonly watcher: number;
}

const STEPPED = statement(
  "tails_stepped",
  `SELECT u.ordinal AS watcher FROM unnest($1::uuid[], $2::int[]) WITH ORDINALITY AS u (run_id, seen, ordinal)
  CROSS JOIN LATERAL (
    SELECT FROM cairn.history AS h WHERE h.run_id = u.run_id AND h.number > u.seen LIMIT 1 OFFSET 0
  ) AS n`,
);

/** Those of which an input is there that was not seen, by their places. */
export async function steppedTails(client: Queryable, watched: readonly WatchedTail[]): Promise<number[]> {
  const rows = await ask<{ watcher: number }>(client, STEPPED, columns(watched, ["runId", "number"]));
  return rows.map(({ watcher }) => watcher - 1);
}
