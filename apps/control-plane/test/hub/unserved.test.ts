import { describe, expect, it } from "vitest";
import { action, FakeWorker, settled, testDispatch, TestHub } from "../support/test-hub.ts";

const A = [action("test.a")];

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

  it("workers that come at one time are told of together, by namespace", async () => {
    const joined: [string, string[]][] = [];
    const test = new TestHub({ joined: (namespace, segments) => void joined.push([namespace, segments.toSorted()]) });
    for (let number = 0; number < 50; number++) {
      test.join({ workerId: `w-${number}`, prefixes: [number % 2 === 0 ? "billing." : "media."] });
      test.join({ workerId: `o-${number}`, prefixes: [""], namespace: "other" });
    }
    await test.pass(200);
    const together = [
      ["default", ["billing", "media"]],
      ["other", [""]],
    ];
    expect(joined.splice(0)).toEqual(together);
    expect(test.joined.splice(0)).toEqual(together);
    await test.pass(1_000);
    expect(joined).toEqual([]);
    test.join({ workerId: "late", prefixes: ["billing."] });
    await test.pass(200);
    expect(joined).toEqual([["default", ["billing"]]]);
  });
});
