import { type Image, loadProgram } from "@cairnjs/vm";
import type { JsonSchema } from "@cairnjs/ir";
import { findVersion, versionAtStart } from "../store/register-version.ts";
import type { Queryable } from "../store/statement.ts";
import { KnownLimits } from "./known-limits.ts";
import { KnownSubscriptions } from "./known-subscriptions.ts";

/** A registered version, ready to run. */
export interface LoadedVersion {
  readonly namespace: string;
  readonly name: string;
  readonly version: string;
  readonly kind: "workflow" | "action";
  readonly image: Image;
  readonly inputSchema: JsonSchema | null;
  readonly maxAttempts: number;
  readonly leaseMs: number | null;
  readonly tags: readonly string[];
}

/** Of programs, and of what was looked up. */
const KEPT_MAX = 1_000;
/** How long a look at which version is current, and at what may change of it, may serve. */
const CURRENT_FOR_MS = 1_000;

/**
 * Owns: programs that were loaded, and what was current when last looked.
 * A version never changes but for what `versionAtStart` says, so what is loaded stays right; the least recently used goes when there are
 * too many.
 */
export class Programs {
  /** Of the actions that they call. */
  readonly limits: KnownLimits;
  /** To what they emit. */
  readonly subscriptions: KnownSubscriptions;
  readonly #client: Queryable;
  readonly #now: () => number;
  readonly #loaded = new Map<string, Promise<LoadedVersion | null>>();
  readonly #current = new Map<string, { readonly loaded: LoadedVersion | null; readonly until: number }>();
  /** Looks under way: whoever asks in the meantime waits for the same one. */
  readonly #looks = new Map<string, Promise<LoadedVersion | null>>();

  constructor(client: Queryable, now: () => number) {
    this.#client = client;
    this.#now = now;
    this.limits = new KnownLimits(client);
    this.subscriptions = new KnownSubscriptions(client);
  }

  /** Null if nobody has registered it. */
  async find(namespace: string, name: string, version: string): Promise<LoadedVersion | null> {
    const key = JSON.stringify([namespace, name, version]);
    let found = this.#loaded.get(key);
    this.#loaded.delete(key);
    found ??= this.#load(namespace, name, version);
    this.#loaded.set(key, found);
    dropOldest(this.#loaded);
    try {
      const loaded = await found;
      if (loaded === null) this.#loaded.delete(key);
      return loaded;
    } catch (error) {
      this.#loaded.delete(key);
      throw error;
    }
  }

  /**
   * The current version, or the one that is asked for, if it was looked up of late: null if there is none, undefined if it
   * was not looked up.
   */
  knownCurrent(namespace: string, name: string, version: string | null = null): LoadedVersion | null | undefined {
    const known = this.#current.get(JSON.stringify([namespace, name, version]));
    return known === undefined || known.until < this.#now() ? undefined : known.loaded;
  }

  /** The current version, or the one that is asked for, with the lease that runs have which start now. */
  async current(namespace: string, name: string, version: string | null = null): Promise<LoadedVersion | null> {
    const key = JSON.stringify([namespace, name, version]);
    const begun = this.#looks.get(key);
    if (begun !== undefined) return begun;
    const look = this.#lookUp(namespace, name, version);
    this.#looks.set(key, look);
    try {
      const loaded = await look;
      // Else it was forgotten in the meantime, and what was seen may be what was current before.
      if (this.#looks.get(key) === look) this.#remember(key, loaded);
      return loaded;
    } finally {
      if (this.#looks.get(key) === look) this.#looks.delete(key);
    }
  }

  #remember(key: string, loaded: LoadedVersion | null): void {
    this.#current.delete(key);
    this.#current.set(key, { loaded, until: this.#now() + CURRENT_FOR_MS });
    dropOldest(this.#current);
  }

  forgetCurrent(namespace: string, name: string, version: string | null = null): void {
    const key = JSON.stringify([namespace, name, version]);
    this.#current.delete(key);
    this.#looks.delete(key);
  }

  async #lookUp(namespace: string, name: string, asked: string | null): Promise<LoadedVersion | null> {
    const found = await versionAtStart(this.#client, namespace, name, asked);
    if (found === undefined) return null;
    const loaded = await this.find(namespace, name, found.version);
    return loaded === null ? null : { ...loaded, leaseMs: found.leaseMs, maxAttempts: found.maxAttempts };
  }

  async #load(namespace: string, name: string, version: string): Promise<LoadedVersion | null> {
    const row = await findVersion(this.#client, namespace, name, version);
    if (row === undefined) return null;
    await this.limits.refresh();
    return {
      namespace,
      name,
      version,
      kind: row.kind,
      image: loadProgram(JSON.parse(row.program)),
      inputSchema: row.inputSchema === null ? null : (JSON.parse(row.inputSchema) as JsonSchema),
      maxAttempts: row.maxAttempts,
      leaseMs: row.leaseMs,
      tags: row.tags,
    };
  }
}

function dropOldest(kept: Map<string, unknown>): void {
  for (const oldest of kept.keys()) {
    if (kept.size <= KEPT_MAX) break;
    kept.delete(oldest);
  }
}
