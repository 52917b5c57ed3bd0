import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Timers } from "../../src/runloop/timers.ts";

describe("timers", () => {
  it("ring in the order they are due, of equal ones in the order they were set, and not when cancelled", () => {
    const wanted = fc.array(fc.record({ dueAt: fc.integer({ min: 0, max: 20 }), cancelled: fc.boolean() }));
    fc.assert(
      fc.property(wanted, fc.integer({ min: 0, max: 20 }), (all, now) => {
        const timers = new Timers();
        const rung: number[] = [];
        const set = all.map(({ dueAt }, index) => timers.set(dueAt, () => void rung.push(index)));
        all.forEach(({ cancelled }, index) => cancelled && set[index]!.cancel());
        const live = all.map((each, index) => ({ ...each, index })).filter(({ cancelled }) => !cancelled);
        const inOrder = [...live].sort((a, b) => a.dueAt - b.dueAt || a.index - b.index);
        const next = timers.ringDue(now);
        expect(rung).toEqual(inOrder.filter(({ dueAt }) => dueAt <= now).map(({ index }) => index));
        expect(next).toBe(inOrder.find(({ dueAt }) => dueAt > now)?.dueAt ?? null);
        timers.ringDue(100);
        expect(rung).toEqual(inOrder.map(({ index }) => index));
      }),
    );
  });

  it("keep nothing of those that were cancelled, however far off they were due", () => {
    const timers = new Timers();
    timers.set(1e15, () => {});
    for (let n = 0; n < 100_000; n++) timers.set(1e15 - n, () => {}).cancel();
    expect(timers.size).toBeLessThan(5_000);
    expect(timers.ringDue(0)).toBe(1e15);
  });
});
