import { create } from "@bufbuild/protobuf";
import { blobRefOf, chunksOf, pb } from "@cairnjs/protocol";
import { BLOB_CHUNK_BYTES } from "@cairnjs/schemas";
import { Readable } from "node:stream";
import { expect, it, onTestFinished, vi } from "vitest";
import { BlobError, type BlobStore } from "../../src/blobs/blob-store.ts";
import { BlobPuts, type PutCall } from "../../src/grpc/blob-puts.ts";
import { storePlaces, type Transfer } from "../../src/grpc/blob-transfer.ts";
import { Refused } from "../../src/hub/refused.ts";

const MB = 1024 * 1024;
const blobs = {
  get: () => Promise.reject(new BlobError("BlobMissing", "0".repeat(64), "none")),
  put: async () => {},
} as unknown as BlobStore;

const puts = (): BlobPuts => new BlobPuts(storePlaces());

/** Of one namespace, with whatever key. */
const of = (tenant: string, caller = tenant): Transfer => ({ who: { tenant, caller }, blobs, watch: () => () => {} });

const begin = (service: BlobPuts, call: Readable, transfer: Transfer): Promise<unknown> =>
  service.put(call as unknown as PutCall, transfer).catch((error: unknown) => error);

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

async function whole(service: BlobPuts, tenant: string): Promise<boolean> {
  const bytes = Buffer.from("chunk ".repeat(50_000));
  const { digest } = blobRefOf(bytes);
  const messages = [...chunksOf(bytes)].map((chunk, index) =>
    create(pb.PutBlobRequestSchema, {
      chunk,
      ...(index === 0 ? { blob: { digest, sizeBytes: BigInt(bytes.length) } } : {}),
    }),
  );
  return (await service.put(Readable.from(messages) as unknown as PutCall, of(tenant))).existed;
}

/** Brings so much more. */
function more(call: Readable, bytes: number): void {
  call.push(create(pb.PutBlobRequestSchema, { chunk: new Uint8Array(bytes) }));
}

it("what is announced takes no room: only what has come does", async () => {
  const service = puts();
  const waiting = Array.from({ length: 10 }, () => stream(64 * MB, 10));
  const ends = waiting.map((call) => begin(service, call, of("one")));
  await settled();
  expect(await whole(service, "two")).toBe(false);
  expect(await whole(service, "one")).toBe(false);
  for (const call of waiting) call.destroy();
  await Promise.all(ends);
});

it("the callers of one namespace have half of the room together, which is given back", async () => {
  const service = puts();
  const waiting = Array.from({ length: 3 }, () => stream(64 * MB, 50 * MB));
  const ends = waiting.map((call, index) => begin(service, call, of("one", `key ${index}`)));
  const refused = { code: "Unavailable", message: expect.stringContaining("of the same namespace") };
  expect(await Promise.race(ends)).toMatchObject(refused);
  expect(await whole(service, "two")).toBe(false);
  for (const call of waiting) call.destroy();
  await Promise.all(ends);
  expect(await whole(service, "one")).toBe(false);
});

it("chunks of next to nothing take more room than they bring", async () => {
  const service = puts();
  const call = stream(MB, 1);
  for (let index = 0; index < 128 * 1024; index++) more(call, 1);
  const refused = { code: "Unavailable", message: expect.stringContaining("of the same namespace") };
  expect(await begin(service, call, of("one"))).toMatchObject(refused);
});

it("one of which nothing comes any more ends", async () => {
  const ended = await begin(new BlobPuts(storePlaces(), 50), stream(64 * MB, 10), of("one"));
  expect(ended).toMatchObject({ code: "Unavailable", message: expect.stringContaining("Nothing came") });
});

it("slow ones end when there are many bytes of them, however fast they came before, and few do no harm", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const service = puts();
  const few = stream(64 * MB, 10 * MB);
  const many = [stream(64 * MB, 63 * MB), stream(64 * MB, 63 * MB)];
  const ends: unknown[] = [];
  const note = (call: Readable, transfer: Transfer): void =>
    void begin(service, call, transfer).then((error) => ends.push(error));
  const pass = async (calls: readonly Readable[]): Promise<void> => {
    for (let time = 0; time < 5; time++) {
      await settled();
      vi.advanceTimersByTime(5_000);
      for (const call of calls) if (!call.destroyed) more(call, 1);
    }
  };
  note(few, of("one"));
  await pass([few]);
  expect(ends).toEqual([]);
  for (const [index, call] of many.entries()) note(call, of("two", `key ${index}`));
  await pass([few, ...many]);
  expect(ends.length).toBeGreaterThan(1);
  expect(ends[0]).toMatchObject({ code: "Unavailable", message: expect.stringContaining("too slowly") });
  expect(many.map(({ destroyed }) => destroyed)).toEqual([true, true]);
});

it("one ends with the key that it was begun with", async () => {
  let revoke = (_why: Refused): void => {};
  const watch = (end: typeof revoke): (() => void) => {
    revoke = end;
    return () => {};
  };
  const call = stream(64 * MB, 10);
  const ended = begin(puts(), call, { ...of("one"), watch });
  await settled();
  revoke(new Refused("Unauthenticated", "The key is over"));
  expect(await ended).toMatchObject({ code: "Unauthenticated" });
  expect(call.destroyed).toBe(true);
});
