import type { CallRef } from "@cairnjs/schemas";
import { Counts } from "../counts.ts";
import { type NewChunk, runKey } from "../store/stream-chunks.ts";
import { tryKey } from "../try-key.ts";
import type { Warn } from "../warn.ts";

export interface ChunkWriterOptions {
  /** Resolves with the keys of those runs that live. */
  readonly write: (chunks: readonly NewChunk[]) => Promise<ReadonlySet<string>>;
  /** Something was written. */
  readonly written: () => void;
  readonly warn: Warn;
}

/** A statement for all that came within so long. The first one goes at once. */
const WRITE_EVERY_MS = 20;
/** While the database cannot be reached. */
const AGAIN_IN_MS = 250;
const BATCH_ROWS_MAX = 1_000;
const BATCH_BYTES_MAX = 2 * 1024 * 1024;
/** With more than this, whoever brings chunks waits. */
const HELD_BYTES_MAX = 32 * 1024 * 1024;

interface Held {
  readonly chunk: NewChunk;
  readonly key: string;
  readonly done: (isLiving: boolean) => void;
}

/**
 * Writes down what calls stream, beside everything else that is committed.
 *
 * Owns: chunks that are not written. Of a try, they are written in the order they came, one statement after the other: no number
 * is visible before those below it.
 */
export class ChunkWriter {
  readonly #options: ChunkWriterOptions;
  #held: Held[] = [];
  #heldBytes = 0;
  /** How many were held, and are not any more. */
  #count = 0;
  /** How many of a try are held. */
  readonly #tries = new Counts();
  #writing: Promise<boolean> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #lastAt = 0;
  #hasWarned = false;
  #closed = false;
  #whenRoom: (() => void)[] = [];

  constructor(options: ChunkWriterOptions) {
    this.#options = options;
  }

  /** `done`: it is written, or will never be, since its run has ended or is another namespace's. */
  add(chunk: NewChunk, done: (isLiving: boolean) => void): void {
    const key = tryKey(chunk);
    this.#held.push({ chunk, key, done });
    this.#heldBytes += chunk.value.length;
    this.#tries.add(key, 1);
    this.#writeIn(Math.max(0, this.#lastAt + WRITE_EVERY_MS - performance.now()));
  }

  /** Whether chunks of this try are not written. */
  holds(id: CallRef): boolean {
    return this.#tries.of(tryKey(id)) > 0;
  }

  /** Resolves when there is room for more. */
  async room(): Promise<void> {
    while (this.#heldBytes > HELD_BYTES_MAX) await new Promise<void>((resolve) => this.#whenRoom.push(resolve));
  }

  /** Resolves when all that is held now is written, or cannot be at the moment. */
  async flush(): Promise<void> {
    const all = this.#count + this.#held.length;
    while (this.#count < all) if (!(await this.#write())) return;
  }

  /** What is not written is lost. */
  close(): void {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #writeIn(ms: number): void {
    if (this.#timer !== null || this.#writing !== null || this.#closed) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      void this.#write();
    }, ms);
  }

  /** Whether it could be. One at a time. */
  async #write(): Promise<boolean> {
    this.#writing ??= this.#writeBatch().finally(() => (this.#writing = null));
    const isWritten = await this.#writing;
    if (this.#held.length > 0) this.#writeIn(isWritten ? WRITE_EVERY_MS : AGAIN_IN_MS);
    return isWritten;
  }

  async #writeBatch(): Promise<boolean> {
    this.#lastAt = performance.now();
    const batch = this.#nextBatch();
    if (batch.length === 0) return true;
    try {
      const isLiving = await this.#tryAll(batch);
      this.#hasWarned = false;
      this.#remove(batch);
      for (const each of batch) each.done(isLiving(each));
      if (batch.some(isLiving)) this.#options.written();
      return true;
    } catch (error) {
      if (!this.#hasWarned) this.#options.warn("What calls stream cannot be written, which is tried again", error);
      this.#hasWarned = true;
      return false;
    }
  }

  /** What the database refuses for good is found by halves, and left out: others' chunks do not wait for it. */
  async #tryAll(batch: readonly Held[]): Promise<(each: Held) => boolean> {
    try {
      const living = await this.#options.write(batch.map(({ chunk }) => chunk));
      return ({ chunk }) => living.has(runKey(chunk));
    } catch (error) {
      if (!isForGood(error)) throw error;
      if (batch.length === 1) {
        const { runId, call, number } = batch[0]!.chunk;
        this.#options.warn(`Chunk ${number} of the call ${call} of the run ${runId} is left out`, error, {
          runId,
          call,
        });
        return () => true;
      }
    }
    const first = batch.slice(0, batch.length / 2);
    const [left, right] = [await this.#tryAll(first), await this.#tryAll(batch.slice(first.length))];
    return (each) => (first.includes(each) ? left(each) : right(each));
  }

  #nextBatch(): Held[] {
    const batch: Held[] = [];
    let bytes = 0;
    for (const each of this.#held) {
      bytes += each.chunk.value.length;
      if (batch.length === BATCH_ROWS_MAX || (batch.length > 0 && bytes > BATCH_BYTES_MAX)) break;
      batch.push(each);
    }
    return batch;
  }

  #remove(batch: readonly Held[]): void {
    this.#held = this.#held.slice(batch.length);
    this.#count += batch.length;
    for (const { chunk, key } of batch) {
      this.#heldBytes -= chunk.value.length;
      this.#tries.add(key, -1);
    }
    for (const resolve of this.#whenRoom.splice(0)) resolve();
  }
}

/** Classes of SQLSTATEs that say nothing of the data: lost connections, contention, no room, a server that ends. */
const FOR_NOW = new Set(["08", "25", "40", "53", "55", "57", "58"]);

function isForGood(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === "string" && /^[0-9PX][0-9A-Z]{4}$/.test(code) && !FOR_NOW.has(code.slice(0, 2));
}
