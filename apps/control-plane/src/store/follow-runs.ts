import type pg from "pg";
import { ask, type Queryable, statement } from "./statement.ts";

/** Values are for people to see: longer ones are not read. */
const SHOWN = (column: string): string => `CASE WHEN length(${column}::text) <= 4000 THEN ${column} END`;

/** Ids of about now are those of runs that were just started. */
const NEW_RUNS = statement(
  "new_runs",
  `SELECT id FROM cairn.runs WHERE id >= cairn.id_from_time(cairn.now() - interval '10 s') ORDER BY id DESC LIMIT $1`,
);

const LIVE_RUNS = statement("live_runs", "SELECT run_id AS id FROM cairn.queue ORDER BY run_id DESC LIMIT $1");

const STATES = statement(
  "followed_states",
  `SELECT r.id, r.namespace, r.type, r.status, ${SHOWN("r.payload")} AS payload, ${SHOWN("r.result")} AS result,
    ${SHOWN("r.error")} AS error, q.phase, q.waiting_for AS "waitingFor", q.wake_at AS "wakeAt"
  FROM unnest($1::uuid[]) AS u(id) CROSS JOIN LATERAL (SELECT * FROM cairn.runs AS one WHERE one.id = u.id OFFSET 0) AS r
  LEFT JOIN cairn.queue AS q ON q.run_id = r.id`,
);

const INPUTS = statement(
  "followed_inputs",
  `SELECT u.id AS "runId", h.* FROM unnest($1::uuid[], $2::int[]) AS u(id, seen) CROSS JOIN LATERAL (
    SELECT number, kind, node, name, ${SHOWN("value")} AS value, attempt, action, at, started_at AS "startedAt"
    FROM cairn.history WHERE run_id = u.id AND number > u.seen ORDER BY number LIMIT 1000 OFFSET 0) AS h`,
);

const LAST_INPUTS = statement(
  "last_inputs",
  `SELECT u.id, h.number FROM unnest($1::uuid[]) AS u(id) CROSS JOIN LATERAL (
    SELECT number FROM cairn.history WHERE run_id = u.id ORDER BY number DESC LIMIT 1 OFFSET 0) AS h`,
);

const FAILED_TRIES = statement(
  "followed_tries",
  `SELECT u.id AS "runId", f.* FROM unnest($1::uuid[]) AS u(id) CROSS JOIN LATERAL (
    SELECT call, attempt, node, action, outcome, ${SHOWN("error")} AS error, ended_at AS at, retry_at AS "retryAt"
    FROM cairn.failed_attempts WHERE run_id = u.id ORDER BY call, attempt LIMIT 1000 OFFSET 0) AS f`,
);

export interface FollowedState {
  readonly id: string;
  readonly namespace: string;
  readonly type: string;
  readonly status: "pending" | "succeeded" | "failed" | "cancelled";
  /** Encoded; null if there is none, or it is long. */
  readonly payload: string | null;
  readonly result: string | null;
  readonly error: string | null;
  /** Of a run that has not ended. */
  readonly phase: string | null;
  readonly waitingFor: string | null;
  readonly wakeAt: number | null;
}

export interface FollowedInput {
  readonly runId: string;
  readonly number: number;
  readonly kind: string;
  readonly node: string | null;
  /** Of a signal. */
  readonly name: string | null;
  readonly value: string | null;
  readonly attempt: number | null;
  readonly action: string | null;
  readonly at: number;
  readonly startedAt: number | null;
}

export interface FollowedTry {
  readonly runId: string;
  readonly call: string;
  readonly attempt: number;
  readonly node: string;
  readonly action: string;
  readonly outcome: "failed" | "lost";
  readonly error: string | null;
  readonly at: number;
  readonly retryAt: number | null;
}

export async function newRuns(client: Queryable, most: number): Promise<string[]> {
  return (await ask<{ id: string }>(client, NEW_RUNS, [most])).map(({ id }) => id);
}

export async function liveRuns(client: Queryable, most: number): Promise<string[]> {
  return (await ask<{ id: string }>(client, LIVE_RUNS, [most])).map(({ id }) => id);
}

export function followedStates(client: Queryable, ids: readonly string[]): Promise<FollowedState[]> {
  return ask<FollowedState & pg.QueryResultRow>(client, STATES, [ids]);
}

export function followedInputs(
  client: Queryable,
  ids: readonly string[],
  seen: readonly number[],
): Promise<FollowedInput[]> {
  return ask<FollowedInput & pg.QueryResultRow>(client, INPUTS, [ids, seen]);
}

export function lastInputs(
  client: Queryable,
  ids: readonly string[],
): Promise<{ readonly id: string; readonly number: number }[]> {
  return ask<{ id: string; number: number }>(client, LAST_INPUTS, [ids]);
}

export function failedTries(client: Queryable, ids: readonly string[]): Promise<FollowedTry[]> {
  return ask<FollowedTry & pg.QueryResultRow>(client, FAILED_TRIES, [ids]);
}
