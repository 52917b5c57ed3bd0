import { describe, expect, it } from "vitest";
import { action, FakeWorker, hubWithCall, idOf, outcome, settled, testDispatch, TestHub } from "../support/test-hub.ts";

const A = [action("test.a")];

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

  it("of a call that has ended before the database was restored are not those of the same call after it", async () => {
    const { test, worker, call } = await hubWithCall();
    await worker.answer(call, '"before"');
    test.hub.acknowledge([call]);
    await settled();
    test.reports.length = 0;
    const again = { ...call, incarnation: "22222222-2222-4222-8222-222222222222" };
    // Another control plane has its run, which is told by mail.
    test.foreignRuns.add(call.runId);
    await worker.say({ inFlight: { calls: [idOf(again)], more: false } });
    await worker.answer(again, '"after"');
    expect(test.passedOn.map(({ value, incarnation }) => [value, incarnation])).toEqual([
      ['"after"', again.incarnation],
    ]);
    expect(worker.cancels).toEqual([]);
    // That of the lost past has ended all the same.
    await worker.answer(call, '"before"');
    expect(worker.cancels).toMatchObject([
      { incarnation: call.incarnation, reason: expect.stringMatching(/^NotOpen: /) },
    ]);
  });

  it("of a call that was given up before the database was restored are not those of the same call after it", async () => {
    const { test, worker, call } = await hubWithCall();
    test.hub.abort([call]);
    const again = { ...call, incarnation: "22222222-2222-4222-8222-222222222222" };
    test.foreignRuns.add(call.runId);
    await worker.answer(again);
    expect(test.passedOn).toHaveLength(1);
    await worker.answer(call);
    expect(test.passedOn).toHaveLength(1);
  });

  it("that are not committed when the database is restored stand in no way of those of the same call after it", async () => {
    const { test, worker, call } = await hubWithCall();
    await worker.answer(call, '"before"');
    const again = { ...call, incarnation: "22222222-2222-4222-8222-222222222222" };
    // Another control plane has its run at first.
    test.foreignRuns.add(call.runId);
    await worker.answer({ ...again, attempt: 1 }, '"elsewhere"');
    expect(test.passedOn.map(({ value }) => value)).toEqual(['"elsewhere"']);
    const next = { ...again, attempt: 2 };
    test.hub.dispatch("loop", [next]);
    await settled();
    await worker.answer(next, '"after"');
    // Offered once more, it is held, and not refused.
    await worker.answer(next, '"after"');
    expect(worker.cancels).toEqual([]);
    expect(test.reports.map(({ outcome: { value } }) => value)).toEqual(['"before"', '"after"']);
    // Those of the lost past are not reported again.
    test.reports.length = 0;
    test.hub.reportAgain("loop");
    await settled();
    expect(test.reports.map(({ outcome: { value } }) => value)).toEqual(['"after"']);
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
