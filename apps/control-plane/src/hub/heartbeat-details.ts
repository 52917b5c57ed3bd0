import { callKey } from "@cairnjs/worker/host";
import type { Value } from "@cairnjs/schemas";
import type { CallId, TryId } from "../runloop/outside.ts";
import { storedValue, valueOfStored } from "./values.ts";
import type { Warn } from "../warn.ts";

export interface StoredDetails extends CallId {
  readonly attempt: number;
  readonly details: string;
}

/** Where details outlive the process that heard of them. */
export interface DetailsStore {
  find(calls: readonly CallId[]): Promise<readonly StoredDetails[]>;
  keep(details: readonly StoredDetails[]): Promise<void>;
  forget(calls: readonly CallId[]): Promise<void>;
}

/** Of calls in memory: those of others are in the database. */
const KEPT_MAX = 10_000;

interface Kept extends CallId {
  readonly attempt: number;
  readonly details: Value;
  isStored: boolean;
}

/**
 * Owns: what tries have told last, for the next ones.
 *
 * It is written down soon, all that has changed in one statement: the next try may be dispatched by another control plane,
 * after this one has gone down.
 */
export class HeartbeatDetails {
  readonly #store: DetailsStore;
  readonly #warn: Warn;
  readonly #kept = new Map<string, Kept>();
  #changed = new Set<string>();
  readonly #over = new Map<string, CallId>();
  #writing: Promise<void> | null = null;

  constructor(store: DetailsStore, warn: Warn) {
    this.#store = store;
    this.#warn = warn;
  }

  tell({ runId, call }: CallId, attempt: number, details: Value): void {
    this.#keep({ runId, call, attempt, details, isStored: false });
    this.#changed.add(callKey({ runId, call }));
  }

  #keep(kept: Kept): void {
    const key = callKey(kept);
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    for (const [oldest, { isStored }] of this.#kept) {
      if (this.#kept.size <= KEPT_MAX) break;
      if (isStored) this.#kept.delete(oldest);
      else break;
    }
  }

  /** There is no next try. */
  over({ runId, call }: CallId): void {
    const key = callKey({ runId, call });
    if (!this.#kept.delete(key)) return;
    this.#changed.delete(key);
    this.#over.set(key, { runId, call });
  }

  /** For tries of calls that were tried before. What is older than the last try may have been told anew elsewhere. */
  async of(tries: readonly TryId[]): Promise<Map<string, Value>> {
    const found = new Map<string, Value>();
    const unknown: CallId[] = [];
    for (const { runId, call, attempt } of tries) {
      const key = callKey({ runId, call });
      const kept = this.#kept.get(key);
      if (kept !== undefined) found.set(key, kept.details);
      if (kept?.attempt !== attempt - 1) unknown.push({ runId, call });
    }
    if (unknown.length === 0) return found;
    try {
      for (const { runId, call, attempt, details: stored } of await this.#store.find(unknown)) {
        if ((this.#kept.get(callKey({ runId, call }))?.attempt ?? 0) >= attempt) continue;
        const details = valueOfStored(stored);
        found.set(callKey({ runId, call }), details);
        this.#keep({ runId, call, attempt, details, isStored: true });
      }
    } catch (error) {
      // They are a help, and no condition.
      this.#warn("What earlier tries have told cannot be read", error);
    }
    return found;
  }

  /** Writes down what has changed. One at a time: what is told last is written last. */
  async flush(): Promise<void> {
    await this.#writing;
    if (this.#changed.size === 0 && this.#over.size === 0) return;
    this.#writing ??= this.#write().finally(() => (this.#writing = null));
    await this.#writing;
  }

  async #write(): Promise<void> {
    const changed = Array.from(this.#changed, (key) => this.#kept.get(key)).filter((each) => each !== undefined);
    const over = [...this.#over.values()];
    this.#changed = new Set();
    this.#over.clear();
    try {
      if (changed.length > 0) {
        const stored = ({ runId, call, attempt, details }: Kept): StoredDetails => ({
          runId,
          call,
          attempt,
          details: storedValue(details),
        });
        await this.#store.keep(changed.map(stored));
        for (const each of changed) each.isStored = true;
      }
      if (over.length > 0) await this.#store.forget(over);
    } catch (error) {
      for (const each of changed) this.#changed.add(callKey(each));
      for (const each of over) this.#over.set(callKey(each), each);
      this.#warn("What calls tell in heartbeats cannot be written", error);
    }
  }
}
