import type pg from "pg";
import { ask, columns, type Queryable, statement } from "./statement.ts";

/** A secret as it is stored. */
export interface SecretRow {
  readonly namespace: string;
  readonly name: string;
  readonly version: number;
  /** Which key it is encrypted by. */
  readonly dataKey: string;
  readonly sealed: Buffer;
}

/** What people may know of one. */
export interface SecretSummary {
  readonly name: string;
  readonly version: number;
  readonly changedAt: number;
  readonly changedBy: string;
}

/** A data key, wrapped by one master key. */
export interface DataKeyRow {
  readonly id: string;
  readonly masterKey: string;
  readonly wrapped: Buffer;
  /** The later its master key came into use, the higher. */
  readonly masterOrder: number;
  readonly isRetired: boolean;
}

const COLUMNS = 'namespace, name, version::float8 AS version, data_key AS "dataKey", sealed';

const FIND = statement(
  "find_secrets",
  `SELECT ${COLUMNS} FROM cairn.secrets WHERE namespace = $1 AND name = ANY ($2::text[])`,
);

export function findSecrets(client: Queryable, namespace: string, names: readonly string[]): Promise<SecretRow[]> {
  return ask<SecretRow & pg.QueryResultRow>(client, FIND, [namespace, names]);
}

const LIST = statement(
  "list_secrets",
  `SELECT name, version::float8 AS version, changed_at AS "changedAt", changed_by AS "changedBy"
  FROM cairn.secrets WHERE namespace = $1 ORDER BY name`,
);

export function listSecrets(client: Queryable, namespace: string): Promise<SecretSummary[]> {
  return ask<SecretSummary & pg.QueryResultRow>(client, LIST, [namespace]);
}

/** Of subscriptions that use it: whoever has opened a way to their subscribers opens another one. */
const TELL_SUBSCRIPTIONS = `UPDATE cairn.subscriptions AS u SET revision = nextval('cairn.subscription_changes')
  FROM changed WHERE u.namespace = changed.namespace
    AND position('"secret":' || to_json(changed.name)::text IN u.target::text) > 0`;

/** The row of a key that encrypts: while it is read so, nobody retires it. */
export const KEY_IN_USE =
  "key AS MATERIALIZED (SELECT k.id FROM cairn.data_keys AS k WHERE k.id = $1 AND k.master_key = $2 AND k.retired_at IS NULL FOR SHARE)";

const SET = statement(
  "set_secret",
  `WITH ${KEY_IN_USE},
  changed AS (
    INSERT INTO cairn.secrets AS s (namespace, name, version, data_key, sealed, changed_at, changed_by)
    SELECT $3, $4, $5::bigint, key.id, $6::bytea, cairn.now(), $7 FROM key
    ON CONFLICT (namespace, name) DO UPDATE SET version = excluded.version, data_key = excluded.data_key, sealed = excluded.sealed,
      changed_at = excluded.changed_at, changed_by = excluded.changed_by
      WHERE s.version = excluded.version - 1
    RETURNING s.namespace, s.name, s.version, s.changed_at, s.changed_by
  ),
  told AS (${TELL_SUBSCRIPTIONS})
  SELECT name, version::float8 AS version, changed_at AS "changedAt", changed_by AS "changedBy" FROM changed`,
);

/** Undefined: its key was retired meanwhile, or someone else has set the secret. */
export async function setSecret(
  client: Queryable,
  row: SecretRow,
  masterKey: string,
  by: string,
): Promise<SecretSummary | undefined> {
  const { namespace, name, version, dataKey, sealed } = row;
  const values = [dataKey, masterKey, namespace, name, version, sealed, by];
  return (await ask<SecretSummary & pg.QueryResultRow>(client, SET, values))[0];
}

const REMOVE = statement(
  "remove_secret",
  `WITH changed AS (DELETE FROM cairn.secrets WHERE namespace = $1 AND name = $2 RETURNING namespace, name),
  told AS (${TELL_SUBSCRIPTIONS})
  SELECT name FROM changed`,
);

/** False: there is none. */
export async function removeSecret(client: Queryable, namespace: string, name: string): Promise<boolean> {
  return (await ask(client, REMOVE, [namespace, name])).length > 0;
}

const STALE = statement(
  "stale_secrets",
  `SELECT ${COLUMNS} FROM cairn.secrets
  WHERE data_key <> $1 AND (namespace, name) > ($2, $3) ORDER BY namespace, name LIMIT $4`,
);

/** Those that are encrypted by another key, behind one of them. */
export function staleSecrets(
  client: Queryable,
  dataKey: string,
  after: Pick<SecretRow, "namespace" | "name">,
  limit: number,
): Promise<SecretRow[]> {
  return ask<SecretRow & pg.QueryResultRow>(client, STALE, [dataKey, after.namespace, after.name, limit]);
}

const RESEAL = statement(
  "reseal_secrets",
  `WITH ${KEY_IN_USE},
  changed AS (
    UPDATE cairn.secrets AS s SET data_key = key.id, sealed = decode(g.sealed, 'base64')
    FROM key, unnest($3::text[], $4::text[], $5::bigint[], $6::uuid[], $7::text[]) AS g(namespace, name, version, data_key, sealed)
    WHERE s.namespace = g.namespace AND s.name = g.name AND s.version = g.version AND s.data_key = g.data_key
    RETURNING 1
  )
  SELECT EXISTS (SELECT FROM key) AS "isCurrent", (SELECT count(*) FROM changed)::float8 AS count`,
);

/** The same secrets by another key; `former` are their keys until now. Null: the key was retired meanwhile. */
export async function resealSecrets(
  client: Queryable,
  key: { readonly id: string; readonly masterKey: string },
  rows: readonly SecretRow[],
): Promise<number | null> {
  const given = rows.map(({ sealed, ...row }) => ({ ...row, sealed: sealed.toString("base64") }));
  const lists = columns(given, ["namespace", "name", "version", "dataKey", "sealed"]);
  const [row] = await ask<{ isCurrent: boolean; count: number }>(client, RESEAL, [key.id, key.masterKey, ...lists]);
  return row!.isCurrent ? row!.count : null;
}

const KEYS = statement(
  "data_keys",
  `SELECT id, master_key AS "masterKey", wrapped, master_order::float8 AS "masterOrder", retired_at IS NOT NULL AS "isRetired"
  FROM cairn.data_keys ORDER BY created_at DESC, id, master_key`,
);

/** The newest first. */
export function dataKeys(client: Queryable): Promise<DataKeyRow[]> {
  return ask<DataKeyRow & pg.QueryResultRow>(client, KEYS);
}

const ADD_KEY = statement("add_data_key", "SELECT cairn.add_data_key($1, $2, $3, $4) AS added");

/** Others are retired by it, when those who encrypt by them at this moment are done. False: there is one already, or, for a further one, some master key is missing that others use. */
export async function addDataKey(
  client: Queryable,
  id: string,
  wraps: readonly { readonly masterKey: string; readonly wrapped: Buffer }[],
  isFirst: boolean,
): Promise<boolean> {
  const masters = wraps.map(({ masterKey }) => masterKey);
  const [row] = await ask<{ added: boolean }>(client, ADD_KEY, [
    id,
    masters,
    wraps.map(({ wrapped }) => wrapped),
    isFirst,
  ]);
  return row!.added;
}

const DROP_KEYS = statement(
  "drop_data_keys",
  `DELETE FROM cairn.data_keys AS k
  WHERE k.retired_at IS NOT NULL AND NOT EXISTS (SELECT FROM cairn.secrets AS s WHERE s.data_key = k.id)
    AND NOT EXISTS (SELECT FROM cairn.signing_keys AS s WHERE s.data_key = k.id)`,
);

/** Those by which nothing is encrypted any more. */
export async function dropUnusedDataKeys(client: Queryable): Promise<void> {
  await ask(client, DROP_KEYS);
}

const WRAP = statement("wrap_data_key", "SELECT cairn.wrap_data_key($1, $2, $3) AS wrapped");

/** By one more master key. False: it was already. */
export async function wrapDataKey(client: Queryable, id: string, masterKey: string, wrapped: Buffer): Promise<boolean> {
  return (await ask<{ wrapped: boolean }>(client, WRAP, [id, masterKey, wrapped]))[0]!.wrapped;
}

const PREFER = statement("prefer_master_key", "SELECT cairn.prefer_master_key($1, $2)");

/** The first takes the place of the others from now on, whichever came later until now. */
export async function preferMasterKey(
  client: Queryable,
  masterKey: string,
  replaced: readonly string[],
): Promise<void> {
  await ask(client, PREFER, [masterKey, replaced]);
}

const DROP_WRAPS = statement("drop_wraps", 'SELECT dropped AS "masterKey" FROM cairn.drop_other_wraps($1)');

/** By other master keys, where this one wraps the key too: by which, for each that was removed. None, if one of them came later. */
export async function dropOtherWraps(client: Queryable, masterKey: string): Promise<string[]> {
  const rows = await ask<{ masterKey: string }>(client, DROP_WRAPS, [masterKey]);
  return rows.map((row) => row.masterKey);
}
