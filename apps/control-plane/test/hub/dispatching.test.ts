import { describe, expect, it } from "vitest";
import { action, FakeWorker, hubWithCall, idOf, settled, testDispatch, TestHub } from "../support/test-hub.ts";

const A = [action("test.a")];

describe("calls", () => {
  it("wait for credit, and none is sent beyond it", async () => {
    const test = new TestHub();
    const worker = new FakeWorker(test, { workerId: "w-1", actions: A });
    const calls = Array.from({ length: 5 }, () => testDispatch());
    test.hub.dispatch("loop", calls);
    await settled();
    expect(worker.running).toEqual([]);
    await worker.credit(2);
    expect(worker.running.map(({ runId }) => runId)).toEqual(calls.slice(0, 2).map(({ runId }) => runId));
    await worker.credit(1);
    expect(worker.running).toHaveLength(3);
  });

  it("say what the worker must know: arguments, version, deadline, the key of all tries", async () => {
    const { worker, call } = await hubWithCall({ args: '["x"]', options: '{"timeout":1}', deadline: 5, priority: 7 });
    expect(worker.running[0]).toEqual({
      ...idOf(call),
      action: "test.a",
      type: "test.flow",
      version: "v1",
      args: { json: '["x"]' },
      options: { json: '{"timeout":1}' },
      heartbeatDetails: null,
      traceparent: null,
      priority: 7,
      deadlineMs: 5,
      idempotencyKey: `${call.runId}/1.0`,
    });
  });

  it("go out by priority, and runs of one priority take turns", async () => {
    const test = new TestHub();
    const [one, other] = [testDispatch().runId, testDispatch().runId];
    const calls = [
      ...["1.0", "1.1", "1.2"].map((call) => testDispatch({ runId: one, call })),
      ...["1.0", "1.1"].map((call) => testDispatch({ runId: other, call })),
      testDispatch({ priority: 5 }),
    ];
    test.hub.dispatch("loop", calls);
    const worker = new FakeWorker(test, { workerId: "w-1", actions: A });
    await worker.credit(6);
    const order = worker.running.map((each) =>
      calls.findIndex(({ runId, call }) => runId === each.runId && call === each.call),
    );
    expect(order).toEqual([5, 0, 3, 1, 4, 2]);
  });

  it("one in ten goes by age alone", async () => {
    const test = new TestHub();
    const low = testDispatch({ priority: -5 });
    test.hub.dispatch("loop", [low, ...Array.from({ length: 30 }, () => testDispatch({ priority: 5 }))]);
    const worker = new FakeWorker(test, { workerId: "w-1", actions: A });
    await worker.credit(10);
    expect(worker.running.map(({ runId }) => runId)).toContain(low.runId);
  });

  it("go to workers of their namespace that announced the action, in turns", async () => {
    const test = new TestHub();
    const workers = [
      test.join({ workerId: "w-1", actions: A }),
      test.join({ workerId: "w-2", actions: A }),
      test.join({ workerId: "w-3", actions: [action("test.b")] }),
      test.join({ workerId: "w-4", actions: A, namespace: "other" }),
    ];
    for (const worker of workers) await worker.credit(100);
    test.hub.dispatch(
      "loop",
      Array.from({ length: 10 }, () => testDispatch()),
    );
    await settled();
    expect(workers.map(({ running }) => running.length)).toEqual([5, 5, 0, 0]);
  });

  it("of a workflow's steps go to workers that have the workflow, if possible in the run's version", async () => {
    const test = new TestHub();
    const announce = (workerId: string, version: string): FakeWorker =>
      test.join({ workerId, workflows: [{ name: "test.flow", version }] });
    const [older, newer] = [announce("w-1", "v1"), announce("w-2", "v2")];
    const without = new FakeWorker(test, { workerId: "w-3", actions: A });
    await older.credit(1);
    await newer.credit(10);
    await without.credit(10);
    const step = { action: "test.flow/charge", version: "v1" };
    test.hub.dispatch("loop", [testDispatch(step), testDispatch(step)]);
    await settled();
    expect([older, newer, without].map(({ running }) => running.length)).toEqual([1, 1, 0]);
  });

  it("go out again to a worker that has taken what it was sent, and not before", async () => {
    const test = new TestHub();
    const worker = new FakeWorker(test, { workerId: "w-1", actions: A });
    worker.buffered = 2 * 1024 * 1024;
    await worker.credit(5);
    test.hub.dispatch("loop", [testDispatch()]);
    await settled();
    expect(worker.running).toEqual([]);
    worker.buffered = 0;
    test.hub.hasRead(worker.session!);
    await settled();
    expect(worker.running).toHaveLength(1);
  });

  it("that are large go out a few at a time, however many credits there are", async () => {
    const test = new TestHub();
    const worker = test.join({ workerId: "w-1", actions: A });
    await worker.credit(100);
    const args = JSON.stringify(["x".repeat(250_000)]);
    test.hub.dispatch(
      "loop",
      Array.from({ length: 100 }, () => testDispatch({ args })),
    );
    await settled();
    expect(worker.running.length).toBeLessThanOrEqual(5);
    for (let turn = 0; turn < 30 && worker.running.length < 100; turn++) {
      test.hub.hasRead(worker.session!);
      await settled();
    }
    expect(worker.running).toHaveLength(100);
    expect(worker.closed).toBeNull();
  });

  it("whose large arguments cannot be written go out when they can, and keep no credit meanwhile", async () => {
    const test = new TestHub();
    const worker = test.join({ workerId: "w-1", actions: A });
    await worker.credit(1);
    test.blobs.isBroken = true;
    const [large, small] = [testDispatch({ args: JSON.stringify(["x".repeat(300_000)]) }), testDispatch()];
    test.hub.dispatch("loop", [large]);
    await settled();
    expect(test.warnings).toHaveLength(1);
    test.hub.dispatch("loop", [small]);
    await settled();
    expect(worker.running.map(({ runId }) => runId)).toEqual([small.runId]);
    await worker.credit(1);
    test.blobs.isBroken = false;
    await test.pass(1_100);
    expect(worker.running.map(({ runId }) => runId)).toEqual([small.runId, large.runId]);
  });

  it("that are recalled are given back if no worker has them, and take no room then", async () => {
    const test = new TestHub();
    const worker = test.join({ workerId: "w-1", actions: A });
    await worker.credit(1);
    const [sent, waiting, first] = [testDispatch(), testDispatch(), testDispatch()];
    test.hub.dispatch("another", [first]);
    test.hub.dispatch("loop", [sent, waiting]);
    await settled();
    expect(worker.running.map(({ runId }) => runId)).toEqual([first.runId]);
    await worker.credit(1);
    test.hub.recall("loop", [sent, { ...waiting, attempt: 2 }, waiting, testDispatch()]);
    const { runId, call, attempt } = waiting;
    expect(test.unserved).toEqual([{ runId, call, attempt, waitingFor: null, againInMs: 0 }]);
    expect(test.hub.waiting).toBe(0);
    await worker.credit(5);
    expect(worker.running.map((each) => each.runId)).toEqual([first.runId, sent.runId]);
  });

  it("with large arguments travel as blobs", async () => {
    const args = JSON.stringify(["x".repeat(300_000)]);
    const { test, worker } = await hubWithCall({ args });
    const [sent] = worker.running;
    expect((await test.blobs.get((sent!.args as { blob: { digest: string } }).blob.digest)).toString()).toBe(args);
  });
});
