import * as fc from "fast-check";
import { expect, test } from "vitest";
import { hostContext } from "../../test/builtins/host-context.ts";
import { TextSearch, lastIndexOfText } from "./text-search.ts";

const context = hostContext({});
const units = fc.string({ unit: fc.constantFrom("a", "b", "\ud83d"), maxLength: 40 });

test("finds what the host finds, forwards and backwards, in texts long enough for the own search (seed 11)", () => {
  fc.assert(
    fc.property(units, units, units, fc.integer({ min: -2, max: 9000 }), (head, sought, tail, from) => {
      const padding = "ab".repeat(4000);
      const long = sought + "aab";
      const text = `${head}${padding}${long}${tail}${padding}${long}`;
      expect(new TextSearch(context, text, long).next(from)).toBe(text.indexOf(long, from));
      expect(lastIndexOfText(context, text, long, from)).toBe(text.lastIndexOf(long, from));
      expect(lastIndexOfText(context, text, long, Number.NaN)).toBe(text.lastIndexOf(long));
    }),
    { seed: 11, numRuns: 300 },
  );
});

test("a start beyond either end costs no more than the text", () => {
  let fuel = 0;
  const metered = { ...context, charge: (more: number) => (fuel += more) } as typeof context;
  for (const from of [-Infinity, Infinity, -1e308, 1e308]) {
    expect(new TextSearch(metered, "abcabc", "c").next(from)).toBe("abcabc".indexOf("c", from));
    expect(lastIndexOfText(metered, "abcabc", "c", from)).toBe("abcabc".lastIndexOf("c", from));
  }
  expect(fuel).toBeLessThan(100);
});

test("takes time by the sum of the lengths where the host takes their product", () => {
  const text = `${"a".repeat(20_000)}b`.repeat(50);
  const sought = `${"a".repeat(20_000)}c`;
  let fuel = 0;
  const metered = { ...context, charge: (more: number) => (fuel += more) } as typeof context;
  expect(new TextSearch(metered, text, sought).next(0)).toBe(-1);
  expect(lastIndexOfText(metered, text, sought, Number.NaN)).toBe(-1);
  expect(fuel).toBeGreaterThan(text.length);
  expect(fuel).toBeLessThan(4 * text.length);
});
