import { ask, type Queryable, statement } from "../store/statement.ts";
import {
  blobDigest,
  type BlobStore,
  checkDigest,
  checkedBlob,
  missingBlob,
  type SweptBlobs,
  TOUCH_EVERY_MS,
} from "./blob-store.ts";

/** In one statement, unless a single one is larger. */
const BATCH_BYTES_MAX = 8 * 1024 * 1024;
const BATCH_BLOBS_MAX = 100;

/** Looked at together. */
const PAGE = 500;

const PLACE = "the table cairn.blobs";

/** Those that are there, and that nobody removes now: they were put lately, or are from now on. */
const KNOWN = statement(
  "known_blobs",
  `WITH wanted AS MATERIALIZED (SELECT decode(w.digest, 'hex') AS digest FROM unnest($1::text[]) AS w (digest) ORDER BY 1),
  lately AS MATERIALIZED (SELECT cairn.now() - $2::float8 * interval '1 ms' AS since),
  touched AS (
    UPDATE cairn.blobs AS b SET touched_at = cairn.now() FROM wanted, lately
    WHERE b.digest = wanted.digest AND b.touched_at < lately.since RETURNING b.digest
  )
  SELECT encode(touched.digest, 'hex') AS digest FROM touched UNION ALL
  SELECT encode(b.digest, 'hex') FROM lately, wanted JOIN cairn.blobs AS b ON b.digest = wanted.digest WHERE b.touched_at >= lately.since`,
);

const UNTOUCHED = statement(
  "untouched_blobs",
  `SELECT encode(digest, 'hex') AS digest FROM cairn.blobs
  WHERE digest > decode($1, 'hex') AND touched_at < (SELECT cairn.now()) - $2::float8 * interval '1 ms' ORDER BY digest LIMIT $3`,
);

const REMOVE = statement(
  "remove_blobs",
  `DELETE FROM cairn.blobs AS b USING unnest($1::text[]) AS gone (digest)
  WHERE b.digest = decode(gone.digest, 'hex') AND b.touched_at < (SELECT cairn.now()) - $2::float8 * interval '1 ms'`,
);

const GET = statement("get_blob", "SELECT bytes FROM cairn.blobs WHERE digest = decode($1, 'hex')");

interface Blob {
  readonly digest: string;
  readonly bytes: Uint8Array;
}

/** Blobs in the database, each statement a transaction of its own. */
export class PostgresBlobs implements BlobStore, SweptBlobs {
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
    for (const { digest } of await ask<{ digest: string }>(this.#client, KNOWN, [[...wanted.keys()], TOUCH_EVERY_MS])) {
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

  async *untouched(ageMs: number): AsyncGenerator<string[]> {
    for (let after = ""; ;) {
      const rows = await ask<{ digest: string }>(this.#client, UNTOUCHED, [after, ageMs, PAGE]);
      if (rows.length === 0) return;
      yield rows.map(({ digest }) => digest);
      after = rows.at(-1)!.digest;
    }
  }

  async removeUntouched(digests: readonly string[], ageMs: number): Promise<number> {
    const { name, text } = REMOVE;
    return (await this.#client.query({ name, text, values: [digests as string[], ageMs] })).rowCount ?? 0;
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
