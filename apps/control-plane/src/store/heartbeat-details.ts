import { ask, columns, type Queryable, statement } from "./statement.ts";

interface Details {
  readonly runId: string;
  readonly call: string;
  readonly attempt: number;
  readonly details: string;
}

type Call = Pick<Details, "runId" | "call">;

const KEEP = statement(
  "keep_heartbeat_details",
  `INSERT INTO cairn.heartbeat_details AS d (run_id, call, attempt, details, told_at)
  SELECT r.run_id, r.call, r.attempt, r.details::json, cairn.now()
  FROM unnest($1::uuid[], $2::text[], $3::int[], $4::text[]) AS r (run_id, call, attempt, details)
  ORDER BY r.run_id, r.call
  ON CONFLICT (run_id, call) DO UPDATE
    SET attempt = excluded.attempt, details = excluded.details, told_at = excluded.told_at
    WHERE d.attempt <= excluded.attempt`,
);

/** What an older try tells, which goes on although it was given up, does not count. */
export async function keepHeartbeatDetails(client: Queryable, details: readonly Details[]): Promise<void> {
  await ask(client, KEEP, columns(details, ["runId", "call", "attempt", "details"]));
}

const FIND = statement(
  "find_heartbeat_details",
  `SELECT d.* FROM unnest($1::uuid[], $2::text[]) AS wanted (run_id, call) CROSS JOIN LATERAL (
    SELECT run_id AS "runId", call, attempt, details FROM cairn.heartbeat_details AS d
    WHERE d.run_id = wanted.run_id AND d.call = wanted.call OFFSET 0
  ) AS d`,
);

export function findHeartbeatDetails(client: Queryable, calls: readonly Call[]): Promise<Details[]> {
  return ask<Details & Record<string, unknown>>(client, FIND, columns(calls, ["runId", "call"]));
}

const FORGET = statement(
  "forget_heartbeat_details",
  `DELETE FROM cairn.heartbeat_details AS d USING unnest($1::uuid[], $2::text[]) AS gone (run_id, call)
  WHERE d.run_id = gone.run_id AND d.call = gone.call`,
);

export async function forgetHeartbeatDetails(client: Queryable, calls: readonly Call[]): Promise<void> {
  await ask(client, FORGET, columns(calls, ["runId", "call"]));
}

const SWEEP = statement(
  "sweep_heartbeat_details",
  `DELETE FROM cairn.heartbeat_details AS d
  WHERE d.told_at < cairn.now() - interval '1 hour' AND NOT EXISTS (SELECT FROM cairn.queue AS q WHERE q.run_id = d.run_id)`,
);

/** Of runs that have ended while whoever heard of them was down. */
export async function sweepHeartbeatDetails(client: Queryable): Promise<void> {
  await ask(client, SWEEP);
}
