import { SecretName, SecretValue } from "@cairnjs/schemas";
import type { RewrapOptions, Rewrapped } from "../secrets/data-keys.ts";
import type { Rotated, SecretStore } from "../secrets/secret-store.ts";
import type { SecretSummary } from "../store/secrets.ts";
import type { Engine } from "./engine.ts";
import { EngineError } from "./engine-error.ts";
import { parseNoun } from "./parse-noun.ts";

export function secretsOf(engine: Engine, namespace: string, by: string): Secrets {
  return new Secrets(engine.secrets, namespace, by, () => engine.tell("cairn_outbox"));
}

/** Secrets of a namespace. Nothing here tells their values. */
export class Secrets {
  readonly #store: SecretStore;
  readonly #namespace: string;
  readonly #by: string;
  readonly #changed: () => void;

  /** `changed`: subscriptions may have another secret. */
  constructor(store: SecretStore, namespace: string, by: string, changed: () => void) {
    this.#store = store;
    this.#namespace = namespace;
    this.#by = by;
    this.#changed = changed;
  }

  /** Calls that are sent a second later have the new value, wherever they are sent from. */
  async set(name: string, value: string): Promise<SecretSummary> {
    parseNoun(SecretName, "The name of a secret", name);
    const { success, error } = SecretValue.safeParse(value);
    // Never with what was given.
    if (!success) throw new EngineError("InvalidOption", `The secret ${name} ${error.issues[0]?.message ?? ""}`);
    const set = await this.#store.set(this.#namespace, name, value, this.#by);
    this.#changed();
    return set;
  }

  list(): Promise<SecretSummary[]> {
    return this.#store.list(this.#namespace);
  }

  async remove(name: string): Promise<void> {
    await this.#store.remove(this.#namespace, name);
    this.#changed();
  }

  /** Encrypts the secrets of all namespaces by a new data key. */
  rotate(): Promise<Rotated> {
    return this.#store.rotate();
  }

  /** Wraps all data keys by the master key; `removeOld`: and by no earlier one any more. */
  rewrap(options: RewrapOptions = {}): Promise<Rewrapped> {
    return this.#store.rewrap(options);
  }
}
