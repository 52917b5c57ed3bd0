import { DEFAULT_RETRY } from "@cairnjs/ir";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { backoffMs } from "../../src/runloop/backoff.ts";

const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const policy = fc
  .record({ baseMs: fc.integer({ min: 1, max: 1e6 }), factor: fc.integer({ min: 1, max: 1e6 }) })
  .map(({ baseMs, factor }) => ({ attempts: 3, baseMs, capMs: baseMs * factor }));
const attempt = fc.integer({ min: 1, max: 2_000 });

describe("backoff", () => {
  it("is raw = min(cap, base·2^attempt) with the attempt before its increment, and raw + U(0, raw/2) in whole milliseconds", () => {
    fc.assert(
      fc.property(policy, attempt, chance, (retry, failed, random) => {
        const raw = Math.min(retry.capMs, retry.baseMs * 2 ** (failed - 1));
        const delay = backoffMs(retry, failed, () => random);
        expect(delay).toBe(Math.round(raw + (random * raw) / 2));
        expect(delay).toBeGreaterThanOrEqual(raw);
        expect(delay).toBeLessThanOrEqual(raw * 1.5 + 0.5);
        expect(Number.isSafeInteger(delay)).toBe(true);
      }),
    );
  });

  it("never gets shorter with more failures, for the same chance", () => {
    fc.assert(
      fc.property(policy, attempt, chance, (retry, failed, random) => {
        const next = backoffMs(retry, failed + 1, () => random);
        expect(next).toBeGreaterThanOrEqual(backoffMs(retry, failed, () => random));
      }),
    );
  });

  it("is 1 s, 2 s, 4 s … up to 5 minutes by default, and half as much again at most", () => {
    const least = [1, 2, 3, 4, 9, 10, 50].map((failed) => backoffMs(DEFAULT_RETRY, failed, () => 0));
    expect(least).toEqual([1_000, 2_000, 4_000, 8_000, 256_000, 300_000, 300_000]);
    expect(backoffMs(DEFAULT_RETRY, 1, () => 0.999_999)).toBe(1_500);
    expect(backoffMs(DEFAULT_RETRY, 99, () => 0.999_999)).toBe(450_000);
    expect(DEFAULT_RETRY.attempts).toBe(3);
  });
});
