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

/** Mail of runs that have ended becomes an event: nobody will read it. */
export async function sweepMail(client: Queryable): Promise<void> {
  await ask(client, SWEEP);
}
