import { randomUUID } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  blobDigest,
  BlobError,
  type BlobStore,
  checkDigest,
  checkedBlob,
  missingBlob,
  type SweptBlobs,
  TOUCH_EVERY_MS,
} from "./blob-store.ts";
import { Gate } from "./gate.ts";

/** Files that are written or read at one time: more are no faster, and a process may open only so many. */
const FILES_MAX = 16;

const DIGEST = /^[0-9a-f]{64}$/;

/** Digits of the digest that name a blob's folder: 256 of them. */
const SHARD_DIGITS = 2;

/** Of a file that is about to be removed. */
const LEAVING = ".leaving";

/**
 * Blobs as files, `ab/abcd…`. When somebody last wanted one is the time of its file, by the clock of this machine.
 *
 * A file has its name only when all of it is on the disk: it is written under another one, synced and renamed, and then
 * the folder is synced. What a crash leaves behind has a name that nobody looks for.
 */
export class FileBlobs implements BlobStore, SweptBlobs {
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
      const bytes = await this.#gate.pass(() => readWherever(place));
      return checkedBlob(digest, bytes, `the folder ${this.#folder}`);
    } catch (error) {
      if (error instanceof BlobError) throw error;
      if (isMissing(error)) throw missingBlob(digest, `the folder ${this.#folder}`);
      throw new BlobError("BlobUnreadable", digest, `${place} cannot be read`, { cause: error });
    }
  }

  async *untouched(ageMs: number): AsyncGenerator<string[]> {
    for (const shard of await namesIn(this.#folder)) {
      if (shard.length !== SHARD_DIGITS) continue;
      const old: string[] = [];
      for (const name of await namesIn(join(this.#folder, shard))) {
        const place = join(this.#folder, shard, name);
        if (name.endsWith(LEAVING)) await comeBack(place.slice(0, -LEAVING.length));
        const digest = name.endsWith(LEAVING) ? name.slice(0, -LEAVING.length) : name;
        if (DIGEST.test(digest) && (await isOlder(join(this.#folder, shard, digest), ageMs))) old.push(digest);
      }
      if (old.length > 0) yield old;
    }
  }

  /**
   * A file leaves its name first, and is looked at once more: whoever puts the same meanwhile has touched it before, and it comes back, or
   * finds no file, and writes one.
   */
  async removeUntouched(digests: readonly string[], ageMs: number): Promise<number> {
    let removed = 0;
    for (const digest of digests) {
      const place = join(this.#folder, digest.slice(0, SHARD_DIGITS), digest);
      if (!(await isOlder(place, ageMs))) continue;
      await rename(place, place + LEAVING);
      if (await isOlder(place + LEAVING, ageMs)) {
        await rm(place + LEAVING, { force: true });
        removed += 1;
      } else await comeBack(place);
    }
    return removed;
  }

  async #write(digest: string, bytes: Uint8Array): Promise<void> {
    const prefix = digest.slice(0, SHARD_DIGITS);
    try {
      const shard = await this.#shard(prefix);
      const place = join(shard, digest);
      if (!(await isThere(place, bytes)) || !(await isTouched(place))) await writeWhole(place, bytes);
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

/** Says that it is wanted; false if it is not there any more. */
async function isTouched(place: string): Promise<boolean> {
  try {
    const now = Date.now();
    if (now - (await stat(place)).mtimeMs < TOUCH_EVERY_MS) return true;
    await utimes(place, now / 1_000, now / 1_000);
    // It may have left its name just before.
    await stat(place);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

async function isOlder(place: string, ageMs: number): Promise<boolean> {
  try {
    return Date.now() - (await stat(place)).mtimeMs > ageMs;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** One that was written anew is the same. */
async function comeBack(place: string): Promise<void> {
  try {
    await rename(place + LEAVING, place);
    await syncFolder(dirname(place));
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** For a moment a file may have left its name, and come back. */
async function readWherever(place: string): Promise<Buffer> {
  try {
    return await readFile(place);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  return readFile(place + LEAVING).catch((error: unknown) => {
    if (isMissing(error)) return readFile(place);
    throw error;
  });
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

export async function syncFolder(folder: string): Promise<void> {
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
