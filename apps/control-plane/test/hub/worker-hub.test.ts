import type { CallRef } from "@cairnjs/schemas";
import { describe, expect, it } from "vitest";
import { action, FakeWorker, hubWithCall, outcome, settled, testDispatch, TestHub } from "../support/test-hub.ts";

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

  it("with large arguments travel as blobs", async () => {
    const args = JSON.stringify(["x".repeat(300_000)]);
    const { test, worker } = await hubWithCall({ args });
    const [sent] = worker.running;
    expect((await test.blobs.get((sent!.args as { blob: { digest: string } }).blob.digest)).toString()).toBe(args);
  });
});

describe("outcomes", () => {
  it("are reported to the owner, and acknowledged when they are committed, and not before", async () => {
    const { test, worker, call } = await hubWithCall();
    await worker.answer(call, "42");
    expect(test.reports).toEqual([
      { owner: "loop", outcome: expect.objectContaining({ kind: "result", value: "42", worker: "w-1", attempt: 1 }) },
    ]);
    expect(worker.acknowledged).toEqual([]);
    test.hub.acknowledge([call]);
    await settled();
    expect(worker.acknowledged).toEqual([idOf(call)]);
  });

  it("that come again before that are reported once; afterwards they are refused with a code", async () => {
    const { test, worker, call } = await hubWithCall();
    await worker.answer(call);
    await worker.answer(call);
    expect(test.reports).toHaveLength(1);
    test.hub.acknowledge([call]);
    await worker.answer(call);
    expect(test.reports).toHaveLength(1);
    expect(worker.cancels[0]!.reason).toMatch(/^NotOpen: /);
  });

  it("that are no values fail their try, without another one", async () => {
    const { test, worker, call } = await hubWithCall();
    await worker.answer(call, '{"$date":"no"}');
    const [{ outcome: reported }] = test.reports as [(typeof test.reports)[number]];
    expect(reported).toMatchObject({ kind: "error", retry: null });
    expect(reported.value).toContain("InvalidOutput");
  });

  it("that refer to a blob which is not there fail their try", async () => {
    const { test, worker, call } = await hubWithCall();
    const value = { blob: { digest: "0".repeat(64), bytes: 3 } };
    await worker.say({ outcomes: [{ ...outcome(call), value }] });
    expect(test.reports[0]!.outcome).toMatchObject({ kind: "error", retry: null });
  });

  it("that refer to a blob are read", async () => {
    const { test, worker, call } = await hubWithCall();
    const bytes = Buffer.from('"long"');
    const value = { blob: { digest: await test.blobs.put(bytes), bytes: bytes.length } };
    await worker.say({ outcomes: [{ ...outcome(call), value }] });
    expect(test.reports[0]!.outcome.value).toBe('"long"');
  });

  it("of runs that are not held here go to their mail, and are refused if there is no such run", async () => {
    const { test, worker } = await hubWithCall();
    const [living, gone] = [testDispatch(), testDispatch()];
    test.foreignRuns.add(living.runId);
    await worker.say({ outcomes: [outcome(living), outcome(gone)] });
    expect(test.passedOn.map(({ runId }) => runId)).toEqual([living.runId]);
    expect(worker.acknowledged.map(({ runId }) => runId)).toEqual([living.runId]);
    expect(worker.cancels.map(({ runId, reason }) => [runId, reason.split(":")[0]])).toEqual([[gone.runId, "NotOpen"]]);
  });

  it("of calls that another worker has, or another namespace, change nothing", async () => {
    const { test, worker, call } = await hubWithCall();
    const liar = new FakeWorker(test, { workerId: "w-2", actions: A });
    const stranger = new FakeWorker(test, { workerId: "w-1", actions: A, namespace: "other" });
    for (const other of [liar, stranger]) {
      await other.answer(call, '"forged"');
      expect(other.cancels[0]!.reason).toMatch(/^NotOpen: /);
    }
    await worker.answer(call, '"real"');
    expect(test.reports.map(({ outcome: { value } }) => value)).toEqual(['"real"']);
  });

  it("that were committed by another way end their call here too", async () => {
    const { test, worker, call } = await hubWithCall();
    test.hub.acknowledge([{ ...idOf(call), attempt: 7 }]);
    expect(worker.session!.calls.size).toBe(1);
    test.hub.acknowledge([idOf(call)]);
    expect(worker.session!.calls.size).toBe(0);
    await test.pass(60_000);
    expect(worker.closed).toBeNull();
    expect(test.strangers).toEqual([]);
  });

  it("that could not be taken end the stream: the worker offers them again", async () => {
    const test = new TestHub({
      passOn: async () => {
        throw new Error("no database");
      },
    });
    const worker = new FakeWorker(test, { workerId: "w-1", actions: A });
    await worker.answer(testDispatch());
    expect(worker.closed).toMatchObject({ code: "Unavailable" });
    expect(worker.acknowledged).toEqual([]);
  });
});

describe("a broken stream", () => {
  it("I8: what its worker had is lost a second later, and not before", async () => {
    const { test, worker, call } = await hubWithCall();
    await worker.break();
    await test.pass(900);
    expect(test.strangers).toEqual([]);
    await test.pass(200);
    expect(test.strangers).toEqual([{ owner: "loop", call: idOf(call) }]);
  });

  it("I8: a worker that is back in time and lists its calls keeps them", async () => {
    const { test, worker, call } = await hubWithCall();
    await worker.break();
    await test.pass(900);
    worker.connect();
    await test.pass(300);
    await worker.say({ inFlight: { calls: [call], more: false } });
    await test.pass(5_000);
    expect(test.strangers).toEqual([]);
    await worker.answer(call);
    expect(test.reports).toHaveLength(1);
  });

  it("I8: of a worker that is back, what it does not list is lost at once", async () => {
    const { test, worker } = await hubWithCall();
    await worker.break();
    worker.connect();
    await worker.say({ inFlight: { calls: [], more: false } });
    expect(test.strangers).toHaveLength(1);
  });

  it("a list over several frames counts when it is whole", async () => {
    const { test, worker, call } = await hubWithCall();
    await worker.break();
    worker.connect();
    await worker.say({ inFlight: { calls: [], more: true } });
    expect(test.strangers).toEqual([]);
    await worker.say({ inFlight: { calls: [call], more: false } });
    await test.pass(3_000);
    expect(test.strangers).toEqual([]);
  });

  it("a second stream of the same worker takes the place of the first", async () => {
    const { test, worker, call } = await hubWithCall();
    const again = new FakeWorker(test, { workerId: "w-1", actions: A });
    expect(worker.closed).toMatchObject({ code: "Closed" });
    await again.say({ inFlight: { calls: [call], more: false } });
    await again.answer(call);
    expect(test.reports).toHaveLength(1);
  });

  it("of a worker that was draining loses what it had at once, if it has ended it", async () => {
    const { test, worker } = await hubWithCall();
    await worker.say({ draining: true });
    await worker.finish();
    expect(test.strangers).toHaveLength(1);
  });

  it("of a worker that is draining loses nothing, if it breaks and is there again", async () => {
    const { test, worker, call } = await hubWithCall();
    await worker.say({ draining: true });
    await worker.break();
    worker.connect();
    await worker.say({ inFlight: { calls: [call], more: false } });
    await test.pass(3_000);
    expect(test.strangers).toEqual([]);
  });

  it("the result of a try that was given up counts, if it comes before that of its successor", async () => {
    const { test, worker, call } = await hubWithCall();
    await worker.break();
    await test.pass(1_100);
    test.hub.dispatch("loop", [{ ...call, attempt: 2 }]);
    worker.connect();
    await worker.answer(call, '"late"');
    expect(test.reports.map(({ outcome: { attempt, value } }) => [attempt, value])).toEqual([[1, '"late"']]);
    test.hub.abort([call]);
    test.hub.acknowledge([call]);
    await settled();
    expect(worker.acknowledged.map(({ attempt }) => attempt)).toEqual([1]);
  });
});

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

describe("heartbeat details", () => {
  it("reach the next try, also from another control plane", async () => {
    const { test, worker, call } = await hubWithCall();
    await worker.say({ heartbeats: [{ ...idOf(call), details: { json: '{"done":7}' } }] });
    await worker.break();
    await test.pass(1_100);
    expect(test.strangers).toHaveLength(1);
    const elsewhere = new TestHub();
    for (const [key, each] of test.details) elsewhere.details.set(key, each);
    const next = { ...call, attempt: 2 };
    for (const each of [test, elsewhere]) {
      const other = new FakeWorker(each, { workerId: "w-2", actions: A });
      await other.credit(1);
      each.hub.dispatch("loop", [next]);
      await settled();
      expect(other.running[0]!.heartbeatDetails).toEqual({ json: '{"done":7}' });
    }
  });

  it("are forgotten when the call has a result", async () => {
    const { test, worker, call } = await hubWithCall();
    await worker.say({ heartbeats: [{ ...idOf(call), details: { json: "1" } }] });
    await test.pass(600);
    expect(test.details.size).toBe(1);
    await worker.answer(call);
    test.hub.acknowledge([call]);
    await test.pass(600);
    expect(test.details.size).toBe(0);
  });

  it("of a call that is not the worker's are not kept", async () => {
    const { test, call } = await hubWithCall();
    const liar = new FakeWorker(test, { workerId: "w-2", actions: A });
    await liar.say({ heartbeats: [{ ...idOf(call), details: { json: "1" } }] });
    await test.pass(600);
    expect(test.details.size).toBe(0);
  });
});

describe("actions that no worker has", () => {
  const missing = { action: "test.missing" };

  it("fail at once after the grace, when workers serve their prefix: no_handler_registered", async () => {
    const test = new TestHub();
    test.join({ workerId: "w-1", actions: A });
    test.hub.dispatch("loop", [testDispatch(missing)]);
    await test.pass(9_900);
    expect(test.reports).toEqual([]);
    await test.pass(2_000);
    expect(test.reports[0]!.outcome).toMatchObject({ kind: "error", retry: null });
    expect(test.reports[0]!.outcome.value).toContain("NoHandlerRegistered");
  });

  it("are given back, and say for what they wait, when no worker serves their prefix: the longer, the later they ask again", async () => {
    const test = new TestHub();
    test.join({ workerId: "w-1", actions: A });
    const call = testDispatch({ action: "billing.charge" });
    const given = { runId: call.runId, call: "1.0", attempt: 1, waitingFor: "a worker for billing." };
    for (const againInMs of [1_500, 5_000, 30_000]) {
      test.hub.dispatch("loop", [call]);
      await test.pass(2_000);
      expect(test.reports).toEqual([]);
      expect(test.unserved.splice(0)).toEqual([{ ...given, againInMs: expect.any(Number) }]);
      expect(test.hub.waiting).toBe(0);
      await test.pass(againInMs * 4);
    }
    test.hub.dispatch("loop", [call]);
    await test.pass(2_000);
    expect(test.unserved.splice(0)).toEqual([{ ...given, againInMs: 30_000 }]);
    const worker = new FakeWorker(test, {
      workerId: "w-2",
      prefixes: ["billing."],
      actions: [action("billing.charge")],
    });
    await worker.credit(1);
    test.hub.dispatch("loop", [call]);
    await settled();
    expect(worker.running).toHaveLength(1);
  });

  it("are given back while a worker of another control plane has them, and do not fail before the grace is over", async () => {
    const test = new TestHub();
    test.join({ workerId: "w-1", actions: A });
    test.elsewhere = [{ prefixes: ["test."], names: new Set(["test.missing"]) }];
    const call = testDispatch(missing);
    const { runId, call: id, attempt } = call;
    for (let times = 0; times < 5; times++) {
      test.hub.dispatch("loop", [call]);
      await test.pass(5_000);
      const waitingFor = "a worker that has test.missing";
      expect(test.unserved.splice(0)).toEqual([{ runId, call: id, attempt, waitingFor, againInMs: 1_500 }]);
    }
    expect(test.reports).toEqual([]);
    test.elsewhere = [{ prefixes: ["test."], names: new Set(["test.a"]) }];
    test.hub.dispatch("loop", [call]);
    await test.pass(9_900);
    expect(test.reports).toEqual([]);
    await test.pass(2_000);
    expect(test.reports).toHaveLength(1);
  });

  it("that others have lets a control plane without workers leave workflows to those for a while", async () => {
    const test = new TestHub();
    test.elsewhere = [{ prefixes: ["test."], names: new Set(["test.a"]) }];
    test.hub.dispatch("loop", [testDispatch()]);
    await test.pass(2_000);
    expect(test.hub.room).toEqual(new Map([["default:*", 0]]));
    const worker = test.join({ workerId: "w-1", actions: A });
    expect((test.hub.room as ReadonlyMap<string, number>).has("default:*")).toBe(false);
    await worker.break();
    expect((test.hub.room as ReadonlyMap<string, number>).has("default:*")).toBe(true);
    await test.pass(10_000);
    expect(test.hub.room).toEqual(new Map());
  });

  it("a rolling deploy fails nothing: a worker that has the action comes within the grace", async () => {
    const test = new TestHub();
    test.join({ workerId: "old", actions: A });
    test.hub.dispatch("loop", [testDispatch(missing)]);
    await test.pass(8_000);
    const newer = new FakeWorker(test, { workerId: "new", actions: [...A, action("test.missing")] });
    await newer.credit(1);
    await test.pass(20_000);
    expect(test.reports).toEqual([]);
    expect(newer.running).toHaveLength(1);
  });

  it("are not failed by a worker that has them and is draining", async () => {
    const test = new TestHub();
    test.join({ workerId: "w-1", actions: A });
    const leaving = new FakeWorker(test, { workerId: "w-2", actions: [action("test.missing")] });
    await leaving.say({ draining: true });
    test.hub.dispatch("loop", [testDispatch(missing)]);
    await test.pass(30_000);
    expect(test.reports).toEqual([]);
  });
});

describe("room for jobs", () => {
  it("I12: follows the credits of the workers that serve a segment", async () => {
    const test = new TestHub();
    const billing = new FakeWorker(test, {
      workerId: "w-1",
      prefixes: ["billing."],
      actions: [action("billing.charge")],
    });
    const media = new FakeWorker(test, { workerId: "w-2", prefixes: ["media."] });
    await billing.credit(10);
    expect(test.hub.room).toEqual(
      new Map([
        ["default:billing", 20],
        ["default:media", 1],
      ]),
    );
    test.hub.dispatch(
      "loop",
      Array.from({ length: 15 }, () => testDispatch({ action: "billing.charge", type: "billing.charge" })),
    );
    await settled();
    expect((test.hub.room as ReadonlyMap<string, number>).get("default:billing")).toBe(5);
    const lacking = Array.from({ length: 50 }, () => testDispatch({ action: "billing.lack", type: "billing.lack" }));
    test.hub.dispatch("loop", lacking);
    // Nobody waits for these.
    expect((test.hub.room as ReadonlyMap<string, number>).get("default:billing")).toBe(5);
    await media.break();
    expect((test.hub.room as ReadonlyMap<string, number>).has("default:media")).toBe(false);
  });

  it("a worker that serves everything counts for each segment", async () => {
    const test = new TestHub();
    const all = new FakeWorker(test, { workerId: "w-1", prefixes: [""] });
    const billing = new FakeWorker(test, { workerId: "w-2", prefixes: ["billing."] });
    await all.credit(3);
    await billing.credit(1);
    expect(test.hub.room).toEqual(
      new Map([
        ["default:", 6],
        ["default:billing", 8],
      ]),
    );
  });
});

function idOf({ incarnation, runId, call, attempt }: CallRef) {
  return { incarnation, runId, call, attempt };
}
