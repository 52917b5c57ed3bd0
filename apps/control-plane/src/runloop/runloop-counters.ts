import type { Step } from "./step.ts";

/** What a runloop counts, since its process began. */
const COUNTS = [
  /** Runs that were claimed, and those that were freed here since their owners were gone. */
  "claimed",
  "takenOver",
  /** Lives that have lost their runs. */
  "livesLost",
  /** Transitions that were committed, and what is in them. */
  "transitions",
  "inputs",
  "children",
  "succeeded",
  "failed",
  "lost",
  /** Of those that failed: another one follows. */
  "retried",
] as const;
type Count = (typeof COUNTS)[number];

/** How it is, as of the last pulse. */
const LEVELS = ["held", "heldBytes"] as const;
type Level = (typeof LEVELS)[number];

/** Upper bounds; what is more is in the last bucket. */
const BOUNDS = {
  /** How long commits take, in milliseconds, and how many transitions are in one. */
  commitMs: [1, 2, 5, 10, 25, 50, 100, 250, 1_000, 5_000],
  commitSize: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000],
  /** How long looks for runs take, in milliseconds. */
  claimMs: [1, 2, 5, 10, 25, 50, 100, 250, 1_000, 5_000],
} as const;
type Spread = keyof typeof BOUNDS;

export interface CountedSpread {
  readonly bounds: readonly number[];
  /** How many there are up to each bound, and beyond the one before; one more for those beyond all. */
  readonly buckets: readonly number[];
  readonly sum: number;
}

export type CountedRunloop = Readonly<Record<Count | Level, number>> & Readonly<Record<Spread, CountedSpread>>;

/** Where the cells of each begin, and how many there are. */
const { CELLS, LENGTH } = layOut();

function layOut(): { readonly CELLS: ReadonlyMap<string, number>; readonly LENGTH: number } {
  const places = new Map<string, number>();
  let next = 0;
  for (const name of [...COUNTS, ...LEVELS]) places.set(name, next++);
  for (const [name, bounds] of Object.entries(BOUNDS)) {
    places.set(name, next);
    // A sum in thousandths, and the buckets.
    next += 1 + bounds.length + 1;
  }
  return { CELLS: places, LENGTH: next };
}

/** What a runloop has done since its process began, where others can read it without asking: it may be in another thread. */
export class RunloopCounters {
  static readonly BYTES = 8 * LENGTH;
  readonly #cells: BigInt64Array;

  constructor(buffer: SharedArrayBuffer, offset: number) {
    this.#cells = new BigInt64Array(buffer, offset, LENGTH);
  }

  add(name: Count, count: number): void {
    if (count > 0) Atomics.add(this.#cells, CELLS.get(name)!, BigInt(count));
  }

  set(name: Level, value: number): void {
    Atomics.store(this.#cells, CELLS.get(name)!, BigInt(Math.round(value)));
  }

  observe(name: Spread, value: number): void {
    const first = CELLS.get(name)!;
    const bounds: readonly number[] = BOUNDS[name];
    const bucket = bounds.findIndex((bound) => value <= bound);
    Atomics.add(this.#cells, first, BigInt(Math.round(value * 1_000)));
    Atomics.add(this.#cells, first + 1 + (bucket === -1 ? bounds.length : bucket), 1n);
  }

  /** These were committed together. */
  committed(steps: readonly Step[], tookMs: number): void {
    const counts = { inputs: 0, children: 0, succeeded: 0, failed: 0, lost: 0, retried: 0 };
    for (const { transition } of steps) {
      for (const { kind, attempt } of transition.peek("history") ?? []) {
        counts.inputs += 1;
        if (kind === "result" && attempt !== null) counts.succeeded += 1;
      }
      for (const { outcome, retryAt } of transition.peek("attempts") ?? []) {
        counts[outcome] += 1;
        if (retryAt !== null) counts.retried += 1;
      }
      counts.children += transition.peek("children")?.length ?? 0;
    }
    this.add("transitions", steps.length);
    for (const name of Object.keys(counts) as (keyof typeof counts)[]) this.add(name, counts[name]);
    this.observe("commitMs", tookMs);
    this.observe("commitSize", steps.length);
  }

  read(): CountedRunloop {
    const numbers = [...COUNTS, ...LEVELS].map((name) => [name, this.#get(CELLS.get(name)!)] as const);
    const spreads = Object.entries(BOUNDS).map(([name, bounds]) => [name, this.#spread(name, bounds)] as const);
    return { ...Object.fromEntries(numbers), ...Object.fromEntries(spreads) } as CountedRunloop;
  }

  #spread(name: string, bounds: readonly number[]): CountedSpread {
    const first = CELLS.get(name)!;
    const buckets = Array.from({ length: bounds.length + 1 }, (_, index) => this.#get(first + 1 + index));
    return { bounds, buckets, sum: this.#get(first) / 1_000 };
  }

  #get(cell: number): number {
    return Number(Atomics.load(this.#cells, cell));
  }
}
