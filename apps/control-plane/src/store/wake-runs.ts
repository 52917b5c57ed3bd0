import { IS_ORDER, RUNS_WITH_MAIL } from "./mail.ts";
import { ask, type Queryable, statement } from "./statement.ts";

/** What a run waits for whose attempt has failed. */
export const NEXT_ATTEMPT = "its next attempt";

/** What is due and was not woken is locked by someone, or one of very many. */
const LOOK_AGAIN_MS = 5;

/** In one statement. */
const WOKEN_MAX = 5_000;

const DUE = statement(
  "wake_due",
  `WITH clock AS MATERIALIZED (SELECT cairn.now() AS moment), due AS (
    SELECT q.run_id FROM cairn.queue AS q
    WHERE q.state = 'parked' AND q.wake_at <= (SELECT moment FROM clock)
    ORDER BY q.wake_at LIMIT ${WOKEN_MAX} FOR UPDATE SKIP LOCKED
  )
  UPDATE cairn.queue AS q SET state = 'ready', wake_at = NULL, phase = 'ready', waiting_for = NULL, ready_at = clock.moment
  FROM due, clock WHERE q.run_id = due.run_id`,
);

/** Only what ends or resumes it wakes a run that is paused; what waits for its time to begin can be ended alone. */
const MAILED = statement(
  "wake_mailed",
  `WITH RECURSIVE ${RUNS_WITH_MAIL}, woken AS (
    SELECT parked.run_id FROM mailed CROSS JOIN LATERAL (
      SELECT q.run_id FROM cairn.queue AS q
      WHERE q.run_id = mailed.run_id AND q.state = 'parked' AND (${hasMail("'cancel', 'delete'")}
        OR CASE WHEN q.phase = 'paused' THEN ${hasMail("'resume'")} WHEN q.started_at IS NULL THEN false
          WHEN q.waiting_for = '${NEXT_ATTEMPT}' THEN ${hasMail("'pause', 'rollback'")} ELSE true END)
      FOR UPDATE SKIP LOCKED
    ) AS parked LIMIT ${WOKEN_MAX}
  )
  UPDATE cairn.queue AS q SET state = 'ready', wake_at = NULL, phase = 'ready', waiting_for = NULL, ready_at = cairn.now()
  WHERE q.run_id = ANY (ARRAY(SELECT run_id FROM woken))`,
);

/** Of orders: there is an index of them. */
function hasMail(kinds: string): string {
  return `EXISTS (SELECT FROM cairn.mailbox AS m WHERE m.run_id = q.run_id AND ${IS_ORDER} AND m.kind IN (${kinds}))`;
}

const NEXT = statement(
  "next_wake",
  `SELECT least(greatest(${LOOK_AGAIN_MS}, extract(epoch FROM wake_at - cairn.now()) * 1000), 2147483647)::int AS "inMs"
  FROM cairn.queue WHERE state = 'parked' AND wake_at IS NOT NULL ORDER BY wake_at LIMIT 1`,
);

export interface Woken {
  readonly count: number;
  /** Until the next parked run is due; null if there is none. */
  readonly nextInMs: number | null;
}

/** Makes parked runs ready that are due, or have mail. */
export async function wakeRuns(client: Queryable): Promise<Woken> {
  const [due, mailed, next] = await Promise.all([
    client.query({ name: DUE.name, text: DUE.text }),
    client.query({ name: MAILED.name, text: MAILED.text }),
    ask<{ inMs: number }>(client, NEXT),
  ]);
  return { count: (due.rowCount ?? 0) + (mailed.rowCount ?? 0), nextInMs: next[0]?.inMs ?? null };
}
