import { randomBytes } from "node:crypto";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { makeFolder, syncFolder } from "../blobs/file-blobs.ts";
import { exportRun } from "../http/export-run.ts";
import { isConnectionLoss } from "../store/connection.ts";
import { writtenWith } from "../stored-json.ts";
import type { Warn } from "../warn.ts";
import type { Sources } from "../library/rebuilding.ts";

const compressed = promisify(gzip);

/** What is compressed at a time: one member of the file. */
const MEMBER_BYTES_MAX = 4 * 1024 * 1024;
/** Read at one time. */
const RUNS_AT_A_TIME = 8;

export interface ArchiveOptions {
  readonly folder: string;
  readonly sources: (namespace: string) => Sources;
  /** The database's time. */
  readonly now: number;
  readonly warn: Warn;
}

/**
 * Runs that are about to be removed, as files: `<folder>/<namespace>/<first run>-<chance>.jsonl.gz`, one line a run, as `cairn runs export`
 * writes it.
 *
 * A file has its name when all of it is on the disk, and only then are its runs removed. A crash in between leaves them in both places, and the next pass
 * writes them once more: so a run may be in two files, and is never in none.
 */
export class Archive {
  readonly #options: ArchiveOptions;

  constructor(options: ArchiveOptions) {
    this.#options = options;
  }

  /** Returns the ids of those that are durable there: one that cannot be read is not, and stays where it is. */
  async write(namespace: string, ids: readonly string[]): Promise<string[]> {
    const folder = join(this.#options.folder, folderName(namespace));
    const place = join(folder, `${ids[0]!}-${randomBytes(4).toString("hex")}.jsonl.gz`);
    const draft = `${place}.tmp`;
    await this.#onDisk(makeFolder(folder));
    try {
      const file = await this.#onDisk(open(draft, "wx"));
      let written: string[];
      try {
        written = await this.#writeLines(file, namespace, ids);
        await this.#onDisk(file.sync());
      } finally {
        await file.close();
      }
      if (written.length > 0) {
        await this.#onDisk(rename(draft, place));
        await this.#onDisk(syncFolder(folder));
      }
      return written;
    } finally {
      await rm(draft, { force: true });
    }
  }

  /** What is wrong with the disk is not taken for a lost connection, which has such codes too. */
  async #onDisk<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (cause) {
      throw new Error(`The archive cannot be written: ${(cause as Error).message}`, { cause });
    }
  }

  async #writeLines(file: FileHandle, namespace: string, ids: readonly string[]): Promise<string[]> {
    const written: string[] = [];
    let lines = "";
    for (let index = 0; index < ids.length; index += RUNS_AT_A_TIME) {
      const some = ids.slice(index, index + RUNS_AT_A_TIME);
      const texts = await Promise.all(some.map((id) => this.#line(namespace, id)));
      texts.forEach((text, position) => {
        if (text === null) return;
        lines += `${text}\n`;
        written.push(some[position]!);
      });
      if (lines.length < MEMBER_BYTES_MAX && index + RUNS_AT_A_TIME < ids.length) continue;
      if (lines !== "") await this.#onDisk(file.writeFile(await compressed(lines)));
      lines = "";
    }
    return written;
  }

  async #line(namespace: string, id: string): Promise<string | null> {
    const { sources, now, warn } = this.#options;
    try {
      const run = await exportRun(sources(namespace), id, now);
      return writtenWith(() => JSON.stringify(run));
    } catch (error) {
      if (isConnectionLoss(error)) throw error;
      warn(`The run ${id} cannot be archived, and is not removed`, error);
      return null;
    }
  }
}

/** Namespaces of these names are refused, but rows may be older than that: they stay within the folder. */
function folderName(namespace: string): string {
  return /^\.\.?$/.test(namespace) ? namespace.replaceAll(".", "%2E") : namespace;
}
