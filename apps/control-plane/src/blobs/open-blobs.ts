import type { Queryable } from "../store/statement.ts";
import { BlobError, type BlobStore, type SweptBlobs } from "./blob-store.ts";
import { FileBlobs } from "./file-blobs.ts";
import { PostgresBlobs } from "./postgres-blobs.ts";

/** The blobs of a control plane: in a folder, or in its database. */
export function openBlobs(client: Queryable, folder: string | null): BlobStore {
  const table = new PostgresBlobs(client);
  return folder === null ? table : new MovedBlobs(new FileBlobs(folder), table);
}

/** All places where blobs of a control plane may be. */
export function sweptBlobs(client: Queryable, folder: string | null): SweptBlobs[] {
  const table = new PostgresBlobs(client);
  return folder === null ? [table] : [new FileBlobs(folder), table];
}

/** New blobs go to one store; those that were put into another one before are still found. */
class MovedBlobs implements BlobStore {
  readonly #current: BlobStore;
  readonly #former: BlobStore;

  constructor(current: BlobStore, former: BlobStore) {
    this.#current = current;
    this.#former = former;
  }

  put(bytes: Uint8Array): Promise<string> {
    return this.#current.put(bytes);
  }

  putMany(blobs: readonly Uint8Array[]): Promise<string[]> {
    return this.#current.putMany(blobs);
  }

  async get(digest: string): Promise<Buffer> {
    try {
      return await this.#current.get(digest);
    } catch (error) {
      if (!isMissing(error)) throw error;
      // Where it should be is what people are told.
      return await this.#former.get(digest).catch((other: unknown) => {
        throw isMissing(other) ? error : other;
      });
    }
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof BlobError && error.code === "BlobMissing";
}
