import type pg from "pg";
import { ask, statement } from "./statement.ts";

export interface RunView {
  readonly id: string;
  readonly namespace: string;
  readonly type: string;
  readonly version: string;
  readonly status: "pending" | "leased" | "succeeded" | "failed" | "cancelled";
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
}

const FIND = statement(
  "find_run",
  `SELECT id, namespace, type, version, status, phase, waiting_for AS "waitingFor", attempt, max_attempts AS "maxAttempts",
    last_error AS "lastError", priority, tags, parent, payload, result, error, created_at AS "createdAt",
    started_at AS "startedAt", ended_at AS "endedAt", deleted_at AS "deletedAt", deadline
  FROM cairn.workflow_run WHERE namespace = $1 AND id = $2`,
);

export async function findRun(client: pg.ClientBase, namespace: string, id: string): Promise<RunView | undefined> {
  return (await ask<RunView & pg.QueryResultRow>(client, FIND, [namespace, id]))[0];
}

export interface EndedRunView {
  readonly runId: string;
  readonly status: "succeeded" | "failed" | "cancelled" | "deleted";
  readonly value: string;
}

const ENDED = statement(
  "ended_runs",
  `SELECT r.* FROM unnest($1::uuid[]) AS wanted (id) CROSS JOIN LATERAL (
    SELECT id AS "runId", CASE WHEN status = 'pending' THEN 'deleted' ELSE status END AS status,
      coalesce(result, error, 'null') AS value
    FROM cairn.runs WHERE runs.id = wanted.id AND (status <> 'pending' OR deleted_at IS NOT NULL) OFFSET 0
  ) AS r`,
);

/** Those of the runs that have ended or are deleted, of whatever namespace. */
export function endedRuns(client: pg.ClientBase, ids: readonly string[]): Promise<EndedRunView[]> {
  return ask<EndedRunView & pg.QueryResultRow>(client, ENDED, [ids]);
}
