import { describe, expect, it } from "vitest";
import { action, FakeWorker, settled, testDispatch, TestHub } from "../support/test-hub.ts";

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
