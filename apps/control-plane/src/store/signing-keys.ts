import type pg from "pg";
import { KEY_IN_USE } from "./secrets.ts";
import { ask, type Queryable, statement } from "./statement.ts";

/** As it is stored: plain, or encrypted by a data key. */
export type StoredSigningKey =
  | { readonly plain: Buffer }
  | { readonly plain: null; readonly dataKey: string; readonly sealed: Buffer };

export type SigningKeyRow = StoredSigningKey & {
  readonly id: string;
  /** It signs nothing any more. */
  readonly isRetired: boolean;
  readonly createdAt: number;
};

const LIST = statement(
  "signing_keys",
  `SELECT id, plain, data_key AS "dataKey", sealed, retired_at IS NOT NULL AS "isRetired", created_at AS "createdAt"
  FROM cairn.signing_keys ORDER BY created_at DESC, id`,
);

export function signingKeys(client: Queryable): Promise<SigningKeyRow[]> {
  return ask<SigningKeyRow & pg.QueryResultRow>(client, LIST);
}

export interface AddedSigningKey {
  readonly id: string;
  readonly stored: StoredSigningKey;
  /** By which its data key is wrapped; null: it is plain. */
  readonly masterKey: string | null;
  /** It is wanted only where there is none. */
  readonly isFirst: boolean;
  /** For how long keys that are retired are kept; null: they are not. */
  readonly keptMs: number | null;
}

const ADD = statement(
  "add_signing_key",
  "SELECT cairn.add_signing_key($1, $2, $3, $4, $5, $6, $7::float8 * interval '1 millisecond') AS added",
);

/** The one from before is retired by it. False: there is one already, or its data key was retired, or others are encrypted and it is not. */
export async function addSigningKey(client: Queryable, added: AddedSigningKey): Promise<boolean> {
  const { id, stored, masterKey, isFirst, keptMs } = added;
  const parts =
    stored.plain === null ? [null, masterKey, stored.dataKey, stored.sealed] : [stored.plain, null, null, null];
  const [row] = await ask<{ added: boolean }>(client, ADD, [id, ...parts, isFirst, keptMs]);
  return row!.added;
}

const RESEAL = statement(
  "reseal_signing_key",
  `WITH ${KEY_IN_USE}
  UPDATE cairn.signing_keys AS s SET plain = NULL, data_key = key.id, sealed = $3::bytea
  FROM key WHERE s.id = $4 AND s.data_key IS NOT DISTINCT FROM $5::uuid RETURNING s.id`,
);

/** The same key by another data key; `former` is that of before, null if it was plain. False: one of them is not any more. */
export async function resealSigningKey(
  client: Queryable,
  id: string,
  former: string | null,
  by: { readonly id: string; readonly masterKey: string; readonly sealed: Buffer },
): Promise<boolean> {
  return (await ask(client, RESEAL, [by.id, by.masterKey, by.sealed, id, former])).length > 0;
}
