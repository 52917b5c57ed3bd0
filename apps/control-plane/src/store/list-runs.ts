import type { RunStatusName } from "@cairnjs/schemas";
import type { RunPhase } from "@cairnjs/schemas/rest";
import type pg from "pg";
import { RUN_SUMMARY, type RunSummaryView } from "./find-runs.ts";
import { ask, type Queryable, statement } from "./statement.ts";

/** Null: whatever it is. */
export interface RunFilter {
  readonly type: string | null;
  readonly statuses: readonly RunStatusName[] | null;
  readonly phases: readonly RunPhase[] | null;
  readonly tag: string | null;
  /** Started at this time or later, and before the other. */
  readonly since: Date | null;
  readonly until: Date | null;
  /** Older than this run. */
  readonly before: string | null;
  readonly limit: number;
}

/**
 * What each part of a filter asks for. Statements have those alone that are given: plans are made once for all values, and
 * one with "or there is no such filter" in it finds nothing by an index. Ids are not more than a day from the time of the
 * start, so they bound what is looked at.
 */
const CONDITIONS: readonly (readonly [name: keyof RunFilter, sql: (parameter: string) => string])[] = [
  ["type", (type) => `type = ${type}`],
  ["statuses", (statuses) => `status = ANY (${statuses}::text[])`],
  ["phases", (phases) => `phase = ANY (${phases}::text[])`],
  ["tag", (tag) => `${tag} = ANY (tags)`],
  ["since", (since) => `created_at >= ${since} AND id >= cairn.id_from_time(${since}::timestamptz - interval '1 day')`],
  ["until", (until) => `created_at < ${until} AND id < cairn.id_from_time(${until}::timestamptz + interval '1 day')`],
  ["before", (id) => `id < ${id}`],
];

/** The newest first. */
export function listRuns(client: Queryable, namespace: string, filter: RunFilter): Promise<RunSummaryView[]> {
  const { statuses, phases, limit } = filter;
  const given = CONDITIONS.filter(([name]) => filter[name] !== null);
  const wanted = given.map(([, sql], index) => sql(`$${index + 3}`));
  // Those that live have a row in the queue: by it they are found among however many that have ended.
  const isLiving = phases !== null || (statuses?.every((each) => each === "pending" || each === "leased") ?? false);
  if (isLiving) wanted.push("phase IS NOT NULL");
  const name = ["list_runs", ...given.map(([each]) => each), ...(isLiving ? ["living"] : [])].join("_");
  const list = statement(
    name,
    `SELECT ${RUN_SUMMARY} FROM cairn.workflow_run
    WHERE ${["namespace = $1", "deleted_at IS NULL", ...wanted].join(" AND ")} ORDER BY id DESC LIMIT $2`,
  );
  const values = [namespace, limit, ...given.map(([each]) => filter[each])];
  return ask<RunSummaryView & pg.QueryResultRow>(client, list, values);
}
