import { Readable } from "node:stream";

/** What is given to the system at a time: whenever it has taken that, the client is known to read. */
const PORTION_BYTES = 64 * 1024;
/** Who takes nothing for so long is cut off; and, after so long, who does not take so much a second. */
const SILENT_MS_MAX = 10_000;
const BYTES_PER_SECOND_MIN = 64 * 1024;
const LOOK_MS = 1_000;

/** A large answer, portion by portion. Ends with an error, and the connection with it, if it is not taken. */
export class LargeAnswer extends Readable {
  readonly #bytes: Buffer;
  readonly #begunAt = performance.now();
  readonly #look: NodeJS.Timeout;
  #takenAt = this.#begunAt;
  #given = 0;

  constructor(bytes: Buffer) {
    super({ highWaterMark: PORTION_BYTES });
    this.#bytes = bytes;
    this.#look = setInterval(() => this.#check(), LOOK_MS);
  }

  override _read(): void {
    this.#takenAt = performance.now();
    if (this.#given >= this.#bytes.length) return void this.push(null);
    const portion = this.#bytes.subarray(this.#given, this.#given + PORTION_BYTES);
    this.#given += portion.length;
    this.push(portion);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearInterval(this.#look);
    done(error);
  }

  #check(): void {
    const at = performance.now();
    const lateMs = at - this.#begunAt - SILENT_MS_MAX;
    const isSlow = this.#given < (lateMs / 1_000) * BYTES_PER_SECOND_MIN;
    if (isSlow || at - this.#takenAt > SILENT_MS_MAX) this.destroy(new Error("The answer is not taken"));
  }
}
