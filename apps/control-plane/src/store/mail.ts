import type pg from "pg";
import { ask, columns, type Queryable, statement } from "./statement.ts";
import type { MailKind, NewMail } from "./transition.ts";

export interface Letter {
  readonly runId: string;
  readonly id: number;
  readonly kind: MailKind;
  readonly call: string | null;
  readonly name: string | null;
  readonly value: string | null;
}

const SEND = statement(
  "send_mail",
  `WITH letters AS (
    SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[])
      WITH ORDINALITY AS r (run_id, kind, call, name, value, ordinal)
  ), sent AS (
    INSERT INTO cairn.mailbox (run_id, kind, call, name, value, sent_at)
    SELECT r.run_id, r.kind, r.call, r.name, r.value::json, cairn.now() FROM letters AS r
    WHERE EXISTS (SELECT FROM cairn.queue AS q WHERE q.run_id = r.run_id) ORDER BY r.ordinal
    RETURNING run_id
  ) SELECT DISTINCT run_id AS id FROM sent`,
);

/** Returns the runs that live: letters to others are not kept. */
export async function sendMail(client: Queryable, letters: readonly NewMail[]): Promise<Set<string>> {
  const values = columns(letters, ["runId", "kind", "call", "name", "value"]);
  return new Set((await ask<{ id: string }>(client, SEND, values)).map(({ id }) => id));
}

const SEND_ONCE = statement(
  "send_once",
  `WITH sent AS (
    INSERT INTO cairn.sent_letters (key, sent_at) SELECT $1, cairn.now()
    WHERE EXISTS (SELECT FROM cairn.queue AS q WHERE q.run_id = $2) ON CONFLICT DO NOTHING RETURNING sent_at
  ), letter AS (
    INSERT INTO cairn.mailbox (run_id, kind, name, value, sent_at) SELECT $2, $3, $4, $5::text::json, sent_at FROM sent
  ) SELECT FROM sent`,
);

const WAS_SENT = statement("was_sent", "SELECT FROM cairn.sent_letters WHERE key = $1");

/**
 * Sends a letter under a key, which is used for one: asked again, it is not sent again, not even if it was read in the
 * meantime. False if the run does not live.
 */
export async function sendOnce(client: Queryable, key: string, letter: Omit<NewMail, "call">): Promise<boolean> {
  const { runId, kind, name, value } = letter;
  if ((await ask(client, SEND_ONCE, [key, runId, kind, name, value])).length > 0) return true;
  return (await ask(client, WAS_SENT, [key])).length > 0;
}

/** Of one run, in one transition. */
const MAIL_MAX = 1_000;
/** Of all runs, in one look. */
const LOOK_MAX = 5_000;

const LETTER = `m.run_id AS "runId", m.id, m.kind, m.call, m.name, m.value`;

const MINE = statement(
  "mail_of_owner",
  `SELECT ${LETTER} FROM cairn.mailbox AS m JOIN cairn.queue AS q USING (run_id)
  WHERE q.state = 'held' AND q.owner = $1 ORDER BY m.run_id, m.id LIMIT ${LOOK_MAX}`,
);

/** Mail of all runs that an owner holds: the mailbox is small, since whoever owns a run empties it. */
export function mailOfOwner(client: Queryable, owner: string): Promise<Letter[]> {
  return ask<Letter & pg.QueryResultRow>(client, MINE, [owner]);
}

const OF_RUNS = statement(
  "mail_of_runs",
  `SELECT m.* FROM unnest($1::uuid[]) AS wanted (id) CROSS JOIN LATERAL (
    SELECT ${LETTER} FROM cairn.mailbox AS m WHERE m.run_id = wanted.id ORDER BY m.id LIMIT ${MAIL_MAX}
  ) AS m`,
);

export function mailOfRuns(client: Queryable, ids: readonly string[]): Promise<Letter[]> {
  return ask<Letter & pg.QueryResultRow>(client, OF_RUNS, [ids]);
}

const SWEEP = statement(
  "sweep_mail",
  `WITH dead AS (
    DELETE FROM cairn.mailbox AS m
    WHERE NOT EXISTS (SELECT FROM cairn.queue AS q WHERE q.run_id = m.run_id)
    RETURNING m.run_id, m.kind, m.name, m.value
  ) INSERT INTO cairn.run_events (run_id, kind, data, at)
  SELECT run_id, 'undelivered', json_build_object('kind', kind, 'name', name, 'value', value), cairn.now() FROM dead`,
);

const FORGET_SENT = statement(
  "forget_sent",
  "DELETE FROM cairn.sent_letters WHERE sent_at < (SELECT cairn.now() - interval '1 hour')",
);

/** Mail of runs that have ended becomes an event: nobody will read it. */
export async function sweepMail(client: Queryable): Promise<void> {
  await ask(client, SWEEP);
  await ask(client, FORGET_SENT);
}
