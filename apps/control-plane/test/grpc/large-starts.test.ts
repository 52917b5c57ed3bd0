import { startRequestToProto, startResponseFromProto } from "@cairnjs/protocol";
import { expect, it } from "vitest";
import type { BlobStore } from "../../src/blobs/blob-store.ts";
import { ClientService } from "../../src/grpc/client-service.ts";
import type { Engine } from "../../src/library/engine.ts";
import { newRunId } from "../../src/ids.ts";

const DIGEST = "a".repeat(64);
const TEXT = '"x"';

/** Starts that refer to blobs, at an engine that tells how many of these are in memory at one time. */
async function start(count: number, bytes: number) {
  let inMemory = 0;
  let most = 0;
  let read = 0;
  const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const blobs: Pick<BlobStore, "get"> = {
    get: async () => {
      read += 1;
      most = Math.max(most, ++inMemory);
      await soon();
      return Buffer.from(TEXT);
    },
  };
  const starter = {
    startOrFind: async () => {
      await soon();
      inMemory -= 1;
      return { id: newRunId(0), existed: false };
    },
  };
  const engine = { blobs, starter } as unknown as Engine;
  const service = new ClientService({ engine, leaseOf: () => undefined, warn: () => {} });
  const runs = Array.from({ length: count }, () => ({
    type: "remote.waiting",
    payload: { blob: { digest: DIGEST, bytes } },
    tags: [],
  }));
  const answer = await service.start(startRequestToProto("default", runs), {
    check: () => {},
    blobs: blobs as BlobStore,
  });
  return { most, read, started: startResponseFromProto(answer, count) };
}

it("of inputs that are blobs, few are in memory at one time, however many one request starts", async () => {
  const { most, read, started } = await start(1_000, TEXT.length);
  expect(most).toBe(4);
  expect(read).toBe(1_000);
  expect(new Set(started.map(({ kind }) => kind))).toEqual(new Set(["started"]));
});

it("one that is too large is refused, and not read", async () => {
  const { read, started } = await start(1, 16 * 1024 * 1024 + 1);
  expect(read).toBe(0);
  expect(started).toMatchObject([{ kind: "error", error: { code: "PayloadTooLarge" } }]);
});
