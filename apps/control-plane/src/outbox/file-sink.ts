import { type FileHandle, mkdir, open, rename, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { FileTarget } from "@cairnjs/schemas";
import { checkLinks } from "./allowed.ts";
import { type EventSink, type OutgoingEvent, type SinkOutcome, TAKEN } from "./event-sink.ts";

/** A file that has more is put aside: 64 MB. */
const ROTATE_BYTES = 64 * 1024 * 1024;

/**
 * Appends events to a file, a line each, and waits until the disk has them. Several processes may write to the same file of one
 * machine: each batch is one write at its end. Where a write broke off, of whichever process, the next one begins a line of its own.
 */
export class FileSink implements EventSink {
  readonly #target: FileTarget;
  readonly #folder: string | null;
  /** Writes of this process come one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  /** With a folder, nothing outside of it is written, whichever links there are. */
  constructor(target: FileTarget, folder: string | null = null) {
    this.#target = target;
    this.#folder = folder;
  }

  publish(events: readonly OutgoingEvent[]): Promise<SinkOutcome[]> {
    const written = this.#last.then(() => this.#write(events));
    this.#last = written.catch(() => {});
    return written;
  }

  async #write(events: readonly OutgoingEvent[]): Promise<SinkOutcome[]> {
    const { path } = this.#target;
    if (this.#folder !== null) await checkLinks(path, this.#folder);
    await this.#rotate();
    const file = await open(path, "a+").catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
      await mkdir(dirname(path), { recursive: true });
      return open(path, "a+");
    });
    try {
      const lines = events.map(({ json }) => `${json}\n`).join("");
      const bytes = Buffer.from((await isBetweenLines(file)) ? lines : `\n${lines}`);
      // (`appendFile` makes several writes of half a megabyte, and others may write in between.)
      const { bytesWritten } = await file.write(bytes);
      if (bytesWritten < bytes.length) throw new Error(`${path} took ${bytesWritten} of ${bytes.length} bytes`);
      await file.datasync();
    } finally {
      await file.close();
    }
    return events.map(() => TAKEN);
  }

  async #rotate(): Promise<void> {
    const { path, rotateBytes = ROTATE_BYTES } = this.#target;
    const size = await stat(path).then(
      (found) => found.size,
      () => 0,
    );
    if (size < rotateBytes) return;
    const stamp = new Date().toISOString().replaceAll(/[:.]/g, "-");
    // Another process may have put it aside just now.
    await rename(path, `${path}.${stamp}-${process.pid}`).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    });
  }
}

async function isBetweenLines(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  if (size === 0) return true;
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer.toString() === "\n";
}
