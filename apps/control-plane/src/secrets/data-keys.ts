import { randomBytes, randomUUID } from "node:crypto";
import { EngineError } from "../library/engine-error.ts";
import {
  addDataKey,
  type DataKeyRow,
  dataKeys,
  dropOtherWraps,
  dropUnusedDataKeys,
  preferMasterKey,
  wrapDataKey,
} from "../store/secrets.ts";
import type { Queryable } from "../store/statement.ts";
import { decrypt, encrypt, KEY_BYTES, Unauthentic } from "./envelope.ts";
import type { MasterKey, MasterKeys } from "./master-keys.ts";

/** A key that secrets are encrypted by. */
export interface DataKey {
  readonly id: string;
  /** By which it is wrapped. */
  readonly masterKey: string;
  readonly bytes: Buffer;
}

/** What came of wrapping data keys by another master key. */
export interface Rewrapped {
  /** The id of the master key by which all of them are wrapped now. */
  readonly masterKey: string;
  /** Data keys that it wraps, and did not before. */
  readonly added: number;
  /** Wraps by other master keys that were removed. */
  readonly removed: number;
  /** The ids of those master keys. */
  readonly removedMasterKeys: string[];
  /** The ids of others, which still wrap some. */
  readonly otherMasterKeys: string[];
}

export interface RewrapOptions {
  /** And by no other master key any more. */
  readonly removeOld?: boolean | undefined;
  /** The id of the master key that wraps all of them then: a process that has another one refuses. */
  readonly masterKey?: string | undefined;
}

/** Data keys that are known unwrapped; there are as many as rotations that have not ended. */
const KNOWN_MAX = 100;

/**
 * Owns: the data keys of this process, unwrapped.
 *
 * Invariants:
 *   D1  The first data key is made where there is none, by one process. Whoever has a master key that wraps none of those that there are
 *       has the wrong one, and makes none.
 *   D2  A further data key is wrapped by every master key that wraps those in use: nobody who could read secrets stops being able to.
 *   D3  What a master key wraps is removed only by who has one that came later, or has both and says which one stays.
 */
export class DataKeys {
  readonly #client: Queryable;
  readonly #masters: MasterKeys;
  readonly #known = new Map<string, DataKey>();

  constructor(client: Queryable, masters: MasterKeys) {
    this.#client = client;
    this.#masters = masters;
  }

  /** What is encrypted from now on is encrypted by it. */
  async current(): Promise<DataKey> {
    const rows = await dataKeys(this.#client);
    if (rows.length === 0) {
      const made = this.#make();
      if (await addDataKey(this.#client, made.id, this.#wraps(made), true)) return made;
      return this.current();
    }
    const inUse = rows.find(({ isRetired, masterKey }) => !isRetired && this.#master(masterKey) !== undefined);
    return inUse === undefined ? this.#refuse(rows) : this.#unwrap(inUse);
  }

  async find(id: string): Promise<DataKey> {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const rows = await dataKeys(this.#client);
    return this.#readable(rows, id);
  }

  /** Rejects if there are some that this process cannot unwrap. */
  async check(): Promise<void> {
    const rows = await dataKeys(this.#client);
    for (const { id } of rows) this.#readable(rows, id);
  }

  /** Another one, by which everything is to be encrypted; those from before encrypt nothing more. */
  async renew(): Promise<DataKey> {
    const made = this.#make();
    // Whether this process has the right one at all.
    await this.current();
    if (!(await addDataKey(this.#client, made.id, this.#wraps(made), false))) {
      throw new EngineError(
        "WrongMasterKey",
        "Some data keys are wrapped by a master key that this process has not: rotate where both are given, or rewrap with --remove-old first",
      );
    }
    return made;
  }

  dropUnused(): Promise<void> {
    return dropUnusedDataKeys(this.#client);
  }

  /** Wraps all of them by the first of the master keys; and removes what earlier ones wrap, if that is wanted. */
  async rewrap({ removeOld = false, masterKey }: RewrapOptions): Promise<Rewrapped> {
    const [first, ...replaced] = this.#masters;
    if (masterKey !== undefined && masterKey !== first.id) {
      throw new EngineError(
        "WrongMasterKey",
        `This process has the master key ${first.id}, and not ${masterKey}: ask one that has`,
      );
    }
    const added = await this.#wrapMissing(first);
    if (replaced.length > 0)
      await preferMasterKey(
        this.#client,
        first.id,
        replaced.map(({ id }) => id),
      );
    const dropped = removeOld ? await dropOtherWraps(this.#client, first.id) : [];
    const rows = await dataKeys(this.#client);
    if (removeOld && dropped.length === 0) refuseEarlier(first.id, rows);
    const others = rows.map((row) => row.masterKey).filter((id) => id !== first.id);
    return {
      masterKey: first.id,
      added,
      removed: dropped.length,
      removedMasterKeys: [...new Set(dropped)].toSorted(),
      otherMasterKeys: [...new Set(others)].toSorted(),
    };
  }

  async #wrapMissing(first: MasterKey): Promise<number> {
    let added = 0;
    // Others may make one meanwhile that this one does not wrap: until there is none.
    for (;;) {
      const rows = await dataKeys(this.#client);
      const wrapped = new Set(rows.filter(({ masterKey }) => masterKey === first.id).map(({ id }) => id));
      const missing = new Set(rows.map(({ id }) => id).filter((id) => !wrapped.has(id)));
      if (missing.size === 0) break;
      for (const id of missing) {
        const { bytes } = this.#readable(rows, id);
        if (await wrapDataKey(this.#client, id, first.id, wrap(first, id, bytes))) added += 1;
      }
    }
    return added;
  }

  #make(): DataKey {
    return { id: randomUUID(), masterKey: this.#masters[0].id, bytes: randomBytes(KEY_BYTES) };
  }

  #wraps({ id, bytes }: DataKey): { readonly masterKey: string; readonly wrapped: Buffer }[] {
    return this.#masters.map((master) => ({ masterKey: master.id, wrapped: wrap(master, id, bytes) }));
  }

  #master(id: string): MasterKey | undefined {
    return this.#masters.find((master) => master.id === id);
  }

  /** One of these, by whichever master key that this process has. */
  #readable(rows: readonly DataKeyRow[], id: string): DataKey {
    const own = rows.find((row) => row.id === id && this.#master(row.masterKey) !== undefined);
    return own === undefined ? this.#refuse(rows.filter((row) => row.id === id)) : this.#unwrap(own);
  }

  #unwrap({ id, masterKey, wrapped }: DataKeyRow): DataKey {
    const known = this.#known.get(id);
    if (known?.masterKey === masterKey) return known;
    try {
      const bytes = decrypt(this.#master(masterKey)!.bytes, wrapped, aboutKey(id, masterKey));
      const key = { id, masterKey, bytes };
      if (this.#known.size >= KNOWN_MAX) this.#known.clear();
      this.#known.set(id, key);
      return key;
    } catch (error) {
      if (!(error instanceof Unauthentic)) throw error;
      throw new EngineError("SecretUnreadable", `The data key ${id} was changed in the database`);
    }
  }

  #refuse(rows: readonly DataKeyRow[]): never {
    const own = this.#masters.map(({ id }) => id).join(" and ");
    const theirs = [...new Set(rows.map((row) => row.masterKey))];
    if (rows.length === 0) throw new EngineError("SecretUnreadable", "The data key is not in the database any more");
    throw new EngineError(
      "WrongMasterKey",
      `This process has the master key ${own}, and secrets are encrypted under ${theirs.join(" and ")}: give that one as CAIRN_MASTER_KEY, ` +
        "or as CAIRN_MASTER_KEY_OLD beside the new one, and rewrap",
    );
  }
}

/** Who has a master key that another one has replaced removes nothing: he would remove that one. */
function refuseEarlier(own: string, rows: readonly DataKeyRow[]): void {
  const order = Math.max(0, ...rows.filter((row) => row.masterKey === own).map((row) => row.masterOrder));
  const later = [...new Set(rows.filter((row) => row.masterOrder > order).map((row) => row.masterKey))];
  if (later.length === 0) return;
  throw new EngineError(
    "WrongMasterKey",
    `This process has the master key ${own}, and ${later.join(" and ")} came later: nothing is removed. Ask a process that has that one as ` +
      "CAIRN_MASTER_KEY; or, to go back to this one, give that one as CAIRN_MASTER_KEY_OLD beside it",
  );
}

function wrap(master: MasterKey, id: string, bytes: Buffer): Buffer {
  return encrypt(master.bytes, bytes, aboutKey(id, master.id));
}

function aboutKey(id: string, masterKey: string): readonly string[] {
  return ["cairn.data_key", id, masterKey];
}
