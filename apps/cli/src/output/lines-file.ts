import { createReadStream, createWriteStream, renameSync, rmSync, statSync, type WriteStream } from "node:fs";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { CannotRun } from "../cannot-run.ts";

/**
 * A file of lines that is being written; compressed if its name says so. It has its name when it is whole: until then what there was
 * before is there. (A device or a pipe is written as it is.)
 */
export class LinesFile {
  readonly #path: string;
  readonly #writtenTo: string;
  readonly #first: Writable;
  readonly #over: Promise<void>;

  static async open(path: string): Promise<LinesFile> {
    const writtenTo = (statSync(path, { throwIfNoEntry: false })?.isFile() ?? true) ? `${path}.part` : path;
    const file = createWriteStream(writtenTo);
    try {
      await once(file, "open");
    } catch (error) {
      throw unwritable(path, error);
    }
    return new LinesFile(path, writtenTo, file);
  }

  private constructor(path: string, writtenTo: string, file: WriteStream) {
    this.#path = path;
    this.#writtenTo = writtenTo;
    const compressing = path.endsWith(".gz") ? createGzip() : null;
    this.#first = compressing ?? file;
    this.#over = (compressing === null ? finished(file) : pipeline(compressing, file)).catch((error: unknown) => {
      throw unwritable(path, error);
    });
    // Whoever writes next, or closes it, is told.
    this.#over.catch(() => {});
  }

  /** Resolves when there is room for the next one. */
  async write(line: string): Promise<void> {
    if (!this.#first.write(`${line}\n`)) await Promise.race([once(this.#first, "drain"), this.#over]);
  }

  async close(): Promise<void> {
    this.#first.end();
    await this.#over;
    if (this.#writtenTo !== this.#path) renameSync(this.#writtenTo, this.#path);
  }

  /** It will not be whole. */
  async abandon(): Promise<void> {
    this.#first.destroy();
    await this.#over.catch(() => {});
    if (this.#writtenTo !== this.#path) rmSync(this.#writtenTo, { force: true });
  }
}

function unwritable(path: string, error: unknown): CannotRun {
  return new CannotRun(`${path} cannot be written: ${(error as Error).message}`, { cause: error });
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
