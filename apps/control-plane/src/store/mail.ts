import { hash } from "node:crypto";
import type pg from "pg";
import { forgetBulkOrders } from "./bulk-orders.ts";
import { comparedText, mayBeSealed } from "./compared-text.ts";
import { forgetGivenIds } from "./given-ids.ts";
import { skipScan } from "./skip-scan.ts";
import { ask, columns, type Queryable, statement } from "./statement.ts";
import type { MailKind, NewMail } from "./transition.ts";

export interface Letter {
  readonly runId: string;
  readonly id: number;
  readonly kind: MailKind;
  readonly call: string | null;
  readonly name: string | null;
  readonly sender: string | null;
  readonly value: string | null;
  /** What the value takes, wherever it is stored. */
  readonly bytes: number;
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
    INSERT INTO cairn.sent_letters (key, digest, sent_at, kept_until)
    SELECT $1, decode($7, 'hex'), cairn.now(), greatest($6::timestamptz, cairn.now() + interval '1 hour')
    WHERE EXISTS (SELECT FROM cairn.queue AS q WHERE q.run_id = $2) ON CONFLICT DO NOTHING RETURNING sent_at
  ), letter AS (
    INSERT INTO cairn.mailbox (run_id, kind, name, value, sent_at) SELECT $2, $3, $4, $5::text::json, sent_at FROM sent
  ) SELECT FROM sent`,
);

const WAS_SENT = statement(
  "was_sent",
  "SELECT digest = decode($2, 'hex') AS same FROM cairn.sent_letters WHERE key = $1",
);

/** What a letter is sent under: a key that is used for one, and how it is known that another is the same. */
export interface LetterKey {
  readonly key: string;
  /** Of `digestOf`. */
  readonly digest: string;
  /** Until when it is known, if that is longer than an hour. */
  readonly keptUntil?: Date;
}

/** Of what is asked for under a key: the values in it may be as they are, or as encoded texts. */
export function digestOf(...said: readonly unknown[]): string {
  const text = JSON.stringify(said);
  if (!mayBeSealed(text)) return hash("sha256", text);
  const compared = (_: string, part: unknown): unknown => (typeof part === "string" ? comparedText(part) : part);
  return hash("sha256", comparedText(JSON.stringify(said, compared)));
}

/**
 * Sends a letter under a key: asked again, it is not sent again, not even if it was read in the meantime. `another`: a letter was sent under
 * the key that is not this one. Null if the run does not live.
 */
export async function sendOnce(
  client: Queryable,
  { key, digest, keptUntil }: LetterKey,
  letter: Omit<NewMail, "call">,
): Promise<"sent" | "sent before" | "another" | null> {
  const { runId, kind, name, value } = letter;
  const sent = await ask(client, SEND_ONCE, [key, runId, kind, name, value, keptUntil ?? null, digest]);
  return sent.length > 0 ? "sent" : wasSent(client, { key, digest });
}

/** Whether this, or another letter, was sent under the key of late. */
export async function wasSent(
  client: Queryable,
  { key, digest }: LetterKey,
): Promise<"sent before" | "another" | null> {
  const [row] = await ask<{ same: boolean }>(client, WAS_SENT, [key, digest]);
  if (row === undefined) return null;
  return row.same ? "sent before" : "another";
}

/** Whether anything was. */
export async function isUsed(client: Queryable, key: string): Promise<boolean> {
  return (await wasSent(client, { key, digest: "" })) !== null;
}

/** Of one run, in one look. */
export const MAIL_MAX = 1_000;
/** Of one run, of those that say what is wanted of it: they are seen behind however many others. */
const ORDERS_MAX = 100;
/** Of one run, in memory at one time, in bytes; one letter may be larger. */
export const MAIL_BYTES_MAX = 1024 * 1024;
/** In one statement: what it returns stays small. */
const RUNS_MAX = 100;
/** Values of this size are read together with what is on the envelope. */
const SMALL_BYTES = 256;

/** Runs with mail, by one look at the index for each, however many letters it has. */
export const RUNS_WITH_MAIL = skipScan("mailed", "run_id", "cairn.mailbox");

const MINE = statement(
  "runs_with_mail",
  `WITH RECURSIVE ${RUNS_WITH_MAIL} SELECT run_id AS id FROM mailed CROSS JOIN LATERAL (
    SELECT FROM cairn.queue AS q WHERE q.run_id = mailed.run_id AND q.state = 'held' AND q.owner = $1 OFFSET 0
  ) AS q`,
);

/** Those of an owner. Its held runs could be gone through instead: they are many, and few have mail. */
export async function runsWithMail(client: Queryable, owner: string): Promise<string[]> {
  return (await ask<{ id: string }>(client, MINE, [owner])).map(({ id }) => id);
}

/** A letter whose value is null as well if it is not small, and has not been read. */
export type Envelope = Letter;

/** Whether someone wants something of the run: that is seen among however many signals. */
export function isOrder(letter: Pick<Letter, "kind">): boolean {
  return endsRun(letter) || turnsRun(letter) || letter.kind === "pause" || letter.kind === "resume";
}

/** Whether it goes on from another state, or begins again. */
export function turnsRun({ kind }: Pick<Letter, "kind">): boolean {
  return kind === "rollback" || kind === "fork" || kind === "retry";
}

/** Whether it ends a run. */
export function endsRun({ kind }: Pick<Letter, "kind">): boolean {
  return kind === "cancel" || kind === "delete";
}

export const IS_ORDER = "m.kind IN ('cancel', 'delete', 'pause', 'resume', 'retry', 'rollback', 'fork')";

const ENVELOPES = statement(
  "envelopes_of_runs",
  `SELECT m.run_id AS "runId", m.id, m.kind, m.call, m.name, m.sender, m.bytes, CASE WHEN m.bytes <= ${SMALL_BYTES} THEN m.value END AS value
  FROM unnest($1::uuid[]) AS wanted (id) CROSS JOIN LATERAL (
    (SELECT m.* FROM cairn.mailbox AS m WHERE m.run_id = wanted.id ORDER BY m.id LIMIT ${MAIL_MAX})
    UNION ALL
    (SELECT m.* FROM cairn.mailbox AS m
    WHERE m.run_id = wanted.id AND ${IS_ORDER} AND m.id > (
      SELECT first.id FROM cairn.mailbox AS first WHERE first.run_id = wanted.id
      ORDER BY first.id OFFSET ${MAIL_MAX - 1} LIMIT 1
    ) ORDER BY m.id LIMIT ${ORDERS_MAX})
  ) AS m`,
);

/**
 * The first letters of each run in the order they were sent, and behind these the first that say what is wanted of it;
 * those of some runs at a time.
 */
export async function* envelopesOf(client: Queryable, ids: readonly string[]): AsyncGenerator<Envelope[], void> {
  for (let from = 0; from < ids.length; from += RUNS_MAX) {
    yield await ask<Envelope & pg.QueryResultRow>(client, ENVELOPES, [ids.slice(from, from + RUNS_MAX)]);
  }
}

const VALUES = statement(
  "values_of_letters",
  `SELECT m.id, m.value FROM unnest($1::uuid[], $2::int8[]) AS wanted (run_id, id) CROSS JOIN LATERAL (
    SELECT m.id, m.value FROM cairn.mailbox AS m WHERE m.run_id = wanted.run_id AND m.id = wanted.id OFFSET 0
  ) AS m`,
);

/** Reads letters: whoever asks has looked at how many bytes that takes. */
export async function openLetters(client: Queryable, envelopes: readonly Envelope[]): Promise<Letter[]> {
  const large = envelopes.filter(({ bytes }) => bytes > SMALL_BYTES);
  if (large.length === 0) return [...envelopes];
  const rows = await ask<{ id: number; value: string }>(client, VALUES, [
    large.map(({ runId }) => runId),
    large.map(({ id }) => id),
  ]);
  const values = new Map(rows.map(({ id, value }) => [id, value]));
  return envelopes.flatMap((each) => {
    if (each.bytes <= SMALL_BYTES) return [each];
    const value = values.get(each.id);
    return value === undefined ? [] : [{ ...each, value }];
  });
}

const SIZES = statement(
  "mail_sizes",
  `SELECT wanted.id, m.bytes FROM unnest($1::uuid[]) AS wanted (id) CROSS JOIN LATERAL (
    SELECT sum(bytes)::float8 AS bytes FROM (
      SELECT bytes, sum(bytes) OVER (ORDER BY id) - bytes AS before FROM (
        SELECT id, bytes FROM cairn.mailbox WHERE run_id = wanted.id ORDER BY id LIMIT ${MAIL_MAX}
      ) AS first
    ) AS summed WHERE before < ${MAIL_BYTES_MAX}
  ) AS m WHERE m.bytes IS NOT NULL`,
);

/** What a claim would read of the mail of runs, in bytes. */
export function mailSizes(client: Queryable, ids: readonly string[]): Promise<{ id: string; bytes: number }[]> {
  return ask(client, SIZES, [ids]);
}

/** It is to live again, unless it was deleted. */
const HAS_ROLLBACK = `EXISTS (
      SELECT FROM cairn.mailbox AS m WHERE m.run_id = mailed.run_id AND ${IS_ORDER} AND m.kind = 'rollback'
    )`;

const REVIVE = statement(
  "revive_mailed",
  `WITH RECURSIVE ${RUNS_WITH_MAIL} SELECT cairn.revive_run(run_id, NULL, 0) FROM mailed
  WHERE NOT EXISTS (SELECT FROM cairn.queue AS q WHERE q.run_id = mailed.run_id)
    AND ${HAS_ROLLBACK}`,
);

/** Runs that were deleted while they lived: they may be restored, which waits for nobody who moves their letters away. */
const MAY_COME_BACK = "r.deleted_at IS NOT NULL AND r.status = 'pending'";

const SWEEP = statement(
  "sweep_mail",
  `WITH RECURSIVE ${RUNS_WITH_MAIL}, over AS MATERIALIZED (
    SELECT run_id FROM mailed WHERE NOT EXISTS (SELECT FROM cairn.queue AS q WHERE q.run_id = mailed.run_id)
      AND NOT (${HAS_ROLLBACK} AND EXISTS (SELECT FROM cairn.runs AS r WHERE r.id = mailed.run_id AND r.deleted_at IS NULL))
  ), deleted AS MATERIALIZED (
    SELECT r.id FROM cairn.runs AS r WHERE r.id = ANY (ARRAY(SELECT run_id FROM over)) AND ${MAY_COME_BACK}
    FOR KEY SHARE SKIP LOCKED
  ), moved AS (
    DELETE FROM cairn.mailbox AS m WHERE m.run_id = ANY (ARRAY(SELECT id FROM deleted))
    RETURNING m.run_id, m.id, m.kind, m.call, m.name, m.sender, m.value, m.sent_at
  ), kept AS (
    INSERT INTO cairn.deleted_mail (run_id, id, kind, call, name, sender, value, sent_at) SELECT * FROM moved
  ), dead AS (
    DELETE FROM cairn.mailbox AS m WHERE m.run_id = ANY (ARRAY(
      SELECT over.run_id FROM over WHERE NOT EXISTS (SELECT FROM cairn.runs AS r WHERE r.id = over.run_id AND ${MAY_COME_BACK})
    )) RETURNING m.run_id, m.kind, m.name, m.value
  ) INSERT INTO cairn.run_events (run_id, kind, data, at, after_input)
  SELECT run_id, 'undelivered', json_build_object('kind', kind, 'name', name, 'value', value), cairn.now(), cairn.last_input(run_id)
  FROM dead`,
);

const FORGET_SENT = statement("forget_sent", "DELETE FROM cairn.sent_letters WHERE kept_until < (SELECT cairn.now())");

/** Mail of runs that have ended becomes an event, since nobody will read it; unless it takes them back to where they live. */
export async function sweepMail(client: Queryable): Promise<void> {
  await ask(client, REVIVE);
  await ask(client, SWEEP);
  await ask(client, FORGET_SENT);
  await forgetGivenIds(client);
  await forgetBulkOrders(client);
}
