import { ChunkRefused } from "cairnjs";
import type { EncodedChunk } from "cairnjs/host";

export interface NumberedChunk extends EncodedChunk {
  /** Counts from 1 in each try. */
  readonly number: number;
}

/** Chunks that whoever takes them has not acknowledged: with so many bytes of them, the next one waits. */
const KEPT_BYTES_MAX = 256 * 1024;
/** And with so many bytes that wait, the handler does not await them: the next one is refused. */
const WAITING_BYTES_MAX = 1024 * 1024;
/** Beside its text. */
const CHUNK_COST = 100;

interface Waiting extends EncodedChunk {
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * What one try streams, on its way to whoever takes it: a control plane, the database, or another thread.
 *
 * Owns: the chunks that are not acknowledged, with their numbers, and those that wait for room.
 *
 * Invariants:
 *   C1  Numbers have no gaps: what is refused has none.
 *   C2  At most 256 KB are kept, and 1 MB waits, whatever the handler awaits.
 */
export class ChunkStream {
  readonly #ready: () => void;
  #kept: NumberedChunk[] = [];
  #keptBytes = 0;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #last = 0;
  #closed: { readonly reason: unknown } | null = null;
  #whenMoved: (() => void)[] = [];

  /** `ready`: there is something to be taken that was not there before. */
  constructor(ready: () => void) {
    this.#ready = ready;
  }

  /** Resolves when it is kept. Rejects when the try is closed before, or too much waits. */
  async take({ text, bytes }: EncodedChunk): Promise<void> {
    if (this.#closed !== null) throw this.#closed.reason;
    if (this.#waiting.length === 0 && this.#hasRoom(bytes)) return this.#keep({ text, bytes });
    if (this.#waitingBytes + bytes + CHUNK_COST > WAITING_BYTES_MAX) {
      throw new ChunkRefused(`More than ${WAITING_BYTES_MAX} bytes of chunks wait to be sent: await stream()`);
    }
    this.#waitingBytes += bytes + CHUNK_COST;
    await new Promise<void>((resolve, reject) => this.#waiting.push({ text, bytes, resolve, reject }));
  }

  /** Those that are kept, beyond a number. */
  after(number: number): readonly NumberedChunk[] {
    const first = this.#kept[0]?.number ?? 1;
    return number < first ? this.#kept : this.#kept.slice(number - first + 1);
  }

  /** All up to this number are taken. */
  acknowledge(number: number): void {
    let count = 0;
    for (const each of this.#kept) {
      if (each.number > number) break;
      this.#keptBytes -= each.bytes + CHUNK_COST;
      count += 1;
    }
    if (count === 0) return;
    this.#kept = this.#kept.slice(count);
    this.#admit();
    this.#moved();
  }

  /** The try is over for its handler, as when its time is: nothing more is taken. What is kept goes on. */
  close(reason: unknown): void {
    this.#closed ??= { reason };
    for (const { reject } of this.#waiting.splice(0)) reject(reason);
    this.#waitingBytes = 0;
    this.#moved();
  }

  /** Nobody waits for the try any more, and nobody hears of what it has streamed. */
  abort(reason: unknown): void {
    this.#kept = [];
    this.#keptBytes = 0;
    this.close(reason);
  }

  /** Resolves when nothing waits for room any more. */
  async admitted(): Promise<void> {
    while (this.#waiting.length > 0) await this.#move();
  }

  /** Resolves when everything is acknowledged. */
  async taken(): Promise<void> {
    while (this.#kept.length > 0) await this.#move();
  }

  #hasRoom(bytes: number): boolean {
    return this.#kept.length === 0 || this.#keptBytes + bytes + CHUNK_COST <= KEPT_BYTES_MAX;
  }

  #keep({ text, bytes }: EncodedChunk): void {
    this.#last += 1;
    this.#kept.push({ number: this.#last, text, bytes });
    this.#keptBytes += bytes + CHUNK_COST;
    this.#ready();
  }

  #admit(): void {
    let count = 0;
    for (const { text, bytes, resolve } of this.#waiting) {
      if (!this.#hasRoom(bytes)) break;
      count += 1;
      this.#waitingBytes -= bytes + CHUNK_COST;
      this.#keep({ text, bytes });
      resolve();
    }
    if (count > 0) this.#waiting = this.#waiting.slice(count);
  }

  #move(): Promise<void> {
    return new Promise((resolve) => this.#whenMoved.push(resolve));
  }

  #moved(): void {
    for (const resolve of this.#whenMoved.splice(0)) resolve();
  }
}
