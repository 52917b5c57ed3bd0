import { EngineError } from "../library/engine-error.ts";
import {
  dataKeys,
  findSecrets,
  listSecrets,
  removeSecret,
  resealSecrets,
  type SecretRow,
  type SecretSummary,
  setSecret,
  staleSecrets,
} from "../store/secrets.ts";
import type { Queryable } from "../store/statement.ts";
import { type DataKey, DataKeys, type RewrapOptions, type Rewrapped } from "./data-keys.ts";
import { decrypt, encrypt, Unauthentic } from "./envelope.ts";
import type { MasterKeys } from "./master-keys.ts";
import { SigningKeys } from "./signing-keys.ts";

/** What came of a rotation. */
export interface Rotated {
  /** Secrets that are encrypted by the new data key. */
  readonly secrets: number;
  /** Those that could not be read, as `namespace/name`, and signing keys, as `signing key ID`: they are as they were. */
  readonly unreadable: readonly string[];
}

const BATCH = 100;
const TRIES_MAX = 5;
/** What another process has set is known here so soon. Only what is encrypted is kept. */
const KEPT_MS = 1_000;
const KEPT_MAX = 1_000;

interface Kept {
  readonly row: Promise<SecretRow | null>;
  readonly until: number;
}

/**
 * Secrets of all namespaces.
 *
 * Owns: how they are encrypted, and what was read of them in the last second, encrypted.
 *
 * Invariants:
 *   S1  No plain text is kept here: what is decrypted belongs to who asked.
 *   S2  What is encrypted is bound to its namespace, name, version and data key: a row in the place of another one is not opened.
 */
export class SecretStore {
  /** Encrypted by the same data keys. */
  readonly signingKeys: SigningKeys;
  readonly #client: Queryable;
  readonly #keys: DataKeys | null;
  readonly #now: () => number;
  readonly #kept = new Map<string, Kept>();

  /** `masters` null: there is no master key, and nothing can be encrypted or read. `now`: a steady clock. */
  constructor(client: Queryable, masters: MasterKeys | null, now: () => number) {
    this.#client = client;
    this.#keys = masters === null ? null : new DataKeys(client, masters);
    this.#now = now;
    this.signingKeys = new SigningKeys(client, this.#keys, now);
  }

  async set(namespace: string, name: string, value: string, by: string): Promise<SecretSummary> {
    for (let left = TRIES_MAX; left > 0; left--) {
      const key = await this.#required().current();
      const [before] = await findSecrets(this.#client, namespace, [name]);
      const about = { namespace, name, version: (before?.version ?? 0) + 1, dataKey: key.id };
      const row = { ...about, sealed: seal(key, value, about) };
      const done = await setSecret(this.#client, row, key.masterKey, by);
      this.#kept.delete(keyOf(namespace, name));
      if (done !== undefined) return done;
    }
    throw new EngineError("HeldUp", `Others are setting the secret ${name} at the same time`);
  }

  /** Values are not told. */
  list(namespace: string): Promise<SecretSummary[]> {
    return listSecrets(this.#client, namespace);
  }

  async remove(namespace: string, name: string): Promise<void> {
    const removed = await removeSecret(this.#client, namespace, name);
    this.#kept.delete(keyOf(namespace, name));
    if (!removed) throw new EngineError("NotFound", `There is no secret ${name} in ${namespace}`);
  }

  /** By name; those that are not there are left out. Rejects if they cannot be read here. */
  async read(namespace: string, names: readonly string[]): Promise<Map<string, string>> {
    const keys = this.#required();
    const values = new Map<string, string>();
    for (const [name, found] of this.#rows(namespace, names)) {
      const row = await found;
      if (row !== null) values.set(name, await this.#opened(keys, row));
    }
    return values;
  }

  /** Encrypts everything by a new data key, in batches. Whoever is interrupted can be asked again. */
  async rotate(): Promise<Rotated> {
    const keys = this.#required();
    const key = await keys.renew();
    const unreadable = new Set<string>();
    let secrets = 0;
    // What was set during one pass, by the key from before, is found by the next one.
    for (let changed = -1; changed !== 0;) {
      changed = await this.#rotatePass(keys, key, unreadable);
      secrets += changed;
    }
    for (const id of await this.signingKeys.resealAll(key)) unreadable.add(`signing key ${id}`);
    await keys.dropUnused();
    this.#kept.clear();
    return { secrets, unreadable: [...unreadable].toSorted() };
  }

  /** Rejects if something is encrypted that could not be read here. */
  async check(): Promise<void> {
    if (this.#keys !== null) await this.#keys.check();
    else if ((await dataKeys(this.#client)).length > 0) this.#required();
  }

  async rewrap(options: RewrapOptions = {}): Promise<Rewrapped> {
    return this.#required().rewrap(options);
  }

  async #rotatePass(keys: DataKeys, key: DataKey, unreadable: Set<string>): Promise<number> {
    let changed = 0;
    let after = { namespace: "", name: "" };
    for (;;) {
      const rows = await staleSecrets(this.#client, key.id, after, BATCH);
      if (rows.length === 0) return changed;
      after = rows.at(-1)!;
      const again: SecretRow[] = [];
      for (const row of rows) {
        try {
          const value = open(await keys.find(row.dataKey), row);
          again.push({ ...row, sealed: seal(key, value, { ...row, dataKey: key.id }) });
        } catch (error) {
          if (!(error instanceof EngineError) || error.code === "Unavailable") throw error;
          unreadable.add(keyOf(row.namespace, row.name));
        }
      }
      const done = await resealSecrets(this.#client, { id: key.id, masterKey: key.masterKey }, again);
      if (done === null)
        throw new EngineError("HeldUp", "Another rotation has begun: it does what is left of this one");
      changed += done;
    }
  }

  /** A rotation may have ended since the row was read: then another one has taken its place, and its key is gone. */
  async #opened(keys: DataKeys, row: SecretRow): Promise<string> {
    try {
      return open(await keys.find(row.dataKey), row);
    } catch (error) {
      const [now] = await findSecrets(this.#client, row.namespace, [row.name]);
      if (now === undefined || now.dataKey === row.dataKey) throw error;
      return open(await keys.find(now.dataKey), now);
    }
  }

  #rows(namespace: string, names: readonly string[]): Map<string, Promise<SecretRow | null>> {
    const now = this.#now();
    const wanted = [...new Set(names)];
    const lacking = wanted.filter((name) => !((this.#kept.get(keyOf(namespace, name))?.until ?? 0) > now));
    if (lacking.length > 0) {
      if (this.#kept.size + lacking.length > KEPT_MAX) this.#kept.clear();
      const asked = findSecrets(this.#client, namespace, lacking);
      for (const name of lacking) {
        const row = asked.then((rows) => rows.find((each) => each.name === name) ?? null);
        const key = keyOf(namespace, name);
        // What could not be asked is asked again; and what is not there, since calls fail for good without it.
        const forget = (): void => void this.#kept.delete(key);
        row.then((found) => (found === null ? forget() : undefined), forget);
        this.#kept.set(key, { row, until: now + KEPT_MS });
      }
    }
    return new Map(wanted.map((name) => [name, this.#kept.get(keyOf(namespace, name))!.row]));
  }

  #required(): DataKeys {
    if (this.#keys !== null) return this.#keys;
    throw new EngineError(
      "NoMasterKey",
      "This process has no master key for secrets: give it CAIRN_MASTER_KEY or CAIRN_MASTER_KEY_FILE, 32 bytes as openssl rand -base64 32 makes them",
    );
  }
}

function keyOf(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

type About = Omit<SecretRow, "sealed">;

function aboutSecret({ namespace, name, version, dataKey }: About): readonly string[] {
  return ["cairn.secret", namespace, name, String(version), dataKey];
}

function seal(key: DataKey, value: string, about: About): Buffer {
  return encrypt(key.bytes, Buffer.from(value), aboutSecret(about));
}

function open(key: DataKey, row: SecretRow): string {
  try {
    return decrypt(key.bytes, row.sealed, aboutSecret(row)).toString();
  } catch (error) {
    if (!(error instanceof Unauthentic)) throw error;
    throw new EngineError(
      "SecretUnreadable",
      `The secret ${row.name} of ${row.namespace} was changed in the database: set it again`,
    );
  }
}
