import { type OperatingLevels, operatingLevels, type PoolDepth, poolDepths } from "../store/operating-levels.ts";
import type { Queryable } from "../store/statement.ts";

export interface DatabaseLevels {
  readonly pools: readonly PoolDepth[];
  /** Null: it could not be reached. */
  readonly all: OperatingLevels | null;
  /** How far its clock is ahead of this process's. */
  readonly skewMs: number;
}

/** However often someone asks. */
const EVERY_MS = 1_000;
/** Of the time, a look may take one part in so many. */
const SHARE = 20;

export const UNKNOWN: DatabaseLevels = { pools: [], all: null, skewMs: 0 };

/** Owns: what was last seen of the database. Whoever asks while it is looked at waits for that look. */
export class DatabaseLook {
  readonly #client: Queryable;
  #seen: DatabaseLevels = UNKNOWN;
  #looking: Promise<void> | null = null;
  #nextAt = Number.NEGATIVE_INFINITY;

  constructor(client: Queryable) {
    this.#client = client;
  }

  /** A database that is away takes nothing but this from those who ask. */
  async levels(): Promise<DatabaseLevels> {
    if (this.#looking === null && performance.now() >= this.#nextAt) {
      this.#looking = this.#look().finally(() => (this.#looking = null));
    }
    await this.#looking;
    return this.#seen;
  }

  async #look(): Promise<void> {
    const before = performance.now();
    try {
      const pools = await poolDepths(this.#client);
      const asked = performance.now();
      const all = await operatingLevels(this.#client);
      // It was said about when half of the way was gone.
      const skewMs = all.now - (Date.now() - (performance.now() - asked) / 2);
      this.#seen = { pools, all, skewMs };
    } catch {
      this.#seen = UNKNOWN;
    }
    const after = performance.now();
    this.#nextAt = after + Math.max(EVERY_MS, SHARE * (after - before));
  }
}
