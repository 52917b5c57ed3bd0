import { afterEach, describe, expect, it, vi } from "vitest";
import { NotStorable, signal, SignalTimeout, withSignals, workflow } from "./index.ts";

const approved = signal<{ by: string }>("approved");
const DAY_MS = 86_400_000;

afterEach(() => vi.useRealTimers());

describe("a workflow called natively inside withSignals", () => {
  it("takes the values of a name in their order, in children too", async () => {
    const child = workflow("child", async () => (await approved.wait()).by);
    const parent = workflow("parent", async () => [(await approved.wait()).by, await child(), await child()]);
    const signals = { approved: [{ by: "ann" }, { by: "bob" }, { by: "cleo" }] };
    expect(await withSignals(signals, () => parent())).toEqual(["ann", "bob", "cleo"]);
  });

  it("gets copies, and each withSignals has values of its own", async () => {
    const value = { by: "ann" };
    const flow = workflow("flow", async () => {
      const taken = await approved.wait();
      taken.by += "!";
      return taken.by;
    });
    const both = [1, 2].map(() => withSignals({ approved: [value] }, () => flow()));
    expect(await Promise.all(both)).toEqual(["ann!", "ann!"]);
    expect(value).toEqual({ by: "ann" });
  });

  it("serves waits in the order they were made", async () => {
    const flow = workflow("flow", async () => {
      const [first, second] = [approved.wait(), approved.wait()];
      return [await second, await first];
    });
    const signals = { approved: [{ by: "ann" }, { by: "bob" }] };
    expect(await withSignals(signals, () => flow())).toEqual([{ by: "bob" }, { by: "ann" }]);
  });

  it.each([["3 days" as const], [3 * DAY_MS], [new Date(3 * DAY_MS)]])(
    "times out with SignalTimeout when no value is left: %s",
    async (timeout) => {
      vi.useFakeTimers({ now: 0 });
      const flow = workflow("flow", async () => {
        try {
          await approved.wait({ timeout });
          return null;
        } catch (error) {
          return [error instanceof SignalTimeout, Date.now()];
        }
      });
      const result = withSignals({ approved: [] }, () => flow());
      await vi.advanceTimersByTimeAsync(3 * DAY_MS);
      expect(await result).toEqual([true, 3 * DAY_MS]);
    },
  );

  it("leaves a wait without a timeout open when no value is left, so that something else can win a race", async () => {
    const flow = workflow("flow", async () => Promise.race([approved.wait(), Promise.resolve("other")]));
    expect(await withSignals({ approved: [] }, () => flow())).toBe("other");
  });

  it("refuses timeouts that are none, as the machine does", async () => {
    await withSignals({ approved: [{ by: "ann" }] }, async () => {
      // @ts-expect-error no duration
      await expect(approved.wait({ timeout: "soon" })).rejects.toThrow(RangeError);
      await expect(approved.wait({ timeout: new Date(Number.NaN) })).rejects.toThrow(RangeError);
      expect(() => Reflect.apply(approved.wait, approved, [5])).toThrow(TypeError);
      expect(await approved.wait({})).toEqual({ by: "ann" });
    });
  });
});

describe("what a test of signals is told", () => {
  it("that nobody sends any, and how to", async () => {
    await expect(approved.wait()).rejects.toThrow('withSignals({ "approved": [value] }');
    await expect(approved.wait({ timeout: 1 })).rejects.toThrow("cairn try");
  });

  it("that a name was not given", async () => {
    const wait = withSignals({ aproved: [{ by: "ann" }] }, () => approved.wait());
    await expect(wait).rejects.toThrow('withSignals() was given no signal "approved"');
  });

  it("that a value cannot be stored, or that the values are no array", () => {
    expect(() => withSignals({ approved: [{ by: () => 1 }] }, () => 1)).toThrow(NotStorable);
    expect(() => Reflect.apply(withSignals, undefined, [{ approved: { by: "ann" } }, () => 1])).toThrow(TypeError);
  });
});
