import { EventEmitter, getEventListeners } from "node:events";
import type { Writable } from "node:stream";
import { expect, it } from "vitest";
import { drained } from "../../src/grpc/drained.ts";

it("waiting for a reader, however often, leaves no listeners; it ends when he has gone", async () => {
  const call = new EventEmitter();
  const gone = new AbortController();
  const wait = (): Promise<void> => drained(call as unknown as Writable, gone.signal);
  for (let time = 0; time < 50; time++) {
    const waiting = wait();
    call.emit("drain");
    await waiting;
  }
  expect([call.listenerCount("drain"), getEventListeners(gone.signal, "abort").length]).toEqual([0, 0]);
  const waiting = wait();
  gone.abort();
  await waiting;
  await wait();
  expect(call.listenerCount("drain")).toBe(0);
});
