import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { action, FakeWorker, settled, testDispatch, TestHub } from "../support/test-hub.ts";

const RETRY = { attempts: 5, baseMs: 1_000, capMs: 2_000 };
const FAILURE = { json: '{"$error":{"names":["Error"],"message":"busy"}}' };

/** A call whose first try has failed here; its run parks, and another control plane may dispatch the next one. */
async function failedOnceHere(details: string | null = null) {
  const test = new TestHub();
  const worker = new FakeWorker(test, { workerId: "w-1", actions: [action("test.a")] });
  const call = testDispatch();
  test.foreignRuns.add(call.runId);
  test.hub.dispatch("loop", [call]);
  await worker.credit(5);
  const { incarnation, runId, call: id, attempt } = call;
  const ref = { incarnation, runId, call: id, attempt };
  if (details !== null) await worker.say({ heartbeats: [{ ...ref, details: { json: details } }] });
  await test.pass(1_000);
  worker.take(call);
  await worker.say({ outcomes: [{ ...ref, kind: "error", value: FAILURE, retry: RETRY, durationMs: 1 }] });
  test.hub.acknowledge([ref]);
  await settled();
  return { test, worker, call, next: { ...ref, attempt: 2 } };
}

it("I8: the next try that another control plane has dispatched is not cancelled when its worker lists it here", async () => {
  const { worker, next } = await failedOnceHere();
  await worker.break();
  worker.connect();
  await worker.say({ inFlight: { calls: [next], more: false } });
  expect(worker.cancels).toEqual([]);
});

it("I8: its outcome goes to the mail of its run; that of the try that has ended here is refused", async () => {
  const { test, worker, call, next } = await failedOnceHere();
  await worker.answer(next, '"r"');
  expect(worker.cancels).toEqual([]);
  expect(test.passedOn.map(({ attempt }) => attempt)).toEqual([2]);
  await worker.answer(call);
  expect(worker.cancels).toMatchObject([{ attempt: 1, reason: "NotOpen: the call is not open" }]);
});

it("a call that was given up and is made again elsewhere, as after a rollback, goes on", async () => {
  const test = new TestHub();
  const worker = new FakeWorker(test, { workerId: "w-1", actions: [action("test.a")] });
  const call = testDispatch();
  test.foreignRuns.add(call.runId);
  test.hub.dispatch("loop", [call]);
  await worker.credit(1);
  test.hub.abort([call]);
  await settled();
  expect(worker.cancels).toMatchObject([{ attempt: 1 }]);
  const { incarnation, runId, call: id } = call;
  const listed = [1, 2].map((attempt) => ({ incarnation, runId, call: id, attempt }));
  await worker.say({ inFlight: { calls: listed, more: false } });
  expect(worker.cancels.map(({ attempt }) => attempt)).toEqual([1, 1]);
});

it("the third try has what the second has told at another control plane, not what the first has told here", async () => {
  const { test, worker, call } = await failedOnceHere('"first"');
  const { runId, call: id } = call;
  test.details.set(`${runId}/${id}`, { runId, call: id, attempt: 2, details: '"second"' });
  test.hub.dispatch("loop", [{ ...call, attempt: 3 }]);
  await settled();
  await settled();
  expect(worker.running).toMatchObject([{ attempt: 3, heartbeatDetails: { json: '"second"' } }]);
});

it("an outcome of before a restore is refused when it is offered again, and ends no stream", async () => {
  const test = new TestHub();
  const worker = new FakeWorker(test, { workerId: "w-1", actions: [action("test.a")] });
  const call = testDispatch();
  test.hub.dispatch("loop", [call]);
  await worker.credit(5);
  await worker.answer(worker.running[0]!);
  test.hub.adopt("next", [{ ...call, incarnation: randomUUID() }]);
  await test.pass(6_000);
  await worker.answer(call);
  expect(worker.closed).toBeNull();
});
