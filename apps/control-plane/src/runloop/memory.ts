import type { HeldRun } from "./held-run.ts";

/** Stored bytes of runs that are loaded together: what is read of them is in memory more than once meanwhile. */
const LOADED_TOGETHER_MAX = 8 * 1024 * 1024;
/** What a stored byte takes once it is loaded: its state, and for a while the text it was read from. */
const PER_STORED_BYTE = 2;
/** How much the last run that was loaded counts in what is usual. */
const USUAL_WEIGHT = 1 / 8;
const USUAL_FIRST = 16 * 1024;

/**
 * Owns: what the runs of a runloop weigh in its memory, in bytes, and so whether there is room for more.
 *
 * Invariant: a run that has not begun begins, and one that is stored is loaded, while there is room, or when no other run
 * weighs anything: so what is held is at most one run above the limit, unless runs that wait for their calls grow by what
 * those return.
 */
export class Memory {
  readonly bytesMax: number;
  readonly #weights = new Map<HeldRun, number>();
  /** Runs that have begun. */
  readonly #begun = new Set<HeldRun>();
  #bytes = 0;
  #usual = USUAL_FIRST;

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get free(): number {
    return Math.max(0, this.bytesMax - this.#bytes);
  }

  /** How many runs are likely to fit. */
  get usuallyFits(): number {
    return Math.max(1, Math.floor(this.free / this.#usual));
  }

  /** A run that comes into memory, or may have become larger or smaller; `beside`: what else is kept because of it. */
  weigh(run: HeldRun, beside = 0): void {
    const before = this.#weights.get(run);
    const bytes = run.weigh() + beside;
    if (run.machine.phase !== "new") this.#begun.add(run);
    if (before === undefined && run.machine.phase !== "new") this.#usual += (bytes - this.#usual) * USUAL_WEIGHT;
    this.#weights.set(run, bytes);
    this.#bytes += bytes - (before ?? 0);
  }

  drop(run: HeldRun): void {
    this.#bytes -= this.#weights.get(run) ?? 0;
    this.#weights.delete(run);
    this.#begun.delete(run);
  }

  clear(): void {
    this.#weights.clear();
    this.#begun.clear();
    this.#bytes = 0;
  }

  /** Whether a step of the run may be worked on: always, once it has begun. */
  admits(run: HeldRun): boolean {
    return this.free > 0 || this.#begun.size === 0 || this.#begun.has(run);
  }

  /** Whether something that takes so many bytes stored may be loaded. */
  fits(storedBytes: number): boolean {
    return storedBytes * PER_STORED_BYTE <= this.free || this.#weights.size === 0;
  }

  /** How many of the next runs, by their stored bytes, may be loaded together. */
  fitting(storedBytes: readonly number[]): number {
    let count = 0;
    let sum = 0;
    for (const bytes of storedBytes) {
      sum += bytes;
      if (!this.fits(sum) || (sum > LOADED_TOGETHER_MAX && count > 0)) break;
      count += 1;
      // It is larger than all there is: no other run beside it.
      if (sum * PER_STORED_BYTE > this.bytesMax) break;
    }
    return count;
  }
}
