import { createReadStream, createWriteStream, type WriteStream } from "node:fs";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { CannotRun } from "../cannot-run.ts";

/** A file of lines that is being written; compressed if its name says so. */
export class LinesFile {
  readonly #file: WriteStream;
  readonly #first: Writable;

  static async open(path: string): Promise<LinesFile> {
    const file = createWriteStream(path);
    try {
      await once(file, "open");
    } catch (error) {
      throw new CannotRun(`${path} cannot be written: ${(error as Error).message}`, { cause: error });
    }
    return new LinesFile(file, path.endsWith(".gz"));
  }

  private constructor(file: WriteStream, isCompressed: boolean) {
    this.#file = file;
    this.#first = isCompressed ? createGzip() : file;
    if (isCompressed) this.#first.pipe(file);
  }

  /** Resolves when there is room for the next one. */
  async write(line: string): Promise<void> {
    if (!this.#first.write(`${line}\n`)) await once(this.#first, "drain");
  }

  async close(): Promise<void> {
    this.#first.end();
    await finished(this.#file);
  }
}

/** Lines of a file that are not empty; of the standard input if it is called `-`. */
export async function* linesOf(path: string): AsyncGenerator<string, void> {
  const file: Readable = path === "-" ? process.stdin : createReadStream(path);
  const input: Readable = path.endsWith(".gz") ? file.pipe(createGunzip()) : file;
  // Whoever reads what comes out of it hears nothing of the file's own errors.
  if (file !== input) file.on("error", (error: Error) => void input.destroy(error));
  const failed = new Promise<never>((_, reject) => {
    input.once("error", (error: Error) =>
      reject(new CannotRun(`${path} cannot be read: ${error.message}`, { cause: error })),
    );
  });
  failed.catch(() => {});
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })[Symbol.asyncIterator]();
  for (;;) {
    const { done, value } = await Promise.race([lines.next(), failed]);
    if (done === true) return;
    if (value.trim() !== "") yield value;
  }
}
