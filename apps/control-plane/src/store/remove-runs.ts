import type pg from "pg";
import { ask, columns, type Queryable, statement } from "./statement.ts";

/** A kind of runs. */
export interface RunKind {
  readonly namespace: string;
  readonly type: string;
}

/** By one look at the index for each, however many runs there are. */
const KINDS = statement(
  "kinds_of_runs",
  `WITH RECURSIVE kinds (namespace, type) AS (
    (SELECT r.namespace, r.type FROM cairn.runs AS r ORDER BY r.namespace, r.type LIMIT 1)
    UNION ALL
    SELECT next.namespace, next.type FROM kinds, LATERAL (
      SELECT r.namespace, r.type FROM cairn.runs AS r WHERE (r.namespace, r.type) > (kinds.namespace, kinds.type)
      ORDER BY r.namespace, r.type LIMIT 1
    ) AS next
  ) SELECT namespace, type FROM kinds`,
);

export function kindsOfRuns(client: Queryable): Promise<RunKind[]> {
  return ask<RunKind & pg.QueryResultRow>(client, KINDS);
}

/** A part of the ids, that of a week above all: without both. */
export interface IdRange {
  readonly after: string;
  readonly to: string;
}

/** Runs of a kind that are over since they ended before a time. */
export interface EndedBefore extends RunKind {
  readonly endedBefore: number;
}

const OVER = `v.namespace = $1 AND v.type = $2 AND v.id > $3 AND v.id < $4 AND v.ended_at < to_timestamp($5::float8 / 1000)`;

const PAGE = statement("runs_over", `SELECT v.id FROM cairn.removable_runs AS v WHERE ${OVER} ORDER BY v.id LIMIT $6`);

/** The first of those that are over, by id. */
export async function runsOver(
  client: Queryable,
  { namespace, type, endedBefore }: EndedBefore,
  { after, to }: IdRange,
  limit: number,
): Promise<string[]> {
  const values = [namespace, type, after, to, endedBefore, limit];
  return (await ask<{ id: string }>(client, PAGE, values)).map(({ id }) => id);
}

const COUNT = statement("count_runs_over", `SELECT count(*) AS count FROM cairn.removable_runs AS v WHERE ${OVER}`);

export async function countRunsOver(
  client: Queryable,
  { namespace, type, endedBefore }: EndedBefore,
  { after, to }: IdRange,
): Promise<number> {
  const values = [namespace, type, after, to, endedBefore];
  return (await ask<{ count: number }>(client, COUNT, values))[0]!.count;
}

const ALL = statement("count_runs_of_range", "SELECT count(*) AS count FROM cairn.runs WHERE id > $1 AND id < $2");

export async function countRuns(client: Queryable, { after, to }: IdRange): Promise<number> {
  return (await ask<{ count: number }>(client, ALL, [after, to]))[0]!.count;
}

export interface DeletedRun extends RunKind {
  readonly id: string;
  readonly deletedAt: number;
}

const DELETED = statement(
  "deleted_runs_over",
  `SELECT v.id, v.namespace, v.type, v.deleted_at AS "deletedAt" FROM cairn.removable_runs AS v
  JOIN unnest($1::text[], $2::text[], $3::float8[]) AS k (namespace, type, before) ON k.namespace = v.namespace AND k.type = v.type
  WHERE v.deleted_at IS NOT NULL AND v.deleted_at < to_timestamp(k.before / 1000)
    AND v.deleted_at >= to_timestamp($4::float8 / 1000) AND (v.deleted_at > to_timestamp($4::float8 / 1000) OR v.id > $5)
  ORDER BY v.deleted_at, v.id LIMIT $6`,
);

/** Runs that were deleted before the times of their kinds, those of longest ago first, after one of them. */
export function deletedRunsOver(
  client: Queryable,
  kinds: readonly (RunKind & { readonly before: number })[],
  after: Pick<DeletedRun, "id" | "deletedAt">,
  limit: number,
): Promise<DeletedRun[]> {
  const values = [...columns(kinds, ["namespace", "type", "before"]), after.deletedAt, after.id, limit];
  return ask<DeletedRun & pg.QueryResultRow>(client, DELETED, values);
}

export interface Removal {
  /** When the week of these runs began. */
  readonly week: number;
  readonly ids: readonly string[];
  readonly endedBefore: number | null;
  readonly deletedBefore: number | null;
  /** Or with the rewrite of the week's partitions. */
  readonly withHistory: boolean;
}

const REMOVE = statement(
  "remove_runs",
  `SELECT cairn.remove_runs(to_timestamp($1::float8 / 1000), $2::uuid[], to_timestamp($3::float8 / 1000),
    to_timestamp($4::float8 / 1000), $5) AS count`,
);

/** For good, in one transaction; those that are no longer over stay. Returns how many went. */
export async function removeRuns(client: Queryable, removal: Removal): Promise<number> {
  const { week, ids, endedBefore, deletedBefore, withHistory } = removal;
  return (await ask<{ count: number }>(client, REMOVE, [week, ids, endedBefore, deletedBefore, withHistory]))[0]!.count;
}
