import type pg from "pg";
import { LIVING_KEY, type LivingKey } from "./api-keys.ts";
import { ask, type Queryable, statement } from "./statement.ts";

/** What a session was opened with: a key, or a token, of which it has a proof, and what tells it from most others. */
type OpenedWith = { readonly keyId: string } | { readonly tokenProof: Buffer; readonly tokenMark: string };

/** Of one key or token: more are no browsers of people, and the oldest end. */
const SESSIONS_MAX = 100;

const OPEN = statement(
  "open_session",
  `WITH ended AS (
    DELETE FROM cairn.sessions WHERE hash IN (
      SELECT hash FROM cairn.sessions WHERE key_id = $2 OR token_mark = $5 ORDER BY created_at DESC OFFSET ${SESSIONS_MAX - 1}
    )
  )
  INSERT INTO cairn.sessions (hash, key_id, token_proof, token_mark, created_at, expires_at)
  VALUES ($1, $2, $3, $5, cairn.now(), cairn.now() + $4::float8 * interval '1 ms') ON CONFLICT (hash) DO NOTHING`,
);

export async function openSession(client: Queryable, hash: Buffer, by: OpenedWith, lengthMs: number): Promise<void> {
  const keyId = "keyId" in by ? by.keyId : null;
  const tokenProof = "tokenProof" in by ? by.tokenProof : null;
  const tokenMark = "tokenMark" in by ? by.tokenMark : null;
  await ask(client, OPEN, [hash, keyId, tokenProof, lengthMs, tokenMark]);
}

export interface LivingSession {
  /** Null: it was opened with a token. */
  readonly key: Omit<LivingKey, "livesMs"> | null;
  readonly tokenProof: Buffer | null;
  readonly livesMs: number;
}

type Found = Omit<LivingKey, "id"> & { readonly id: string | null; readonly tokenProof: Buffer | null };

const FIND = statement(
  "find_session",
  `SELECT ${LIVING_KEY}, s.token_proof AS "tokenProof",
    (extract(epoch FROM least(s.expires_at, k.expires_at) - cairn.now()) * 1000)::float8 AS "livesMs"
  FROM cairn.sessions AS s LEFT JOIN cairn.api_keys AS k ON k.id = s.key_id
  WHERE s.hash = $1 AND s.expires_at > cairn.now() AND (s.key_id IS NULL OR cairn.is_living_key(k.revoked_at, k.expires_at))`,
);

/** Null: there is none, or it is over, or its key is. */
export async function findSession(client: Queryable, hash: Buffer): Promise<LivingSession | null> {
  const [found] = await ask<Found & pg.QueryResultRow>(client, FIND, [hash]);
  if (found === undefined) return null;
  const { id, tokenProof, livesMs, ...key } = found;
  return { key: id === null ? null : { id, ...key }, tokenProof, livesMs: livesMs! };
}

const CLOSE = statement("close_session", "DELETE FROM cairn.sessions WHERE hash = $1");

export async function closeSession(client: Queryable, hash: Buffer): Promise<void> {
  await ask(client, CLOSE, [hash]);
}

const LIVING = statement(
  "living_sessions",
  "SELECT encode(hash, 'hex') AS hash FROM cairn.sessions WHERE hash = ANY ($1::bytea[]) AND expires_at > cairn.now()",
);

/** Those of them that are not over; by their hashes, in hex. */
export async function livingSessions(client: Queryable, hashes: readonly string[]): Promise<ReadonlySet<string>> {
  const bytes = hashes.map((hash) => Buffer.from(hash, "hex"));
  const rows = await ask<{ readonly hash: string }>(client, LIVING, [bytes]);
  return new Set(rows.map(({ hash }) => hash));
}

const SWEEP = statement(
  "sweep_sessions",
  `DELETE FROM cairn.sessions AS s WHERE s.expires_at <= cairn.now()
    OR EXISTS (SELECT FROM cairn.api_keys AS k WHERE k.id = s.key_id AND NOT cairn.is_living_key(k.revoked_at, k.expires_at))`,
);

/** Removes those that are over. */
export async function sweepSessions(client: Queryable): Promise<void> {
  await ask(client, SWEEP);
}
