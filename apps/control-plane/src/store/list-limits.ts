import type pg from "pg";
import { isNamedBy } from "./named-by.ts";
import { ask, type Queryable, type Statement, statement } from "./statement.ts";

/** What an action may do, and what it does. */
export interface LimitRow {
  readonly name: string;
  readonly concurrency: number | null;
  readonly rate: number | null;
  readonly perMs: number | null;
  readonly open: number;
  readonly waiting: number;
  /** Those with most calls first. */
  readonly keys: readonly { readonly key: string; readonly open: number; readonly waiting: number }[];
}

export interface LimitsLook {
  /** A name, or the beginning of names before a star; null: any. */
  readonly name: string | null;
  readonly after: string | null;
  readonly backwards: boolean;
  readonly limit: number;
  readonly keysMax: number;
}

/** An action that is limited no more has a row as long as calls of it are there. */
const limits = (name: string, behind: string, direction: string): Statement =>
  statement(
    name,
    `SELECT l.action AS name, l.concurrency, l.rate, l.rate_ms AS "perMs", coalesce(sums.open, 0)::int AS open,
      coalesce(sums.waiting, 0)::int AS waiting, coalesce(sums.keys, '[]') AS keys
    FROM cairn.action_limits AS l CROSS JOIN LATERAL (
      SELECT sum(k.open) AS open, sum(k.waiting) AS waiting,
        json_agg(json_build_object('key', k.key, 'open', k.open, 'waiting', k.waiting) ORDER BY k.rank)
          FILTER (WHERE k.rank <= $4) AS keys
      FROM (
        SELECT w.key, count(w.granted_at) AS open, count(*) - count(w.granted_at) AS waiting,
          row_number() OVER (ORDER BY count(*) DESC, w.key) AS rank
        FROM cairn.limited_calls AS w WHERE w.namespace = l.namespace AND w.action = l.action GROUP BY w.key
      ) AS k
    ) AS sums
    WHERE l.namespace = $1 AND ($2::text IS NULL OR l.action ${behind} $2)
      AND ${isNamedBy("l.action", "$3")}
      AND (num_nonnulls(l.concurrency, l.rate) > 0 OR sums.open + sums.waiting > 0)
    ORDER BY l.action ${direction} LIMIT $5`,
  );
const LIMITS = limits("list_limits", ">", "ASC");
const LIMITS_BACKWARDS = limits("list_limits_backwards", "<", "DESC");

/** By name. */
export async function listLimits(client: Queryable, namespace: string, look: LimitsLook): Promise<LimitRow[]> {
  const { name, after, backwards, limit, keysMax } = look;
  const values = [namespace, after, name, keysMax, limit];
  const rows = await ask<Omit<LimitRow, "keys"> & { keys: string } & pg.QueryResultRow>(
    client,
    backwards ? LIMITS_BACKWARDS : LIMITS,
    values,
  );
  return rows.map(({ keys, ...row }) => ({ ...row, keys: JSON.parse(keys) as LimitRow["keys"] }));
}
