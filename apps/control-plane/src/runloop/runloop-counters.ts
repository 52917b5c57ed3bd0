/** Upper bounds of how long commits take, in milliseconds; what takes longer is in the last bucket. */
export const COMMIT_BUCKETS_MS = [1, 2, 5, 10, 25, 50, 100, 250, 1_000, 5_000] as const;

const CLAIMED = 0;
const COMMITS = 1;
const TRANSITIONS = 2;
const COMMIT_MICROSECONDS = 3;
const HELD = 4;
const BUCKETS = 5;
const CELLS = BUCKETS + COMMIT_BUCKETS_MS.length + 1;

export interface CountedRunloop {
  /** Runs that were claimed. */
  readonly claimed: number;
  /** Transactions with transitions of runs, and how many of these. */
  readonly commits: number;
  readonly transitions: number;
  /** Of all commits together. */
  readonly commitMs: number;
  /** Commits by how long they took: one for each bound, and one for those beyond. */
  readonly buckets: readonly number[];
  /** Runs in memory, as of the last pulse. */
  readonly held: number;
}

/** What a runloop has done since its process began, where others can read it without asking: it may be in another thread. */
export class RunloopCounters {
  static readonly BYTES = 8 * CELLS;
  readonly #cells: BigInt64Array;

  constructor(buffer: SharedArrayBuffer, offset: number) {
    this.#cells = new BigInt64Array(buffer, offset, CELLS);
  }

  claimed(runs: number): void {
    this.#add(CLAIMED, runs);
  }

  committed(transitions: number, tookMs: number): void {
    const bucket = COMMIT_BUCKETS_MS.findIndex((bound) => tookMs <= bound);
    this.#add(COMMITS, 1);
    this.#add(TRANSITIONS, transitions);
    this.#add(COMMIT_MICROSECONDS, Math.round(tookMs * 1_000));
    this.#add(BUCKETS + (bucket === -1 ? COMMIT_BUCKETS_MS.length : bucket), 1);
  }

  set held(runs: number) {
    Atomics.store(this.#cells, HELD, BigInt(runs));
  }

  read(): CountedRunloop {
    return {
      claimed: this.#get(CLAIMED),
      commits: this.#get(COMMITS),
      transitions: this.#get(TRANSITIONS),
      commitMs: this.#get(COMMIT_MICROSECONDS) / 1_000,
      buckets: Array.from({ length: COMMIT_BUCKETS_MS.length + 1 }, (_, index) => this.#get(BUCKETS + index)),
      held: this.#get(HELD),
    };
  }

  #add(cell: number, count: number): void {
    Atomics.add(this.#cells, cell, BigInt(count));
  }

  #get(cell: number): number {
    return Number(Atomics.load(this.#cells, cell));
  }
}
