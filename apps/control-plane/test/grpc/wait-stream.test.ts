import { EventEmitter } from "node:events";
import { type pb, waitRequestToProto, waitResponseFromProto } from "@cairnjs/protocol";
import { expect, it } from "vitest";
import type { BlobStore } from "../../src/blobs/blob-store.ts";
import { WaitStream, type WaitCall } from "../../src/grpc/wait-stream.ts";
import { newRunId } from "../../src/ids.ts";
import type { Waiters } from "../../src/library/waiters.ts";
import { until } from "../support/test-engine.ts";

/** Whatever could be asked for by now is. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 1_000; turn++) await new Promise((resolve) => setImmediate(resolve));
}

function opened(asked: string[]) {
  const waiters: Pick<Waiters, "wait"> = {
    wait: async (_, runId) => {
      asked.push(runId);
      return { runId, status: "succeeded", value: JSON.stringify("x".repeat(100_000)), trace: null };
    },
  };
  const taken: string[] = [];
  const call = Object.assign(new EventEmitter(), {
    cancelled: false,
    destroyed: false,
    hasEnded: false,
    write: (message: pb.WaitResponse) => {
      taken.push(...waitResponseFromProto(message).ends.map(({ runId }) => runId));
      return false;
    },
    end: () => void (call.hasEnded = true),
  });
  void new WaitStream(call as unknown as WaitCall, {
    waiters: waiters as Waiters,
    blobs: {} as BlobStore,
    ownBlobs: null,
    refused: async () => {},
    check: () => {},
    watch: () => () => {},
  });
  const ids = Array.from({ length: 500 }, () => newRunId(Date.now()));
  call.emit("data", waitRequestToProto({ namespace: "default", runIds: ids }));
  return { call, taken, ids };
}

it("who waits for many runs that have ended gets each end once, and what he does not take is not held for him", async () => {
  const asked: string[] = [];
  const { call, taken, ids } = opened(asked);
  call.emit("end");
  await until(async () => taken.length > 0);
  await settled();
  // One answer, as nobody reads; of 500 values 11 are held, and the others are asked for again.
  expect([taken.length, asked.length]).toEqual([10, 500]);
  while (!call.hasEnded) {
    call.emit("drain");
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(taken.toSorted()).toEqual(ids.toSorted());
  expect(asked.length).toBeGreaterThanOrEqual(500 + 489);
});

it("for who has left, nothing more is asked", async () => {
  const asked: string[] = [];
  const { call, taken } = opened(asked);
  await until(async () => taken.length > 0);
  call.emit("cancelled");
  await settled();
  expect([taken.length, asked.length]).toEqual([10, 500]);
});
