import type { Scope } from "@cairnjs/schemas";
import type pg from "pg";
import { ask, type Queryable, type Statement, statement } from "./statement.ts";

/** A key, without what it takes to use it. Times are the database's, in milliseconds. */
export interface ApiKey {
  readonly id: string;
  /** The only one that it is for; null: all. */
  readonly namespace: string | null;
  readonly name: string;
  readonly prefix: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: number;
  readonly createdBy: string;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
}

const COLUMNS = `id, namespace, name, prefix, scopes, created_at AS "createdAt", created_by AS "createdBy", expires_at AS "expiresAt",
  revoked_at AS "revokedAt", last_used_at AS "lastUsedAt"`;

export interface NewApiKey {
  readonly namespace: string | null;
  readonly name: string;
  readonly prefix: string;
  readonly hash: Buffer;
  readonly scopes: readonly Scope[];
  readonly createdBy: string;
  readonly expiresAt: number | null;
}

const CREATE = statement(
  "create_api_key",
  `INSERT INTO cairn.api_keys (id, namespace, name, prefix, hash, scopes, created_at, created_by, expires_at)
  VALUES (cairn.new_id(), $1, $2, $3, $4, $5, cairn.now(), $6, to_timestamp($7::float8 / 1000))
  -- It may have been made, and the answer lost: then it is asked again.
  ON CONFLICT (hash) DO UPDATE SET hash = excluded.hash
  RETURNING ${COLUMNS}`,
);

export async function createApiKey(client: Queryable, key: NewApiKey): Promise<ApiKey> {
  const { namespace, name, prefix, hash, scopes, createdBy, expiresAt } = key;
  const values = [namespace, name, prefix, hash, scopes, createdBy, expiresAt];
  const [made] = await ask<ApiKey & pg.QueryResultRow>(client, CREATE, values);
  return made!;
}

/** Of one namespace, or, if none is given, of all. */
type OfNamespace = string | null;

/** Which keys. Null: whatever it is. */
interface KeysLook {
  readonly name: string | null;
  readonly scope: Scope | null;
  readonly isRevoked: boolean | null;
  /** Behind this one. */
  readonly after: string | null;
  readonly oldestFirst: boolean;
  readonly limit: number;
}

const list = (name: string, behind: string, direction: string): Statement =>
  statement(
    name,
    `SELECT ${COLUMNS} FROM cairn.api_keys
    WHERE ($1::text IS NULL OR namespace = $1) AND ($2::uuid IS NULL OR id ${behind} $2) AND ($4::text IS NULL OR name = $4)
      AND ($5::text IS NULL OR $5 = ANY (scopes)) AND ($6::boolean IS NULL OR (revoked_at IS NOT NULL) = $6)
    ORDER BY id ${direction} LIMIT $3`,
  );
const NEWEST_FIRST = list("list_api_keys", "<", "DESC");
const OLDEST_FIRST = list("list_api_keys_forwards", ">", "ASC");

export function listApiKeys(
  client: Queryable,
  namespace: OfNamespace,
  { name, scope, isRevoked, after, oldestFirst, limit }: KeysLook,
): Promise<ApiKey[]> {
  const values = [namespace, after, limit, name, scope, isRevoked];
  return ask<ApiKey & pg.QueryResultRow>(client, oldestFirst ? OLDEST_FIRST : NEWEST_FIRST, values);
}

const SHOW = statement(
  "show_api_key",
  `SELECT ${COLUMNS} FROM cairn.api_keys WHERE id = $1 AND ($2::text IS NULL OR namespace = $2)`,
);

export async function showApiKey(client: Queryable, id: string, namespace: OfNamespace): Promise<ApiKey | null> {
  const [key] = await ask<ApiKey & pg.QueryResultRow>(client, SHOW, [id, namespace]);
  return key ?? null;
}

const REVOKE = statement(
  "revoke_api_key",
  `UPDATE cairn.api_keys SET revoked_at = coalesce(revoked_at, cairn.now())
  WHERE id = $1 AND ($2::text IS NULL OR namespace = $2) RETURNING ${COLUMNS}`,
);

/** Null: there is none. One that was revoked before stays as it was. */
export async function revokeApiKey(client: Queryable, id: string, namespace: OfNamespace): Promise<ApiKey | null> {
  const [key] = await ask<ApiKey & pg.QueryResultRow>(client, REVOKE, [id, namespace]);
  return key ?? null;
}

/** What a look for a caller has found. */
export interface LivingKey {
  readonly id: string;
  readonly namespace: string | null;
  readonly name: string;
  readonly prefix: string;
  readonly scopes: readonly Scope[];
  /** How long it lives from now on; null: it does not expire. */
  readonly livesMs: number | null;
  /** It is more than a minute ago that its use was written down. */
  readonly isStale: boolean;
}

export const LIVING_KEY = `k.id, k.namespace, k.name, k.prefix, k.scopes,
  coalesce(k.last_used_at < cairn.now() - interval '1 minute', true) AS "isStale"`;

const FIND = statement(
  "find_api_key",
  `SELECT ${LIVING_KEY}, (extract(epoch FROM k.expires_at - cairn.now()) * 1000)::float8 AS "livesMs",
    CASE WHEN cairn.is_living_key(k.revoked_at, k.expires_at) THEN NULL
      WHEN k.revoked_at IS NULL THEN 'expired' ELSE 'revoked' END AS over
  FROM cairn.api_keys AS k WHERE k.hash = $1`,
);

/** A key, and why it cannot be used any more; null: it can. */
export interface FoundKey extends LivingKey {
  readonly over: "expired" | "revoked" | null;
}

/** By the hash of all of it. Null: there is none. */
export async function findApiKey(client: Queryable, hash: Buffer): Promise<FoundKey | null> {
  const [key] = await ask<FoundKey & pg.QueryResultRow>(client, FIND, [hash]);
  return key ?? null;
}

const USED = statement(
  "api_key_used",
  `UPDATE cairn.api_keys SET last_used_at = cairn.now()
  WHERE id = $1 AND coalesce(last_used_at < cairn.now() - interval '1 minute', true)`,
);

export async function apiKeyUsed(client: Queryable, id: string): Promise<void> {
  await ask(client, USED, [id]);
}

const LIVING = statement(
  "living_api_keys",
  "SELECT id FROM cairn.api_keys WHERE id = ANY ($1::uuid[]) AND cairn.is_living_key(revoked_at, expires_at)",
);

/** Those of them that can be used. */
export async function livingApiKeys(client: Queryable, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await ask<{ readonly id: string }>(client, LIVING, [ids]);
  return new Set(rows.map(({ id }) => id));
}

const ANY = statement(
  "any_api_key",
  "SELECT EXISTS (SELECT FROM cairn.api_keys WHERE cairn.is_living_key(revoked_at, expires_at)) AS found",
);

/** Whether anybody has a key that can be used. */
export async function hasApiKeys(client: Queryable): Promise<boolean> {
  const [row] = await ask<{ readonly found: boolean }>(client, ANY);
  return row!.found;
}
