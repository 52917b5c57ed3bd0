import { Readable } from "node:stream";
import { LOOK_MS, PACE, Progress } from "./pace.ts";

/** What is given to the system at a time: whenever it has taken that, the client is known to read. */
const PORTION_BYTES = 64 * 1024;

/**
 * A large answer, portion by portion. Ends with an error, and the connection with it, if it is not taken. Time counts from the first
 * portion: until then others may still have to do with it.
 */
export class LargeAnswer extends Readable {
  readonly #bytes: Buffer;
  readonly #pace;
  #look: NodeJS.Timeout | null = null;
  #given = 0;

  constructor(bytes: Buffer, { pace = PACE, lookMs = LOOK_MS } = {}) {
    super({ highWaterMark: PORTION_BYTES });
    this.#bytes = bytes;
    this.#pace = { pace, lookMs };
    // Whoever sends it hears of it; if nobody does, that is no reason for the process to end.
    this.on("error", () => {});
  }

  override _read(): void {
    this.#look ??= this.#watch();
    if (this.#given >= this.#bytes.length) return void this.push(null);
    const portion = this.#bytes.subarray(this.#given, this.#given + PORTION_BYTES);
    this.#given += portion.length;
    this.push(portion);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (this.#look !== null) clearInterval(this.#look);
    done(error);
  }

  #watch(): NodeJS.Timeout {
    const progress = new Progress(performance.now(), 0, this.#pace.pace);
    return setInterval(() => {
      if (progress.isTooSlow(performance.now(), this.#given)) this.destroy(new Error("The answer is not taken"));
    }, this.#pace.lookMs);
  }
}
