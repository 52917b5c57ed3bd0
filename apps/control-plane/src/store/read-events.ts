import type pg from "pg";
import { ask, columns, type Queryable, type Statement, statement } from "./statement.ts";

/** What goes with an event is told to those who watch up to this length: what they are told is kept in memory. */
const TOLD_LENGTH_MAX = 32 * 1024;
const TOLD = `CASE WHEN length(e.data::text) <= ${TOLD_LENGTH_MAX} THEN e.data END AS data,
      coalesce(length(e.data::text) > ${TOLD_LENGTH_MAX}, false) AS "isCut"`;

interface EventRow {
  readonly id: number;
  readonly kind: string;
  /** As JSON. */
  readonly data: string | null;
  /** What goes with it is too long. */
  readonly isCut: boolean;
  readonly at: number;
}

/** Of one run. */
export interface ToldEventRow extends EventRow {
  /** The last input that its run had taken, at least. */
  readonly afterInput: number;
}

export interface ReadEvent extends EventRow {
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

/** Of one who has seen nothing. */
export const TAIL_BEGINNING: TailPosition = { event: 0, number: 0 };

export interface WatchedTail extends TailPosition {
  readonly runId: string;
}

export interface ToldStepRow {
  readonly number: number;
  readonly kind: string;
  readonly call: string | null;
  readonly node: string | null;
  readonly name: string | null;
  readonly at: number;
}

const STATES = statement(
  "tail_states",
  `SELECT u.ordinal AS watcher, r.status IS NULL AS "isGone" FROM unnest($1::uuid[]) WITH ORDINALITY AS u (id, ordinal)
  LEFT JOIN LATERAL (
    SELECT one.status, one.deleted_at FROM cairn.runs AS one WHERE one.id = u.id OFFSET 0
  ) AS r ON true WHERE r.status IS NULL OR r.status <> 'pending' OR r.deleted_at IS NOT NULL`,
);

/** With the one that was seen last, if it is still there. */
const EVENTS = statement(
  "tail_events",
  `SELECT u.ordinal AS watcher, n.* FROM unnest($1::uuid[], $2::int8[]) WITH ORDINALITY AS u (run_id, seen, ordinal)
  CROSS JOIN LATERAL (
    SELECT e.id, e.kind, ${TOLD}, e.at, e.after_input AS "afterInput" FROM cairn.run_events AS e
    WHERE e.run_id = u.run_id AND e.id >= u.seen ORDER BY e.id LIMIT $3 OFFSET 0
  ) AS n LIMIT $4`,
);

const STEPS = statement(
  "tail_steps",
  `SELECT u.ordinal AS watcher, n.* FROM unnest($1::uuid[], $2::int[]) WITH ORDINALITY AS u (run_id, seen, ordinal)
  CROSS JOIN LATERAL (
    SELECT h.number, h.kind, h.call, h.node, coalesce(h.action, h.name) AS name, h.at FROM cairn.history AS h
    WHERE h.run_id = u.run_id AND h.number > u.seen ORDER BY h.number LIMIT $3 OFFSET 0
  ) AS n LIMIT $4`,
);

/** What one look reads of events, and of steps: of one run, and of all together. */
export interface TailPages {
  readonly ofRun: number;
  readonly ofAll: number;
}

/** What there is of a run beyond what was seen. */
export interface TailRows {
  readonly events: readonly ToldEventRow[];
  readonly hasAllEvents: boolean;
  readonly steps: readonly ToldStepRow[];
  readonly hasAllSteps: boolean;
}

/** Runs that take no more inputs, by their places among those that are watched; and whether they are there at all. */
export async function tailsOver(
  client: Queryable,
  watched: readonly WatchedTail[],
): Promise<Map<number, "ended" | "gone">> {
  const rows = await ask<{ watcher: number; isGone: boolean }>(client, STATES, columns(watched, ["runId"]));
  return new Map(rows.map(({ watcher, isGone }) => [watcher - 1, isGone ? "gone" : "ended"]));
}

/** What was read of one that is watched. */
interface TailPage<Row> {
  readonly rows: Row[];
  isAll: boolean;
}

interface EventsPage extends TailPage<ToldEventRow> {
  /** The one that was seen last is gone, and it is not known what else is. */
  isBroken: boolean;
}

export async function tailEvents(
  client: Queryable,
  watched: readonly WatchedTail[],
  { ofRun, ofAll }: TailPages,
): Promise<readonly EventsPage[]> {
  const values = columns(watched, ["runId", "event"]);
  const more = { ofRun: ofRun + 1, ofAll: ofAll + watched.length };
  const pages = await pagesOf<ToldEventRow>(client, EVENTS, values, watched.length, more);
  return pages.map(({ rows, isAll }, index) => {
    const { event } = watched[index]!;
    const isThere = rows[0]?.id === event;
    const isRead = isAll || rows.length > 0;
    return { rows: isThere ? rows.slice(1) : rows, isAll, isBroken: event > 0 && isRead && !isThere };
  });
}

export function tailSteps(
  client: Queryable,
  watched: readonly WatchedTail[],
  pages: TailPages,
): Promise<readonly TailPage<ToldStepRow>[]> {
  return pagesOf(client, STEPS, columns(watched, ["runId", "number"]), watched.length, pages);
}

/** Whether there is something of a run beyond what was seen, told or to be told. */
export async function isTailLonger(client: Queryable, watched: WatchedTail): Promise<boolean> {
  const first = { ofRun: 1, ofAll: 1 };
  const [events] = await tailEvents(client, [watched], first);
  if (events!.rows.length > 0) return true;
  const [steps] = await tailSteps(client, [watched], first);
  return steps!.rows.length > 0;
}

async function pagesOf<Row>(
  client: Queryable,
  how: Statement,
  values: readonly unknown[],
  count: number,
  { ofRun, ofAll }: TailPages,
): Promise<readonly TailPage<Row>[]> {
  const rows = await ask<Row & Watching>(client, how, [...values, ofRun, ofAll]);
  // A nested loop goes through those who watch in their order: of whoever comes before the last that was read, all was.
  const complete = rows.length < ofAll ? count : rows.at(-1)!.watcher - 1;
  const pages = Array.from({ length: count }, (_, index): TailPage<Row> => ({ rows: [], isAll: index < complete }));
  for (const { watcher, ...row } of rows) pages[watcher - 1]!.rows.push(row as Row);
  for (const page of pages) page.isAll &&= page.rows.length < ofRun;
  return pages;
}

interface Watching extends pg.QueryResultRow {
  readonly watcher: number;
}

const STEPPED = statement(
  "tails_stepped",
  `SELECT u.ordinal AS watcher, EXISTS (
      SELECT FROM cairn.history AS h WHERE h.run_id = u.run_id AND h.number > u.seen
    ) AS "hasStepped", EXISTS (
      SELECT FROM cairn.queue AS q WHERE q.run_id = u.run_id AND q.state = 'held'
    ) AS "isHeld"
  FROM unnest($1::uuid[], $2::int[]) WITH ORDINALITY AS u (run_id, seen, ordinal)`,
);

export interface SteppedTail {
  /** An input is there that was not seen. */
  readonly hasStepped: boolean;
  /** Someone holds it: it may take inputs at any time. */
  readonly isHeld: boolean;
}

/** For each that is watched, in order. */
export async function steppedTails(
  client: Queryable,
  watched: readonly Omit<WatchedTail, "event">[],
): Promise<readonly SteppedTail[]> {
  const rows = await ask<SteppedTail & Watching>(client, STEPPED, columns(watched, ["runId", "number"]));
  return rows.sort((a, b) => a.watcher - b.watcher);
}
