import type { RunStatusName } from "@cairnjs/schemas";
import type { RunPhase } from "@cairnjs/schemas/rest";
import type pg from "pg";
import { RUN_SUMMARY, type RunSummaryView } from "./find-runs.ts";
import { ask, type Queryable } from "./statement.ts";

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
 * What each part of a filter asks for, of a run or of its view. Statements have those alone that are given, and are planned for their
 * values: one plan for all finds a namespace, or a status, that has few among many by reading all of them. Ids are not more
 * than a day from the time of the start, so they bound what is looked at.
 */
const CONDITIONS: readonly (readonly [name: keyof RunFilter, sql: (parameter: string) => string])[] = [
  ["type", (type) => `r.type = ${type}`],
  ["tag", (tag) => `${tag} = ANY (r.tags)`],
  [
    "since",
    (since) => `r.created_at >= ${since} AND r.id >= cairn.id_from_time(${since}::timestamptz - interval '1 day')`,
  ],
  [
    "until",
    (until) => `r.created_at < ${until} AND r.id < cairn.id_from_time(${until}::timestamptz + interval '1 day')`,
  ],
  ["before", (id) => `r.id < ${id}`],
];

const ALIVE: readonly RunStatusName[] = ["pending", "leased"];

/** The newest first. */
export function listRuns(client: Queryable, namespace: string, filter: RunFilter): Promise<RunSummaryView[]> {
  const { statuses, phases, limit } = filter;
  const given = CONDITIONS.filter(([name]) => filter[name] !== null);
  const wanted = given.map(([, sql], index) => sql(`$${index + 3}`));
  const chosen = (table: string, ...conditions: readonly string[]): string =>
    `(SELECT r.id FROM ${table} AS r
      WHERE ${["r.namespace = $1", "r.deleted_at IS NULL", ...wanted, ...conditions].join(" AND ")} ORDER BY r.id DESC LIMIT $2)`;
  const alive = statuses?.filter((status) => ALIVE.includes(status)) ?? [];
  const ended = statuses?.filter((status) => !ALIVE.includes(status)) ?? [];
  const parts: string[] = [];
  if (statuses === null && phases === null) parts.push(chosen("cairn.runs"));
  // Those that live have a row in the queue: by it they are found among however many that have ended.
  if (alive.length > 0 || (statuses === null && phases !== null)) {
    const isStatus = statuses === null ? [] : [isOneOf("r.status", alive)];
    const isPhase = phases === null ? ["r.phase IS NOT NULL"] : [isOneOf("r.phase", phases)];
    parts.push(chosen("cairn.workflow_run", ...isStatus, ...isPhase));
  }
  if (ended.length > 0 && phases === null) parts.push(chosen("cairn.runs", isOneOf("r.status", ended)));
  // None that has ended has a phase.
  if (parts.length === 0) return Promise.resolve([]);
  const text = `SELECT ${RUN_SUMMARY} FROM cairn.workflow_run
    WHERE id = ANY (ARRAY(${parts.join(" UNION ALL ")})) ORDER BY id DESC LIMIT $2`;
  const values = [namespace, limit, ...given.map(([each]) => filter[each])];
  return ask<RunSummaryView & pg.QueryResultRow>(client, { text }, values);
}

/** Of names that were checked; in the text, since an index is for some of them. */
function isOneOf(column: string, names: readonly string[]): string {
  return `${column} IN (${names.map((name) => `'${name}'`).join(", ")})`;
}
