import { describe, expect, it } from "vitest";
import { action, FakeWorker, settled, testDispatch, TestHub } from "../support/test-hub.ts";

const A = [action("test.a")];

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

  describe("of jobs that need a thread", () => {
    const computes = { action: "test.computes", type: "test.computes" };
    const actions = [...A, { ...action("test.computes"), isolate: "thread" as const }];
    const roomOf = (test: TestHub): number => (test.hub.room as ReadonlyMap<string, number>).get("default:test")!;

    it("I12: takes as much as there are threads, and those that will not begin soon are given back", async () => {
      const test = new TestHub();
      const worker = new FakeWorker(test, { workerId: "w-1", actions, threads: 2 });
      await worker.credit(100);
      const calls = Array.from({ length: 200 }, (_, index) =>
        testDispatch({ ...computes, priority: index === 199 ? 1 : 0 }),
      );
      test.hub.dispatch("loop", calls);
      await test.pass(500);
      expect(worker.running).toHaveLength(2);
      expect(roomOf(test)).toBeGreaterThanOrEqual(200 - 2 - 2);
      const [first, ...rest] = test.unserved;
      expect(test.unserved.length).toBeGreaterThan(180);
      expect(first).toMatchObject({
        waitingFor: "a worker that has test.computes and a free thread",
        againInMs: 1_500,
      });
      // In their order, not all at one time.
      expect(new Set(rest.map(({ againInMs }) => againInMs)).size).toBeGreaterThan(10);
      expect(Math.max(...rest.map(({ againInMs }) => againInMs!))).toBeLessThanOrEqual(30_000);
      expect(test.unserved.map(({ runId }) => runId)).not.toContain(calls[199]!.runId);
      test.hub.dispatch("loop", [testDispatch({ type: "test.a" })]);
      await settled();
      expect(worker.running.map(({ action: name }) => name)).toEqual(["test.computes", "test.computes", "test.a"]);
    });

    it("I12: none is given back where they begin as fast as they come, and no thread is left without one", async () => {
      const test = new TestHub();
      const worker = new FakeWorker(test, { workerId: "w-1", actions, threads: 4 });
      await worker.credit(100);
      test.hub.dispatch(
        "loop",
        Array.from({ length: 200 }, () => testDispatch(computes)),
      );
      await settled();
      for (let ended = 0; ended < 200;) {
        expect(worker.running).toHaveLength(Math.min(4, 200 - ended));
        const calls = [...worker.running];
        ended += calls.length;
        for (const call of calls) await worker.answer(call);
        await worker.credit(100);
        await test.pass(50);
      }
      expect(test.unserved).toEqual([]);
    });

    it("calls of workflows stay, and take no more room than there are threads", async () => {
      const test = new TestHub();
      const worker = new FakeWorker(test, { workerId: "w-1", actions, threads: 2 });
      await worker.credit(100);
      test.hub.dispatch(
        "loop",
        Array.from({ length: 500 }, () => testDispatch({ action: "test.computes" })),
      );
      await test.pass(2_000);
      expect(test.unserved).toEqual([]);
      expect(test.hub.waiting).toBe(498);
      expect(roomOf(test)).toBe(200 - 2 - 2);
    });
  });
});
