import { randomBytes } from "node:crypto";
import { EngineError } from "../library/engine-error.ts";
import {
  addSigningKey,
  resealSigningKey,
  type SigningKeyRow,
  signingKeys,
  type StoredSigningKey,
} from "../store/signing-keys.ts";
import type { Queryable } from "../store/statement.ts";
import type { DataKey, DataKeys } from "./data-keys.ts";
import { decrypt, encrypt, KEY_BYTES, Unauthentic } from "./envelope.ts";

/** A key that tokens are signed with. */
export interface SigningKey {
  readonly id: string;
  readonly bytes: Buffer;
}

const ID_BYTES = 6;
const TRIES_MAX = 5;
/** What another process has rotated or revoked is known here so soon. */
const KEPT_MS = 2_000;

/**
 * The keys that wait tokens are signed with. They are the database's: all control planes have the same.
 *
 * Owns: how they are encrypted, and which there were a moment ago, as they are stored.
 *
 * Invariants:
 *   K1  One of them signs; it is made when the first token is, by one process.
 *   K2  Where there is a master key, none is written plain, and those that are plain are encrypted. Who has no master key adds no plain one to
 *       those that are encrypted.
 *   K3  What is encrypted is bound to its id and data key: a retired key in the place of the one that signs is not opened.
 */
export class SigningKeys {
  readonly #client: Queryable;
  readonly #keys: DataKeys | null;
  readonly #now: () => number;
  #kept: { readonly rows: Promise<SigningKeyRow[]>; readonly until: number } | null = null;

  /** `keys` null: there is no master key. `now`: a steady clock. */
  constructor(client: Queryable, keys: DataKeys | null, now: () => number) {
    this.#client = client;
    this.#keys = keys;
    this.#now = now;
  }

  /** With which to sign. As the database has it at this moment: what is signed by one that was revoked would be worth nothing. */
  async current(): Promise<{ readonly key: SigningKey; readonly isNew: boolean }> {
    for (let left = TRIES_MAX; left > 0; left--) {
      const row = (await this.#look()).find(({ isRetired }) => !isRetired);
      if (row !== undefined) return { key: await this.#opened(row), isNew: false };
      const key = fresh();
      if (await this.#add(key, true, null)) return { key, isNew: true };
    }
    throw heldUp();
  }

  /** Null: there is none, or not any more. */
  async find(id: string): Promise<SigningKey | null> {
    const isIt = (row: SigningKeyRow): boolean => row.id === id;
    const kept = (await this.#recent()).find(isIt);
    // Another process may have just made it.
    const row = kept ?? (await this.#look()).find(isIt);
    return row === undefined ? null : this.#opened(row);
  }

  /** Another one signs from now on. Those from before are kept for so long; null: what they have signed ends at once. */
  async rotate(keptMs: number | null): Promise<{ readonly id: string; readonly earlier: number }> {
    for (let left = TRIES_MAX; left > 0; left--) {
      const rows = await this.#look();
      if (this.#keys === null && rows.some(({ plain }) => plain === null)) throw noMasterKey();
      const key = fresh();
      if (!(await this.#add(key, false, keptMs))) continue;
      const after = await this.#look();
      return { id: key.id, earlier: after.filter(({ id }) => id !== key.id).length };
    }
    throw heldUp();
  }

  /** Encrypts those that are plain, if there is a master key: their ids. Rejects if the one that signs cannot be read here. */
  async protect(): Promise<string[]> {
    const rows = await this.#look();
    const done: string[] = [];
    if (this.#keys !== null && rows.some(({ plain }) => plain !== null)) {
      const by = await this.#keys.current();
      for (const row of rows) if (row.plain !== null && (await this.#reseal(row, by))) done.push(row.id);
      await this.#look();
    }
    const signing = rows.find(({ isRetired }) => !isRetired);
    if (signing !== undefined) await this.#open(signing);
    return done;
  }

  /** Encrypts all of them by this data key: the ids of those that could not be read. */
  async resealAll(by: DataKey): Promise<string[]> {
    const unreadable: string[] = [];
    for (const row of await this.#look()) {
      if (row.plain === null && row.dataKey === by.id) continue;
      try {
        await this.#reseal(row, by);
      } catch (error) {
        if (!(error instanceof EngineError) || error.code === "Unavailable") throw error;
        unreadable.push(row.id);
      }
    }
    await this.#look();
    return unreadable;
  }

  async #reseal(row: SigningKeyRow, by: DataKey): Promise<boolean> {
    const { bytes } = await this.#open(row);
    const sealed = encrypt(by.bytes, bytes, aboutKey(row.id, by.id));
    const former = row.plain === null ? row.dataKey : null;
    return resealSigningKey(this.#client, row.id, former, { id: by.id, masterKey: by.masterKey, sealed });
  }

  async #add({ id, bytes }: SigningKey, isFirst: boolean, keptMs: number | null): Promise<boolean> {
    const by = this.#keys === null ? null : await this.#keys.current();
    const stored: StoredSigningKey =
      by === null
        ? { plain: bytes }
        : { plain: null, dataKey: by.id, sealed: encrypt(by.bytes, bytes, aboutKey(id, by.id)) };
    return addSigningKey(this.#client, { id, stored, masterKey: by?.masterKey ?? null, isFirst, keptMs });
  }

  /** A rotation of data keys may have ended since the row was read: then it is encrypted by another one, and the one from before is gone. */
  async #opened(row: SigningKeyRow): Promise<SigningKey> {
    try {
      return await this.#open(row);
    } catch (error) {
      const now = (await this.#look()).find(({ id }) => id === row.id);
      if (now === undefined || now.plain !== null || row.plain !== null || now.dataKey === row.dataKey) throw error;
      return this.#open(now);
    }
  }

  async #open(row: SigningKeyRow): Promise<SigningKey> {
    const { id } = row;
    if (row.plain !== null) return { id, bytes: row.plain };
    if (this.#keys === null) throw noMasterKey();
    const { bytes } = await this.#keys.find(row.dataKey);
    try {
      return { id, bytes: decrypt(bytes, row.sealed, aboutKey(id, row.dataKey)) };
    } catch (error) {
      if (!(error instanceof Unauthentic)) throw error;
      throw new EngineError("SecretUnreadable", `The signing key ${id} was changed in the database: rotate it`);
    }
  }

  #recent(): Promise<SigningKeyRow[]> {
    return this.#kept !== null && this.#kept.until > this.#now() ? this.#kept.rows : this.#look();
  }

  async #look(): Promise<SigningKeyRow[]> {
    const rows = signingKeys(this.#client);
    this.#kept = { rows, until: this.#now() + KEPT_MS };
    rows.catch(() => (this.#kept = null));
    return rows;
  }
}

function fresh(): SigningKey {
  return { id: randomBytes(ID_BYTES).toString("hex"), bytes: randomBytes(KEY_BYTES) };
}

function aboutKey(id: string, dataKey: string): readonly string[] {
  return ["cairn.signing_key", id, dataKey];
}

function heldUp(): EngineError {
  return new EngineError("HeldUp", "Others are changing keys at the same time");
}

function noMasterKey(): EngineError {
  return new EngineError(
    "NoMasterKey",
    "The keys that wait tokens are signed with are encrypted, and this process has no master key: give it CAIRN_MASTER_KEY or CAIRN_MASTER_KEY_FILE",
  );
}
