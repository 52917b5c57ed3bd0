import type { ActionLog } from "./action-context.ts";
import { encodeCopy } from "./copy.ts";
import { ChunkRefused, NotStorable } from "./errors.ts";

/** Of one chunk, encoded, in UTF-8. Control planes refuse more. */
const CHUNK_BYTES_MAX = 64 * 1024;
/** Of all chunks of one attempt: what is more belongs into a file, or a result. */
const ATTEMPT_BYTES_MAX = 16 * 1024 * 1024;

/** A value on its way to those who watch. */
export interface EncodedChunk {
  readonly text: string;
  readonly bytes: number;
}

/**
 * What one attempt may stream.
 *
 * Owns: how much it has streamed, and whether it has ended.
 *
 * `send` never throws and its promise never brings down the process: handlers stream in callbacks of others, where nobody awaits
 * anything, also after they have ended. So that this does not go unnoticed, the first refusal is logged.
 */
export class ChunkGate {
  readonly #action: string;
  readonly #log: () => ActionLog;
  #bytes = 0;
  #hasEnded = false;
  #hasComplained = false;

  constructor(action: string, log: () => ActionLog) {
    this.#action = action;
    this.#log = log;
  }

  /** Hands the chunk on, encoded. */
  send(chunk: unknown, take: (chunk: EncodedChunk) => void | Promise<void>): Promise<void> {
    const sent = this.#send(chunk, take);
    sent.catch((error: unknown) => this.#complain(error));
    return sent;
  }

  /** The attempt has ended. */
  close(): void {
    this.#hasEnded = true;
  }

  async #send(chunk: unknown, take: (chunk: EncodedChunk) => void | Promise<void>): Promise<void> {
    if (this.#hasEnded) throw this.#refusal("its attempt has ended. Await what streams before the handler returns");
    const { text } = encodeCopy(chunk, "chunk");
    const bytes = Buffer.byteLength(text);
    if (bytes > CHUNK_BYTES_MAX) {
      throw this.#refusal(`it has ${bytes} bytes, and at most ${CHUNK_BYTES_MAX} are streamed at once`);
    }
    if (this.#bytes + bytes > ATTEMPT_BYTES_MAX) {
      throw this.#refusal(`one attempt streams at most ${ATTEMPT_BYTES_MAX} bytes`);
    }
    this.#bytes += bytes;
    await take({ text, bytes });
  }

  #refusal(why: string): ChunkRefused {
    return new ChunkRefused(`A chunk of ${this.#action} was refused: ${why}`);
  }

  #complain(error: unknown): void {
    // That the attempt is aborted is no mistake of its handler's.
    const isMistake = error instanceof ChunkRefused || error instanceof NotStorable;
    if (this.#hasComplained || !isMistake) return;
    this.#hasComplained = true;
    this.#log().warn(error.message);
  }
}
