import { create } from "@bufbuild/protobuf";
import { blobRefOf, chunksOf, pb } from "@cairnjs/protocol";
import { BLOB_CHUNK_BYTES } from "@cairnjs/schemas";
import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { BlobError, type BlobStore } from "../../src/blobs/blob-store.ts";
import { BlobService, type PutCall } from "../../src/grpc/blob-service.ts";

const MB = 1024 * 1024;
const blobs = {
  get: () => Promise.reject(new BlobError("BlobMissing", "0".repeat(64), "none")),
  put: async () => {},
} as unknown as BlobStore;

/** A stream that has said this, and says no more until it is told to. */
function stream(announced: number, bytes: number): Readable {
  const call = new Readable({ objectMode: true, read: () => {} });
  const blob = { digest: "0".repeat(64), sizeBytes: BigInt(announced) };
  for (let sent = 0; sent < bytes; sent += BLOB_CHUNK_BYTES) {
    const chunk = new Uint8Array(Math.min(BLOB_CHUNK_BYTES, bytes - sent));
    call.push(create(pb.PutBlobRequestSchema, { chunk, ...(sent === 0 ? { blob } : {}) }));
  }
  return call;
}

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
};

async function whole(service: BlobService, caller: string): Promise<boolean> {
  const bytes = Buffer.from("chunk ".repeat(50_000));
  const { digest } = blobRefOf(bytes);
  const messages = [...chunksOf(bytes)].map((chunk, index) =>
    create(pb.PutBlobRequestSchema, {
      chunk,
      ...(index === 0 ? { blob: { digest, sizeBytes: BigInt(bytes.length) } } : {}),
    }),
  );
  return (await service.put(Readable.from(messages) as unknown as PutCall, caller, blobs)).existed;
}

it("what is announced takes no room: only what has come does", async () => {
  const service = new BlobService();
  const waiting = Array.from({ length: 10 }, () => stream(64 * MB, 10));
  const ends = waiting.map((call) => service.put(call as unknown as PutCall, "one", blobs).catch(() => "ended"));
  await settled();
  expect(await whole(service, "two")).toBe(false);
  expect(await whole(service, "one")).toBe(false);
  for (const call of waiting) call.destroy();
  await Promise.all(ends);
});

it("one caller has half of the room at most, which is given back", async () => {
  const service = new BlobService();
  const waiting = Array.from({ length: 3 }, () => stream(64 * MB, 50 * MB));
  const ends = waiting.map((call) =>
    service.put(call as unknown as PutCall, "one", blobs).catch((error: { code: string }) => error.code),
  );
  expect(await Promise.race(ends)).toBe("Unavailable");
  expect(await whole(service, "two")).toBe(false);
  for (const call of waiting) call.destroy();
  await Promise.all(ends);
  expect(await whole(service, "one")).toBe(false);
});

it("one of which nothing comes any more ends", async () => {
  const service = new BlobService(50);
  await expect(service.put(stream(64 * MB, 10) as unknown as PutCall, "one", blobs)).rejects.toMatchObject({
    code: "Unavailable",
    message: expect.stringContaining("Nothing came"),
  });
});
