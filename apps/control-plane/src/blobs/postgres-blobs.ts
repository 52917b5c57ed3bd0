import { ask, type Queryable, statement } from "../store/statement.ts";
import { blobDigest, type BlobStore, checkDigest, checkedBlob, missingBlob } from "./blob-store.ts";

/** In one statement, unless a single one is larger. */
const BATCH_BYTES_MAX = 8 * 1024 * 1024;
const BATCH_BLOBS_MAX = 100;

const PLACE = "the table cairn.blobs";

const KNOWN = statement(
  "known_blobs",
  `SELECT encode(b.digest, 'hex') AS digest FROM unnest($1::text[]) AS wanted (digest)
  JOIN cairn.blobs AS b ON b.digest = decode(wanted.digest, 'hex')`,
);

const GET = statement("get_blob", "SELECT bytes FROM cairn.blobs WHERE digest = decode($1, 'hex')");

interface Blob {
  readonly digest: string;
  readonly bytes: Uint8Array;
}

/** Blobs in the database, each statement a transaction of its own. */
export class PostgresBlobs implements BlobStore {
  readonly #client: Queryable;

  constructor(client: Queryable) {
    this.#client = client;
  }

  async put(bytes: Uint8Array): Promise<string> {
    return (await this.putMany([bytes]))[0]!;
  }

  async putMany(blobs: readonly Uint8Array[]): Promise<string[]> {
    const digests = blobs.map(blobDigest);
    const wanted = new Map(blobs.map((bytes, index) => [digests[index]!, bytes]));
    // What comes again, as the result of a step that is the result of the run, is not sent again.
    for (const { digest } of await ask<{ digest: string }>(this.#client, KNOWN, [[...wanted.keys()]])) {
      wanted.delete(digest);
    }
    for (const batch of batches(wanted)) await this.#insert(batch);
    return digests;
  }

  async get(digest: string): Promise<Buffer> {
    checkDigest(digest);
    const [found] = await ask<{ bytes: Buffer }>(this.#client, GET, [digest]);
    if (found === undefined) throw missingBlob(digest, PLACE);
    return checkedBlob(digest, found.bytes, PLACE);
  }

  /** Bytes are sent as they are: as text, in an array, they would be twice as long. */
  async #insert(batch: readonly Blob[]): Promise<void> {
    const rows = batch.map((_, index) => `($${index * 2 + 1}::bytea, $${index * 2 + 2}::bytea, cairn.now())`);
    const values = batch.flatMap(({ digest, bytes }) => [Buffer.from(digest, "hex"), asBuffer(bytes)]);
    // One that someone else is about to write is waited for: it is durable afterwards, or written here.
    const text = `INSERT INTO cairn.blobs (digest, bytes, created_at) VALUES ${rows.join(", ")} ON CONFLICT DO NOTHING`;
    await this.#client.query({ text, values });
  }
}

/** In the order of their digests: two that write the same ones in different orders would wait for each other. */
function batches(blobs: ReadonlyMap<string, Uint8Array>): Blob[][] {
  const all: Blob[][] = [];
  let batch: Blob[] = [];
  let size = 0;
  for (const digest of [...blobs.keys()].sort()) {
    const bytes = blobs.get(digest)!;
    size += bytes.length;
    if (batch.length === 0 || batch.length >= BATCH_BLOBS_MAX || size > BATCH_BYTES_MAX) {
      batch = [];
      size = bytes.length;
      all.push(batch);
    }
    batch.push({ digest, bytes });
  }
  return all;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
