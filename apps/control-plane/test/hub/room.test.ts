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

    it("I12: takes as much as there are threads, so that those begin that need none", async () => {
      const test = new TestHub();
      const worker = new FakeWorker(test, { workerId: "w-1", actions, threads: 2 });
      await worker.credit(100);
      const calls = Array.from({ length: 200 }, () => testDispatch(computes));
      test.hub.dispatch("loop", calls);
      await settled();
      expect(roomOf(test)).toBe(200 - 2 - 2);
      test.hub.dispatch("loop", [testDispatch({ type: "test.a" })]);
      await settled();
      expect(worker.running.map(({ action: name }) => name)).toEqual(["test.computes", "test.computes", "test.a"]);
    });

    it("I9: is none while 500 wait, who begin in their order, and no thread is left without one", async () => {
      const test = new TestHub();
      const worker = new FakeWorker(test, { workerId: "w-1", actions, threads: 4 });
      await worker.credit(1_000);
      const calls = Array.from({ length: 600 }, () => testDispatch(computes));
      test.hub.dispatch("loop", calls);
      await settled();
      const begun: string[] = [];
      while (begun.length < calls.length) {
        expect(worker.running).toHaveLength(Math.min(4, calls.length - begun.length));
        const waiting = calls.length - begun.length - worker.running.length;
        if (waiting - 4 >= 500) expect(roomOf(test)).toBe(0);
        else expect(roomOf(test)).toBeGreaterThan(0);
        for (const call of [...worker.running]) {
          begun.push(call.runId);
          await worker.answer(call);
        }
        await worker.credit(1_000);
        await test.pass(1_000);
      }
      expect(begun).toEqual(calls.map(({ runId }) => runId));
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
