import type { RunStatusName } from "@cairnjs/schemas";
import type pg from "pg";
import { ask, type Queryable, statement } from "./statement.ts";

export interface RunView {
  readonly id: string;
  readonly namespace: string;
  readonly type: string;
  readonly version: string;
  readonly status: RunStatusName;
  /** Of a live run; null of one that has ended. */
  readonly phase: string | null;
  readonly waitingFor: string | null;
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly lastError: string | null;
  readonly priority: number;
  readonly tags: readonly string[];
  readonly parent: string | null;
  readonly payload: string;
  readonly result: string | null;
  readonly error: string | null;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly deletedAt: number | null;
  readonly deadline: number | null;
  /** The schedule that has started it, and the time for which; null if somebody wanted it at once. */
  readonly schedule: string | null;
  readonly scheduledFor: number | null;
}

export const RUN_VIEW = `id, namespace, type, version, status, phase, waiting_for AS "waitingFor", attempt,
  max_attempts AS "maxAttempts", last_error AS "lastError", priority, tags, parent, payload, result, error,
  created_at AS "createdAt", started_at AS "startedAt", ended_at AS "endedAt", deleted_at AS "deletedAt", deadline,
  schedule, scheduled_for AS "scheduledFor"`;

const FIND = statement("find_run", `SELECT ${RUN_VIEW} FROM cairn.workflow_run WHERE namespace = $1 AND id = $2`);

export async function findRun(client: Queryable, namespace: string, id: string): Promise<RunView | undefined> {
  return (await ask<RunView & pg.QueryResultRow>(client, FIND, [namespace, id]))[0];
}

export interface RunEnd {
  readonly runId: string;
  readonly namespace: string;
  /** Null while it lives. */
  readonly status: "succeeded" | "failed" | "cancelled" | "deleted" | null;
  readonly value: string;
  readonly trace: string | null;
}

const ENDS = statement(
  "ends_of_runs",
  `SELECT r.* FROM unnest($1::uuid[]) AS wanted (id) CROSS JOIN LATERAL (
    SELECT id AS "runId", namespace,
      CASE WHEN status <> 'pending' THEN status WHEN deleted_at IS NOT NULL THEN 'deleted' END AS status,
      coalesce(result, error, 'null') AS value, trace
    FROM cairn.runs WHERE runs.id = wanted.id OFFSET 0
  ) AS r`,
);

/** What has become of runs; those that are not there are not among them. */
export function endsOfRuns(client: Queryable, ids: readonly string[]): Promise<RunEnd[]> {
  return ask<RunEnd & pg.QueryResultRow>(client, ENDS, [ids]);
}
