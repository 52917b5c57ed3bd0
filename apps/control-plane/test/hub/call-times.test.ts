import fc from "fast-check";
import { expect, it } from "vitest";
import { CallTimes } from "../../src/hub/call-times.ts";

interface Call {
  readonly tookMs: number;
  readonly pauseMs: number;
}

const call = fc.record({ tookMs: fc.nat(100_000), pauseMs: fc.nat(2_000) });

/** By nearest rank, of the last 1,000 calls that ended in the last five minutes. */
function expected(calls: readonly Call[], part: number): number | null {
  const now = calls.reduce((all, { pauseMs }) => all + pauseMs, 0);
  let at = 0;
  const ended = calls.map(({ tookMs, pauseMs }) => ({ tookMs, at: (at += pauseMs) }));
  const kept = ended.slice(-1_000).filter((each) => each.at > now - 300_000);
  const took = kept.map(({ tookMs }) => tookMs).toSorted((a, b) => a - b);
  return took.length === 0 ? null : took[Math.ceil(took.length * part) - 1]!;
}

it("says how many calls have ended, how fast, and how long they took, as counted apart", () => {
  fc.assert(
    fc.property(fc.array(call, { maxLength: 1_500, size: "max" }), (calls) => {
      const times = new CallTimes(0);
      let now = 0;
      for (const { tookMs, pauseMs } of calls) times.add(tookMs, (now += pauseMs));
      const rates = times.rates(now);
      expect(rates).toEqual({
        completed: calls.length,
        actionsPerSecond: calls.length / Math.max(0.001, now / 1_000),
        latencyP50Ms: expected(calls, 0.5),
        latencyP95Ms: expected(calls, 0.95),
        latencyP99Ms: expected(calls, 0.99),
      });
      expect(times.rates(now + 1_000)).toMatchObject({ completed: calls.length, actionsPerSecond: 0 });
    }),
    { numRuns: 50 },
  );
});
