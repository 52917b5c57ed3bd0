import { randomUUID } from "node:crypto";
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { blobDigest, BlobError, type BlobStore, checkDigest, checkedBlob, missingBlob } from "./blob-store.ts";
import { Gate } from "./gate.ts";

/** Files that are written or read at one time: more are no faster, and a process may open only so many. */
const FILES_MAX = 16;

/** Digits of the digest that name a blob's folder: 256 of them. */
const SHARD_DIGITS = 2;

/**
 * Blobs as files, `ab/abcd…`.
 *
 * A file has its name only when all of it is on the disk: it is written under another one, synced and renamed, and then
 * the folder is synced. What a crash leaves behind has a name that nobody looks for.
 */
export class FileBlobs implements BlobStore {
  readonly #folder: string;
  readonly #gate = new Gate(FILES_MAX);
  /** Folders that are durable. */
  readonly #shards = new Map<string, Promise<string>>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  async put(bytes: Uint8Array): Promise<string> {
    const digest = blobDigest(bytes);
    await this.#gate.pass(() => this.#write(digest, bytes));
    return digest;
  }

  async putMany(blobs: readonly Uint8Array[]): Promise<string[]> {
    return Promise.all(blobs.map((bytes) => this.put(bytes)));
  }

  async get(digest: string): Promise<Buffer> {
    checkDigest(digest);
    const place = join(this.#folder, digest.slice(0, SHARD_DIGITS), digest);
    try {
      const bytes = await this.#gate.pass(() => readFile(place));
      return checkedBlob(digest, bytes, `the folder ${this.#folder}`);
    } catch (error) {
      if (error instanceof BlobError) throw error;
      if (isMissing(error)) throw missingBlob(digest, `the folder ${this.#folder}`);
      throw new BlobError("BlobUnreadable", digest, `${place} cannot be read`, { cause: error });
    }
  }

  async #write(digest: string, bytes: Uint8Array): Promise<void> {
    const prefix = digest.slice(0, SHARD_DIGITS);
    try {
      const shard = await this.#shard(prefix);
      const place = join(shard, digest);
      if (!(await isThere(place, bytes))) await writeWhole(place, bytes);
      // Also if it was there: whoever wrote it may not have come to this.
      await syncFolder(shard);
    } catch (error) {
      // Someone may have removed the folder: it is made again the next time.
      this.#shards.delete(prefix);
      throw error;
    }
  }

  #shard(prefix: string): Promise<string> {
    let made = this.#shards.get(prefix);
    if (made === undefined) {
      made = makeFolder(join(this.#folder, prefix));
      this.#shards.set(prefix, made);
    }
    return made;
  }
}

/** Makes a folder that is there after a loss of power, and those around it. */
export async function makeFolder(folder: string): Promise<string> {
  const first = await mkdir(folder, { recursive: true });
  const outermost = dirname(first ?? folder);
  for (let parent = dirname(folder); ; parent = dirname(parent)) {
    await syncFolder(parent);
    if (parent === outermost || parent === dirname(parent)) return folder;
  }
}

/** Whether the file is whole: one that was damaged is written again. */
async function isThere(place: string, bytes: Uint8Array): Promise<boolean> {
  try {
    return (await readFile(place)).equals(bytes);
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

async function writeWhole(place: string, bytes: Uint8Array): Promise<void> {
  const draft = `${place}.${randomUUID()}.tmp`;
  try {
    const file = await open(draft, "wx");
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, place);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    throw error;
  }
}

/** What says that folders cannot be synced here: Postgres goes on, too. Windows has EPERM. */
const NOT_SYNCED: readonly unknown[] = ["EACCES", "EBADF", "EINVAL", "EISDIR", "EPERM"];

async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (!NOT_SYNCED.includes((error as { code?: unknown }).code)) throw error;
  }
}

function isMissing(error: unknown): boolean {
  return (error as { code?: unknown }).code === "ENOENT";
}
