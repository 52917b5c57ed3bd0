import type pg from "pg";
import { ask, type Queryable, statement } from "./statement.ts";

export interface AttemptRow {
  readonly call: string;
  readonly attempt: number;
  readonly worker: string | null;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly outcome: "succeeded" | "failed" | "lost";
  readonly error: string | null;
  readonly retryAt: number | null;
}

const ATTEMPTS = statement(
  "load_attempts",
  `SELECT call, attempt, worker, started_at AS "startedAt", ended_at AS "endedAt", outcome, error, retry_at AS "retryAt"
  FROM cairn.step_attempts WHERE run_id = $1 ORDER BY ended_at, attempt`,
);

/** Tries of a run's calls, in the order they ended. */
export function loadAttempts(client: Queryable, runId: string): Promise<AttemptRow[]> {
  return ask<AttemptRow & pg.QueryResultRow>(client, ATTEMPTS, [runId]);
}
