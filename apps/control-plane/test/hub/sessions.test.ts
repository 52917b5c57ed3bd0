import { describe, expect, it } from "vitest";
import { action, FakeWorker, hubWithCall, idOf, settled, testDispatch, TestHub } from "../support/test-hub.ts";

const A = [action("test.a")];

describe("a worker", () => {
  it("that is silent for three heartbeats while it has calls is gone; one without calls is not", async () => {
    const { test, worker } = await hubWithCall();
    const idle = new FakeWorker(test, { workerId: "w-2", actions: A });
    await test.pass(29_000);
    expect(worker.closed).toBeNull();
    await test.pass(1_500);
    expect(worker.closed).toMatchObject({ code: "Unavailable" });
    expect(test.strangers).toHaveLength(1);
    expect(idle.closed).toBeNull();
  });

  it("that says nothing of one of its calls loses that one", async () => {
    const { test, worker, call } = await hubWithCall();
    const other = testDispatch();
    test.hub.dispatch("loop", [other]);
    await worker.credit(1);
    for (let beat = 0; beat < 4; beat++) {
      await test.pass(8_000);
      await worker.say({ heartbeats: [{ ...idOf(call), details: null }] });
    }
    expect(test.strangers.map(({ call: { runId } }) => runId)).toEqual([other.runId]);
    expect(worker.cancels.map(({ runId }) => runId)).toEqual([other.runId]);
  });

  it("loses a call whose action says how long it may be silent, when it was", async () => {
    const test = new TestHub();
    const worker = test.join({ workerId: "w-1", actions: [{ ...action("test.a"), heartbeatTimeoutMs: 2_000 }] });
    await worker.credit(1);
    test.hub.dispatch("loop", [testDispatch()]);
    await test.pass(1_900);
    expect(test.strangers).toEqual([]);
    await test.pass(500);
    expect(test.strangers).toHaveLength(1);
    expect(worker.cancels[0]!.reason).toMatch(/^Lost: /);
    expect(worker.closed).toBeNull();
  });

  it("is told at once that nobody waits for a call", async () => {
    const { test, worker, call } = await hubWithCall();
    test.hub.abort([call]);
    await settled();
    expect(worker.cancels).toEqual([expect.objectContaining(idOf(call))]);
  });

  it("with a few threads is sent so many calls that need one, and others meanwhile", async () => {
    const test = new TestHub();
    const actions = [...A, { ...action("test.computes"), isolate: "thread" as const }];
    const worker = new FakeWorker(test, { workerId: "w-1", actions, threads: 2 });
    await worker.credit(100);
    const computing = Array.from({ length: 100 }, () => testDispatch({ action: "test.computes" }));
    test.hub.dispatch("loop", [...computing, testDispatch()]);
    await settled();
    const sent = (): string[] => worker.running.map(({ action: name }) => name);
    expect(sent()).toEqual(["test.computes", "test.computes", "test.a"]);
    expect(test.hub.backlogOf(worker.session!)).toBe(0);
    // Also where the credit that it has got back is said to another control plane.
    await worker.answer(worker.running[0]!);
    await test.pass(100);
    expect(sent()).toEqual(["test.computes", "test.a", "test.computes"]);
  });

  it("that is draining is sent nothing more", async () => {
    const test = new TestHub();
    const worker = new FakeWorker(test, { workerId: "w-1", actions: A });
    await worker.credit(5);
    await worker.say({ draining: true });
    test.hub.dispatch("loop", [testDispatch()]);
    await settled();
    expect(worker.running).toEqual([]);
  });

  it.each([
    ["more calls arrived than were sent", { received: 2, free: 1 }],
    ["more may come than it can run", { received: 0, free: 1_001 }],
  ])("that lies about its credits is refused, and others are undisturbed: %s", async (_how, credits) => {
    const { test, worker, call } = await hubWithCall();
    const other = new FakeWorker(test, { workerId: "w-2", actions: A });
    await other.credit(5);
    await worker.say({ credits });
    expect(worker.closed).toMatchObject({ code: "InvalidMessage", message: expect.stringContaining("credits.") });
    await test.pass(1_100);
    test.hub.dispatch("loop", [{ ...call, attempt: 2 }]);
    await settled();
    expect(other.running.map(({ attempt }) => attempt)).toEqual([2]);
  });

  it("that takes back what it said had arrived is refused", async () => {
    const { worker } = await hubWithCall();
    await worker.credit(1);
    await worker.say({ credits: { received: 0, free: 1 } });
    expect(worker.closed).toMatchObject({ code: "InvalidMessage" });
  });

  it("that reads nothing is gone when too much waits for it", async () => {
    const { test, worker, call } = await hubWithCall();
    worker.buffered = 17 * 1024 * 1024;
    test.hub.abort([call]);
    await settled();
    expect(worker.closed).toMatchObject({ code: "Unavailable" });
  });

  it("is told what waits for it, and where other control planes are", async () => {
    const test = new TestHub();
    const worker = new FakeWorker(test, { workerId: "w-1", actions: A });
    test.hub.dispatch("loop", [testDispatch(), testDispatch(), testDispatch({ action: "test.b" })]);
    await test.pass(200);
    expect(worker.frames.at(-1)).toEqual({ backlog: { calls: 2 } });
    await worker.credit(2);
    await test.pass(200);
    expect(worker.frames.at(-1)).toEqual({ backlog: { calls: 0 } });
    test.hub.tellControlPlanes([{ id: "c-2", url: "http://c2:50051" }]);
    await settled();
    expect(worker.frames.at(-1)).toEqual({ controlPlanes: [{ id: "c-2", url: "http://c2:50051" }] });
  });
});
