import { hash } from "node:crypto";

/**
 * Bytes that are found by what they are: the SHA-256 of them, in hex.
 *
 * Invariants:
 *   B1  What `put` has resolved for is durable.
 *   B2  `get` gives the bytes that have this digest, never others, nor half of them. That they are not to be had is a
 *       `BlobError`; other errors are about the way to them.
 *   B3  To put what is there already changes nothing, whoever does so, and at the same time too.
 */
export interface BlobStore {
  put(bytes: Uint8Array): Promise<string>;
  /** The digests in the order of the bytes. Some may be durable when it rejects: nobody names them, and that is all. */
  putMany(blobs: readonly Uint8Array[]): Promise<string[]>;
  get(digest: string): Promise<Buffer>;
}

/** Whoever puts what is there already says so if that was last said longer ago: what was wanted lately is not removed. */
export const TOUCH_EVERY_MS = 24 * 60 * 60 * 1_000;

/**
 * A store from which blobs can be removed that nothing names.
 *
 *   B4  A blob that somebody puts is not removed for as long as `ageMs` says, whoever removes at the same time.
 */
export interface SweptBlobs {
  /** Blobs that nobody has put for so long, some at a time. */
  untouched(ageMs: number): AsyncIterable<string[]>;
  /** Those of them of which that is still so. Returns how many went. */
  removeUntouched(digests: readonly string[], ageMs: number): Promise<number>;
}

export type BlobErrorCode = "BlobCorrupt" | "BlobMissing" | "BlobUnreadable" | "InvalidDigest";

/** A blob that cannot be had. */
export class BlobError extends Error {
  override name = "BlobError";
  readonly code: BlobErrorCode;
  readonly digest: string;

  constructor(code: BlobErrorCode, digest: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.digest = digest;
  }
}

/** Nothing can be said of a blob: its store did not answer. */
export class BlobStoreUnavailable extends Error {
  override name = "BlobStoreUnavailable";
}

export function blobDigest(bytes: Uint8Array): string {
  return hash("sha256", bytes);
}

const DIGEST = /^[0-9a-f]{64}$/;
const SHOWN_MAX = 100;

/** Whatever else is asked for, a path above all, is not looked for. */
export function checkDigest(digest: string): void {
  if (DIGEST.test(digest)) return;
  const shown = JSON.stringify(digest.slice(0, SHOWN_MAX));
  throw new BlobError("InvalidDigest", digest, `${shown} is no digest of a blob: that has 64 hexadecimal digits`);
}

/** The bytes, if they are those that were asked for. */
export function checkedBlob(digest: string, bytes: Buffer, place: string): Buffer {
  const found = blobDigest(bytes);
  if (found === digest) return bytes;
  const message = `The blob ${digest} in ${place} is corrupt: its ${bytes.length} bytes have the digest ${found}`;
  throw new BlobError("BlobCorrupt", digest, message);
}

export function missingBlob(digest: string, place: string): BlobError {
  return new BlobError("BlobMissing", digest, `There is no blob ${digest} in ${place}`);
}
