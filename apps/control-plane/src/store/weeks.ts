import type pg from "pg";
import type { RunKind } from "./remove-runs.ts";
import { ask, columns, type Queryable, statement } from "./statement.ts";

export const PARTITIONED = ["history", "snapshots", "failed_attempts", "run_events"] as const;
export type Partitioned = (typeof PARTITIONED)[number];

export const WEEK_MS = 7 * 24 * 60 * 60 * 1_000;

/** Runs of one week, by the times in their ids. */
export interface Week {
  /** When it begins. */
  readonly at: number;
  /** The last id before it, and the first one behind it. */
  readonly after: string;
  readonly to: string;
  /** Runs that were removed since its partitions were rewritten. */
  readonly removed: number;
  /** When events that are over were last looked for. */
  readonly eventsAt: number | null;
  /** Those that have a partition of it: not all, if somebody stood in the way when they were dropped. */
  readonly tables: readonly Partitioned[];
  readonly hasRuns: boolean;
}

const WEEKS = statement(
  "weeks_of_runs",
  `SELECT p.week AS at,
    replace(cairn.id_from_time(p.week)::text, '-8000-000000000000', '-7fff-ffffffffffff') AS after,
    cairn.id_from_time(p.week + interval '7 days') AS to,
    coalesce(w.removed, 0) AS removed, w.events_at AS "eventsAt", p.tables,
    EXISTS (SELECT FROM cairn.runs AS r
      WHERE r.id >= cairn.id_from_time(p.week) AND r.id < cairn.id_from_time(p.week + interval '7 days')) AS "hasRuns"
  FROM (
    SELECT to_timestamp(right(c.relname, 8), 'YYYYMMDD') AS week, array_agg(left(c.relname, -9)::text) AS tables
    FROM pg_catalog.pg_class AS c
    WHERE c.relnamespace = 'cairn'::regnamespace AND c.relispartition AND c.relkind = 'r'
      AND c.relname ~ '^(${PARTITIONED.join("|")})_\\d{8}$'
    GROUP BY 1
  ) AS p LEFT JOIN cairn.retained_weeks AS w ON w.week = p.week ORDER BY 1`,
);

/** Those that have partitions, the first one first. */
export function listWeeks(client: Queryable): Promise<Week[]> {
  return ask<Week & pg.QueryResultRow>(client, WEEKS);
}

export function partName(table: Partitioned, week: number): string {
  return `${table}_${new Date(week).toISOString().slice(0, 10).replaceAll("-", "")}`;
}

const AT = "to_timestamp($1::float8 / 1000)";

const EMPTIED = statement(
  "week_rewritten",
  `UPDATE cairn.retained_weeks SET removed = removed - $2 WHERE week = ${AT}`,
);

/** The history of so many removed runs has gone. */
export async function weekRewritten(client: Queryable, { at, removed }: Week): Promise<void> {
  await ask(client, EMPTIED, [at, removed]);
}

const SWEPT = statement(
  "events_swept",
  `INSERT INTO cairn.retained_weeks (week, events_at) VALUES (${AT}, cairn.now())
  ON CONFLICT (week) DO UPDATE SET events_at = excluded.events_at`,
);

export async function eventsSwept(client: Queryable, week: Week): Promise<void> {
  await ask(client, SWEPT, [week.at]);
}

const FORGET = statement("forget_week", `DELETE FROM cairn.retained_weeks WHERE week = ${AT}`);
const DROP = statement("drop_part", `SELECT cairn.drop_part($2, ${AT}) AS dropped`);

/** False: the week has runs. */
export async function dropPart(client: Queryable, table: Partitioned, week: Week): Promise<boolean> {
  return (await ask<{ dropped: boolean }>(client, DROP, [week.at, table]))[0]!.dropped;
}

export async function forgetWeek(client: Queryable, week: Week): Promise<void> {
  await ask(client, FORGET, [week.at]);
}

const ABANDON = statement("abandon_rewrites", "SELECT cairn.abandon_rewrites() AS count");

/** Removes what was left by those who did not come to the end. */
export async function abandonRewrites(client: Queryable): Promise<number> {
  return (await ask<{ count: number }>(client, ABANDON))[0]!.count;
}

const BEGIN = statement("begin_rewrite", `SELECT cairn.begin_rewrite($2, ${AT}, $3)`);
const FINISH = statement("finish_rewrite", `SELECT cairn.finish_rewrite($2, ${AT}, $3)`);

export async function beginRewrite(client: Queryable, table: Partitioned, week: Week, token: string): Promise<void> {
  await ask(client, BEGIN, [week.at, table, token]);
}

export async function finishRewrite(client: Queryable, table: Partitioned, week: Week, token: string): Promise<void> {
  await ask(client, FINISH, [week.at, table, token]);
}

/** Kinds of runs whose events are over that were written before a time. */
export interface EventsBefore extends RunKind {
  readonly before: number;
}

const PAGE = `page AS MATERIALIZED (
    SELECT r.id, r.namespace, r.type FROM cairn.runs AS r WHERE r.id > $1 AND r.id < $2 ORDER BY r.id LIMIT $3
  )`;
const LAST = "(SELECT page.id FROM page ORDER BY page.id DESC LIMIT 1) AS last";

/** Of the events of a page: those that are over. Those of a live run never are. */
const IS_OVER = `e.at < (
      SELECT to_timestamp(k.before / 1000) FROM unnest($4::text[], $5::text[], $6::float8[]) AS k (namespace, type, before)
      WHERE k.namespace = page.namespace AND k.type = page.type
    ) AND NOT EXISTS (SELECT FROM cairn.queue AS q WHERE q.run_id = page.id)`;

/**
 * Copies what stays of some runs: what belongs to no run does not. By runs, of which few are left, and not by what is to go. `over` is for
 * events alone. Returns the last run of the page; null: there are no more.
 */
export async function copyPage(
  client: Queryable,
  table: Partitioned,
  week: Week,
  page: { readonly token: string; readonly after: string; readonly limit: number },
  over: readonly EventsBefore[],
): Promise<string | null> {
  const part = partName(table, week.at);
  const stays = table === "run_events" ? `WHERE (${IS_OVER}) IS NOT TRUE` : "";
  const text = `WITH ${PAGE}, copied AS (
    INSERT INTO cairn.${part}_next_${page.token} SELECT e.* FROM page CROSS JOIN LATERAL (
      SELECT e.* FROM cairn.${part} AS e WHERE e.run_id = page.id OFFSET 0
    ) AS e ${stays} ON CONFLICT DO NOTHING
  ) SELECT ${LAST}`;
  const kinds = table === "run_events" ? columns(over, ["namespace", "type", "before"]) : [];
  const values = [page.after, week.to, page.limit, ...kinds];
  return (await client.query<{ last: string | null }>(text, values)).rows[0]!.last;
}

/** Before events of a week that are over are removed: whoever comes back from before them has missed some. */
export async function noteRemovedEvents(client: Queryable, week: Week, over: readonly EventsBefore[]): Promise<void> {
  const before = Math.max(...over.map((each) => each.before));
  if (!Number.isFinite(before)) return;
  const text = `SELECT cairn.note_removed('run_events', max(e.id)) FROM cairn.${partName("run_events", week.at)} AS e
  WHERE e.at < to_timestamp($1::float8 / 1000)`;
  await client.query(text, [before]);
}

/** Where a look at the events of a week has come to. */
export interface EventsCursor {
  readonly runId: string;
  readonly id: number;
}

/** Deletes those of the next events of a week that are over, or belong to no run. Null: there are no more. */
export async function deleteEventsPage(
  client: Queryable,
  week: Week,
  after: EventsCursor,
  limit: number,
  over: readonly EventsBefore[],
): Promise<{ readonly last: EventsCursor | null; readonly deleted: number }> {
  const part = partName("run_events", week.at);
  const text = `WITH next AS MATERIALIZED (
    SELECT e.run_id, e.id, e.at FROM cairn.${part} AS e WHERE (e.run_id, e.id) > ($1, $2) ORDER BY e.run_id, e.id LIMIT $3
  ), e AS MATERIALIZED (
    SELECT next.run_id, next.id FROM next LEFT JOIN cairn.runs AS page ON page.id = next.run_id
    WHERE page.id IS NULL OR (${IS_OVER.replaceAll("e.at", "next.at")})
  ), gone AS (
    DELETE FROM cairn.${part} AS g USING e WHERE g.run_id = e.run_id AND g.id = e.id RETURNING 1
  ) SELECT (SELECT run_id FROM next ORDER BY run_id DESC, id DESC LIMIT 1) AS "runId",
    (SELECT id FROM next ORDER BY run_id DESC, id DESC LIMIT 1) AS id, (SELECT count(*) FROM gone) AS deleted`;
  const values = [after.runId, after.id, limit, ...columns(over, ["namespace", "type", "before"])];
  type Row = { readonly runId: string | null; readonly id: number; readonly deleted: number };
  const { runId, id, deleted } = (await client.query<Row>(text, values)).rows[0]!;
  return { last: runId === null ? null : { runId, id }, deleted };
}

export interface CountedEvents {
  readonly all: number;
  readonly over: number;
}

/** How many events a week has, and how many of them are over, as far as some of its runs say: a sample from its beginning and its end. */
export async function sampleEvents(
  client: Queryable,
  week: Week,
  limit: number,
  over: readonly EventsBefore[],
): Promise<CountedEvents> {
  const part = partName("run_events", week.at);
  const some = (order: string): string =>
    `(SELECT r.id, r.namespace, r.type FROM cairn.runs AS r WHERE r.id > $1 AND r.id < $2 ORDER BY r.id ${order} LIMIT $3)`;
  const text = `WITH page AS MATERIALIZED (${some("ASC")} UNION ${some("DESC")})
  SELECT count(*) AS all, count(*) FILTER (WHERE ${IS_OVER}) AS over
  FROM page CROSS JOIN LATERAL (SELECT e.* FROM cairn.${part} AS e WHERE e.run_id = page.id OFFSET 0) AS e`;
  const values = [week.after, week.to, limit, ...columns(over, ["namespace", "type", "before"])];
  return (await client.query<CountedEvents & pg.QueryResultRow>(text, values)).rows[0]!;
}
