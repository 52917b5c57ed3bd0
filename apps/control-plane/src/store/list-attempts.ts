import type pg from "pg";
import type { AttemptRow } from "./load-attempts.ts";
import { ask, type Queryable, type Statement, statement } from "./statement.ts";

/** Where a list of tries goes on: behind this one. */
export interface AttemptPlace {
  /** When it began or ended, by the order that is wanted. */
  readonly at: number;
  readonly call: string;
  readonly attempt: number;
}

export interface AttemptsLook {
  readonly by: "startedAt" | "endedAt";
  readonly after: AttemptPlace | null;
  readonly newestFirst: boolean;
  readonly call: string | null;
  readonly outcome: string | null;
  readonly limit: number;
}

/**
 * The rows of the run alone, of which the first are kept. An index by time would be one more for each step to write: a page of
 * 100,000 tries took 85 to 110 ms without it, and they leave the database by pages.
 */
const attempts = (name: string, column: string, behind: string, direction: string): Statement =>
  statement(
    name,
    `SELECT call, attempt, worker, started_at AS "startedAt", ended_at AS "endedAt", outcome, error, retry_at AS "retryAt"
    FROM cairn.step_attempts
    WHERE run_id = $1 AND ($2::text IS NULL OR call = $2) AND ($3::text IS NULL OR outcome = $3)
      AND ($4::float8 IS NULL OR (${column}, call, attempt) ${behind} (to_timestamp($4::float8 / 1000), $5::text, $6::int))
    ORDER BY ${column} ${direction}, call ${direction}, attempt ${direction} LIMIT $7`,
  );

const LOOKS = {
  startedAt: [
    attempts("attempts_by_start", "started_at", ">", "ASC"),
    attempts("attempts_by_start_backwards", "started_at", "<", "DESC"),
  ],
  endedAt: [
    attempts("attempts_by_end", "ended_at", ">", "ASC"),
    attempts("attempts_by_end_backwards", "ended_at", "<", "DESC"),
  ],
} as const;

/** Of a run, in the order in which they began or ended. */
export function listAttempts(client: Queryable, runId: string, look: AttemptsLook): Promise<AttemptRow[]> {
  const { by, after, newestFirst, call, outcome, limit } = look;
  const place = after === null ? [null, null, null] : [after.at, after.call, after.attempt];
  const values = [runId, call, outcome, ...place, limit];
  return ask<AttemptRow & pg.QueryResultRow>(client, LOOKS[by][newestFirst ? 1 : 0], values);
}
