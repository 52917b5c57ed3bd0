import { grantBlob, mayReadBlob } from "../store/blob-readers.ts";
import type { Queryable } from "../store/statement.ts";
import { type BlobStore, checkDigest, missingBlob } from "./blob-store.ts";

/** What is known to be granted is not asked again for so long: rows are kept for days. */
const KNOWN_MS = 60 * 60 * 1_000;
const KNOWN_MAX = 10_000;

/** Owns: what was granted lately. Which callers of one namespace may read which blobs is in the database, for all control planes. */
export class BlobReaders {
  readonly #client: Queryable;
  readonly #now: () => number;
  readonly #known = new Map<string, number>();

  /** `now`: a steady clock. */
  constructor(client: Queryable, now: () => number) {
    this.#client = client;
    this.#now = now;
  }

  async grant(namespace: string, digest: string): Promise<void> {
    if (this.#isKnown(namespace, digest)) return;
    await grantBlob(this.#client, namespace, digest);
    this.#know(namespace, digest);
  }

  async mayRead(namespace: string, digest: string): Promise<boolean> {
    if (this.#isKnown(namespace, digest)) return true;
    const may = await mayReadBlob(this.#client, namespace, digest);
    if (may) this.#know(namespace, digest);
    return may;
  }

  #isKnown(namespace: string, digest: string): boolean {
    return (this.#known.get(`${namespace}/${digest}`) ?? 0) > this.#now();
  }

  #know(namespace: string, digest: string): void {
    if (this.#known.size >= KNOWN_MAX) this.#known.clear();
    this.#known.set(`${namespace}/${digest}`, this.#now() + KNOWN_MS);
  }
}

/**
 * The blobs of a caller who is for one namespace alone: those that he has put, and those that he is sent. Whether there are others, he is
 * not told.
 */
export class OwnBlobs implements BlobStore {
  readonly #blobs: BlobStore;
  readonly #readers: BlobReaders;
  readonly #namespace: string;

  constructor(blobs: BlobStore, readers: BlobReaders, namespace: string) {
    this.#blobs = blobs;
    this.#readers = readers;
    this.#namespace = namespace;
  }

  async put(bytes: Uint8Array): Promise<string> {
    const digest = await this.#blobs.put(bytes);
    await this.share(digest);
    return digest;
  }

  putMany(blobs: readonly Uint8Array[]): Promise<string[]> {
    return Promise.all(blobs.map((bytes) => this.put(bytes)));
  }

  async get(digest: string): Promise<Buffer> {
    if (!(await this.has(digest))) throw missingBlob(digest, `the namespace ${this.#namespace}`);
    return this.#blobs.get(digest);
  }

  /** Whether he may read it. */
  has(digest: string): Promise<boolean> {
    checkDigest(digest);
    return this.#readers.mayRead(this.#namespace, digest);
  }

  /** He is sent it. */
  share(digest: string): Promise<void> {
    return this.#readers.grant(this.#namespace, digest);
  }
}
