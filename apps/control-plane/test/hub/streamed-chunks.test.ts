import type { CallRef, Chunk } from "@cairnjs/schemas";
import { describe, expect, it } from "vitest";
import { until } from "../support/test-engine.ts";
import { action, FakeWorker, hubWithCall, outcome, settled, testDispatch, TestHub } from "../support/test-hub.ts";
import { refOf } from "../support/test-worker.ts";

const A = [action("test.a")];

const chunk = (call: CallRef, number: number, json = String(number)): Chunk => ({ ...refOf(call), number, json });
const numbers = ({ chunks }: TestHub): number[] => chunks.map(({ number }) => number);

describe("chunks of workers", () => {
  it("are written together, in order, and then taken", async () => {
    const { test, worker, call } = await hubWithCall();
    let release = (): void => {};
    const { writeChunks } = test;
    const batches: number[][] = [];
    test.writeChunks = async (chunks) => {
      batches.push(chunks.map(({ number }) => number));
      if (batches.length === 1) await new Promise<void>((resolve) => (release = resolve));
      return writeChunks(chunks);
    };
    await worker.say({ chunks: [chunk(call, 1)] });
    await until(async () => batches.length === 1);
    await worker.say({ chunks: [chunk(call, 2), chunk(call, 3)] });
    await worker.say({ chunks: [chunk(call, 4)] });
    expect(worker.chunksTaken).toEqual([]);
    release();
    await until(async () => worker.chunksTaken.at(-1)?.number === 4);
    expect(batches).toEqual([[1], [2, 3, 4]]);
    expect(worker.chunksTaken).toEqual([1, 4].map((number) => ({ ...refOf(call), number })));
    expect(test.chunks[0]).toEqual({ ...refOf(call), namespace: "default", number: 1, value: "1" });
  });

  it("are written before the outcome of their call is told", async () => {
    const { test, worker, call } = await hubWithCall();
    const { writeChunks } = test;
    const told: number[] = [];
    test.writeChunks = async (chunks) => {
      await settled();
      told.push(test.reports.length);
      return writeChunks(chunks);
    };
    await worker.say({ chunks: [chunk(call, 1)], outcomes: [outcome(call)] });
    expect(told).toEqual([0]);
    expect(numbers(test)).toEqual([1]);
    expect(test.reports).toHaveLength(1);
  });

  it("that cannot be written do not keep its outcome, and are written when they can be", async () => {
    const { test, worker, call } = await hubWithCall();
    const { writeChunks } = test;
    test.writeChunks = () => Promise.reject(Object.assign(new Error("no connection"), { code: "ECONNREFUSED" }));
    await worker.say({ chunks: [chunk(call, 1)], outcomes: [outcome(call)] });
    expect(test.reports).toHaveLength(1);
    expect(test.warnings).toEqual(["What calls stream cannot be written, which is tried again"]);
    expect(worker.chunksTaken).toEqual([]);
    test.writeChunks = writeChunks;
    await until(async () => worker.chunksTaken.length === 1);
    expect(numbers(test)).toEqual([1]);
  });

  it("that the database refuses for good are left out alone", async () => {
    const { test, worker, call } = await hubWithCall();
    const { writeChunks } = test;
    test.writeChunks = async (chunks) => {
      if (chunks.some(({ value }) => value === '"bad"')) throw Object.assign(new Error("deep"), { code: "54001" });
      return writeChunks(chunks);
    };
    const all = Array.from({ length: 9 }, (_, index) => chunk(call, index + 1, index === 5 ? '"bad"' : "1"));
    await worker.say({ chunks: all });
    await until(async () => worker.chunksTaken.at(-1)?.number === 9);
    expect(numbers(test)).toEqual([1, 2, 3, 4, 5, 7, 8, 9]);
    expect(test.warnings).toEqual([`Chunk 6 of the call 1.0 of the run ${call.runId} is left out`]);
  });

  it("of a run that is not held here are taken, as long as it lives", async () => {
    const test = new TestHub();
    const worker = new FakeWorker(test, { workerId: "w-1", actions: A });
    const [living, ended] = [testDispatch(), testDispatch()];
    test.endedRuns.add(ended.runId);
    await worker.say({ chunks: [chunk(living, 7), chunk(ended, 1)] });
    await until(async () => worker.cancels.length === 1);
    expect(worker.chunksTaken).toEqual([{ ...refOf(living), number: 7 }]);
    expect(worker.cancels[0]).toEqual({ ...refOf(ended), reason: "NotOpen: the run has ended, or there is none" });
  });

  it("of a call that has ended, is another worker's, or another namespace's, or of another past, are refused", async () => {
    const { test, worker, call } = await hubWithCall();
    const liar = new FakeWorker(test, { workerId: "w-2", actions: A });
    const stranger = new FakeWorker(test, { workerId: "w-3", namespace: "other", actions: A });
    for (const each of [liar, stranger]) await each.say({ chunks: [chunk(call, 1)] });
    await worker.say({ chunks: [chunk({ ...call, incarnation: "22222222-2222-4222-8222-222222222222" }, 1)] });
    await worker.answer(call);
    test.hub.acknowledge([call]);
    await worker.say({ chunks: [chunk(call, 1)] });
    expect([...liar.cancels, ...stranger.cancels, ...worker.cancels].map(({ reason }) => reason)).toEqual([
      "NotOpen: the call was dispatched to another worker",
      "NotOpen: the call is not open",
      "NotOpen: it was made before the database was restored",
      "NotOpen: the call is not open",
    ]);
    expect(test.chunks).toEqual([]);
  });

  it("of a try whose place another one has taken are not kept, and it goes on", async () => {
    const { test, worker, call } = await hubWithCall();
    await worker.break();
    await test.pass(1_100);
    test.hub.dispatch("loop", [{ ...call, attempt: 2 }]);
    worker.connect();
    await worker.say({ chunks: [chunk(call, 1)] });
    await until(async () => worker.chunksTaken.length === 1);
    expect(worker.cancels).toEqual([]);
    expect(test.chunks).toEqual([]);
  });

  it("that are no values end the stream", async () => {
    const { test, worker, call } = await hubWithCall();
    await worker.say({ chunks: [chunk(call, 1), chunk(call, 2, '{"$nothing":1}')] });
    expect(worker.closed).toMatchObject({ code: "InvalidMessage" });
    expect(worker.closed!.message).toContain("chunks[1].json is not a value");
    await until(async () => test.chunks.length === 1);
  });

  it("are no longer read from a worker when too much is not written, and read again afterwards", async () => {
    const { test, worker, call } = await hubWithCall();
    const { writeChunks } = test;
    test.writeChunks = () => Promise.reject(new Error("away"));
    const json = JSON.stringify("x".repeat(60_000));
    let number = 0;
    const fill = () => worker.say({ chunks: Array.from({ length: 100 }, () => chunk(call, (number += 1), json)) });
    for (let frame = 0; frame < 5; frame++) await fill();
    let isRead = false;
    const last = fill().then(() => (isRead = true));
    await test.pass(1_000);
    expect(isRead).toBe(false);
    test.writeChunks = writeChunks;
    await last;
    await until(async () => worker.chunksTaken.at(-1)?.number === 600);
  });
});
