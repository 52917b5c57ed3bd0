import { describe, expect, it } from "vitest";
import { action, FakeWorker, hubWithCall, idOf, settled, testDispatch, TestHub } from "../support/test-hub.ts";

const A = [action("test.a")];

describe("take-over", () => {
  it("I8: calls that no worker claims within 5 s are lost; those that one lists go on", async () => {
    const test = new TestHub();
    const worker = new FakeWorker(test, { workerId: "w-1", actions: A });
    const [claimed, unclaimed] = [testDispatch({ attempt: 3 }), testDispatch()];
    expect(test.hub.adopt("loop", [claimed, unclaimed])).toEqual([]);
    await settled();
    expect(worker.frames.at(-1)).toEqual({ askInFlight: true });
    await worker.say({ inFlight: { calls: [idOf(claimed)], more: false } });
    await test.pass(4_900);
    expect(test.strangers).toEqual([]);
    await test.pass(200);
    expect(test.strangers.map(({ call: { runId } }) => runId)).toEqual([unclaimed.runId]);
    await worker.answer(claimed);
    expect(test.reports.map(({ outcome: { attempt } }) => attempt)).toEqual([3]);
  });

  it("I8: a call of ten minutes goes on when its run is taken over again and again, as long as its worker says so", async () => {
    const test = new TestHub();
    const worker = new FakeWorker(test, { workerId: "w-1", actions: A });
    const call = testDispatch();
    for (let minute = 0; minute < 10; minute++) {
      test.hub.reportAgain("loop");
      expect(test.hub.adopt("loop", [call])).toEqual([]);
      await worker.say({ inFlight: { calls: [idOf(call)], more: false } });
      for (let beat = 0; beat < 6; beat++) {
        await test.pass(10_000);
        await worker.say({ heartbeats: [{ ...idOf(call), details: null }] });
      }
    }
    expect([...test.strangers, ...worker.cancels, ...worker.running]).toEqual([]);
    await worker.answer(call);
    expect(test.reports.map(({ outcome: { attempt } }) => attempt)).toEqual([1]);
  });

  it("a try that was lost while its run was let go, as in quarantine, is a stranger at once when it is adopted again", async () => {
    const test = new TestHub();
    test.join({ workerId: "w-1", actions: A });
    const call = testDispatch();
    expect(test.hub.adopt("loop", [call])).toEqual([]);
    await test.pass(5_100);
    expect(test.strangers).toHaveLength(1);
    expect(test.hub.adopt("loop", [call])).toMatchObject([{ runId: call.runId, call: call.call, attempt: 1 }]);
    expect(test.hub.adopt("loop", [{ ...call, attempt: 2 }])).toEqual([]);
  });

  it("I8: an outcome that a worker offers claims its call", async () => {
    const test = new TestHub();
    const worker = new FakeWorker(test, { workerId: "w-1" });
    const call = testDispatch();
    test.hub.adopt("loop", [call]);
    await worker.answer(call);
    expect(test.reports).toHaveLength(1);
  });

  it("what had ended before, and was not committed, is reported to the new owner", async () => {
    const { test, worker, call } = await hubWithCall();
    await worker.answer(call);
    expect(test.hub.adopt("another", [call])).toEqual([]);
    await settled();
    expect(test.reports.map(({ owner }) => owner)).toEqual(["loop", "another"]);
  });

  it("a call that was not sent is kept back until its run is adopted, when its owner lost it", async () => {
    const test = new TestHub();
    const call = testDispatch();
    test.hub.dispatch("loop", [call]);
    test.hub.reportAgain("loop");
    const worker = new FakeWorker(test, { workerId: "w-1", actions: A });
    await worker.credit(5);
    expect(worker.running).toEqual([]);
    test.hub.adopt("loop", [call]);
    await settled();
    expect(worker.running).toHaveLength(1);
  });
});
