import type { RunStatusName } from "@cairnjs/schemas";
import type { RunPhase } from "@cairnjs/schemas/rest";
import type pg from "pg";
import { ask, type Queryable, statement } from "./statement.ts";

/** What is known of a run without its values. */
export interface RunSummaryView {
  readonly id: string;
  readonly namespace: string;
  readonly type: string;
  readonly version: string;
  readonly status: RunStatusName;
  /** Of a live run; null of one that has ended. */
  readonly phase: RunPhase | null;
  readonly waitingFor: string | null;
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly lastError: string | null;
  readonly priority: number;
  readonly tags: readonly string[];
  readonly parent: string | null;
  readonly idempotencyKey: string | null;
  readonly leasedBy: string | null;
  /** When it was due, or goes on by itself. */
  readonly runAt: number;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly deletedAt: number | null;
  readonly deleteReason: string | null;
  readonly deadline: number | null;
  /** The schedule that has started it, and the time for which; null if somebody wanted it at once. */
  readonly schedule: string | null;
  readonly scheduledFor: number | null;
}

/** Values are as they are stored. */
export interface RunView extends RunSummaryView {
  readonly payload: string;
  readonly result: string | null;
  readonly error: string | null;
  readonly trace: string | null;
}

export const RUN_SUMMARY = `id, namespace, type, version, status, phase, waiting_for AS "waitingFor", attempt,
  max_attempts AS "maxAttempts", last_error AS "lastError", priority, tags, parent, idempotency_key AS "idempotencyKey",
  leased_by AS "leasedBy", run_at AS "runAt", created_at AS "createdAt", started_at AS "startedAt", ended_at AS "endedAt",
  deleted_at AS "deletedAt", delete_reason AS "deleteReason", deadline,
  schedule, scheduled_for AS "scheduledFor"`;

const FIND = statement("find_run", `SELECT ${RUN_SUMMARY} FROM cairn.workflow_run WHERE namespace = $1 AND id = $2`);

const FIND_WITH_VALUES = statement(
  "find_run_with_values",
  `SELECT ${RUN_SUMMARY}, payload, result, error, trace FROM cairn.workflow_run WHERE namespace = $1 AND id = $2`,
);

export async function findRun(client: Queryable, namespace: string, id: string): Promise<RunSummaryView | undefined> {
  return (await ask<RunSummaryView & pg.QueryResultRow>(client, FIND, [namespace, id]))[0];
}

export async function findRunWithValues(
  client: Queryable,
  namespace: string,
  id: string,
): Promise<RunView | undefined> {
  return (await ask<RunView & pg.QueryResultRow>(client, FIND_WITH_VALUES, [namespace, id]))[0];
}

export interface RunEnd {
  readonly runId: string;
  readonly namespace: string;
  /** Null while it lives, and if it is to be asked for again. */
  readonly status: "succeeded" | "failed" | "cancelled" | "deleted" | null;
  /** It has ended, and so have many others that were asked for with it. */
  readonly isLater: boolean;
  readonly value: string | null;
  readonly trace: string | null;
}

/** Of so many, values are read at one time. */
const VALUES_MAX = 100;

const ENDS = statement(
  "ends_of_runs",
  `SELECT "runId", namespace, ended > $2 AND status IS NOT NULL AS "isLater", CASE WHEN ended <= $2 THEN status END AS status,
    CASE WHEN ended <= $2 THEN value END AS value, CASE WHEN ended <= $2 THEN trace END AS trace
  FROM (
    SELECT r.*, count(*) FILTER (WHERE r.status IS NOT NULL) OVER (ROWS UNBOUNDED PRECEDING) AS ended
    FROM unnest($1::uuid[]) AS wanted (id) CROSS JOIN LATERAL (
      SELECT id AS "runId", namespace,
        CASE WHEN status <> 'pending' THEN status WHEN deleted_at IS NOT NULL THEN 'deleted' END AS status,
        coalesce(result, error, 'null') AS value, trace
      FROM cairn.runs WHERE runs.id = wanted.id OFFSET 0
    ) AS r
  ) AS found`,
);

/** What has become of runs; those that are not there are not among them. */
export function endsOfRuns(client: Queryable, ids: readonly string[]): Promise<RunEnd[]> {
  return ask<RunEnd & pg.QueryResultRow>(client, ENDS, [ids, VALUES_MAX]);
}

type EndStatus = { readonly id: string } & Pick<RunEnd, "status">;

const STATUSES = statement(
  "statuses_of_runs",
  `SELECT r.* FROM unnest($2::uuid[]) AS wanted (id) CROSS JOIN LATERAL (
    SELECT id, CASE WHEN deleted_at IS NOT NULL THEN 'deleted' WHEN status <> 'pending' THEN status END AS status
    FROM cairn.runs WHERE runs.id = wanted.id AND namespace = $1 OFFSET 0
  ) AS r`,
);

/** How runs of a namespace have ended: null while they live. Those that are not there are not among them. */
export function statusesOfRuns(client: Queryable, namespace: string, ids: readonly string[]): Promise<EndStatus[]> {
  return ask<EndStatus & pg.QueryResultRow>(client, STATUSES, [namespace, ids]);
}
