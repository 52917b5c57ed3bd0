import type { Retained } from "@cairnjs/schemas";
import type pg from "pg";
import { ask, type Queryable, statement } from "./statement.ts";

/** What somebody has said of a namespace. */
export interface RetentionRow {
  readonly namespace: string;
  readonly what: Retained;
  readonly pattern: string;
  /** Null: for ever. */
  readonly keepMs: number | null;
  readonly changedAt: number;
}

const LIST = statement(
  "list_retention",
  `SELECT namespace, what, pattern, keep_ms AS "keepMs", changed_at AS "changedAt" FROM cairn.retention
  WHERE $1::text IS NULL OR namespace = $1 ORDER BY namespace, what, pattern`,
);

/** Of all namespaces, if none is given. */
export function listRetention(client: Queryable, namespace: string | null): Promise<RetentionRow[]> {
  return ask<RetentionRow & pg.QueryResultRow>(client, LIST, [namespace]);
}

const SET = statement(
  "set_retention",
  `INSERT INTO cairn.retention (namespace, what, pattern, keep_ms, changed_at) VALUES ($1, $2, $3, $4, cairn.now())
  ON CONFLICT (namespace, what, pattern) DO UPDATE SET keep_ms = excluded.keep_ms, changed_at = excluded.changed_at
  RETURNING changed_at AS "changedAt"`,
);

/** When it is set: nobody need look for it, who may find that it was removed meanwhile. */
export async function setRetention(client: Queryable, rule: Omit<RetentionRow, "changedAt">): Promise<number> {
  const [row] = await ask<{ changedAt: number }>(client, SET, [rule.namespace, rule.what, rule.pattern, rule.keepMs]);
  return row!.changedAt;
}

const REMOVE = statement(
  "remove_retention",
  "DELETE FROM cairn.retention WHERE namespace = $1 AND what = $2 AND pattern = $3 RETURNING pattern",
);

/** False: there is none. */
export async function removeRetention(
  client: Queryable,
  namespace: string,
  what: Retained,
  pattern: string,
): Promise<boolean> {
  return (await ask(client, REMOVE, [namespace, what, pattern])).length > 0;
}
