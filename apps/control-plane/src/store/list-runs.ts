import type pg from "pg";
import { type RunView, RUN_VIEW } from "./find-runs.ts";
import { ask, type Queryable, statement } from "./statement.ts";

export interface RunFilter {
  readonly type: string | null;
  readonly statuses: readonly RunView["status"][] | null;
  readonly limit: number;
}

const LIST = statement(
  "list_runs",
  `SELECT ${RUN_VIEW} FROM cairn.workflow_run
  WHERE namespace = $1 AND ($2::text IS NULL OR type = $2) AND ($3::text[] IS NULL OR status = ANY ($3))
    AND deleted_at IS NULL
  ORDER BY id DESC LIMIT $4`,
);

/** The newest first. */
export function listRuns(client: Queryable, namespace: string, filter: RunFilter): Promise<RunView[]> {
  return ask<RunView & pg.QueryResultRow>(client, LIST, [namespace, filter.type, filter.statuses, filter.limit]);
}
