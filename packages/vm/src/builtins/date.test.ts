import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fakeContext, outcome } from "../../test/text/fake-context.ts";
import { VDate } from "../heap/data.ts";
import type { Value } from "../heap/value.ts";
import { dateBuiltins } from "./date.ts";
import { dateOperations } from "./operations-date.ts";

const context = fakeContext();
const prototype = context.realm.prototype("Date");

const time = fc.oneof(
  fc.integer({ min: -8.64e15, max: 8.64e15 }),
  fc.integer({ min: -1e12, max: 3e12 }),
  fc.constantFrom(NaN, 0, 8.64e15, -8.64e15),
);
const part = fc.oneof(
  fc.integer({ min: -100, max: 3_000 }),
  fc.integer({ min: 0, max: 31 }),
  fc.double(),
  fc.constantFrom(undefined, null, true, "12", "x", 1n, -0, NaN, Infinity, 99.9),
);
const parts = fc.array(part, { maxLength: 8 });

type Native = (...values: unknown[]) => unknown;

/** The oracle is the host under TZ=UTC; its local methods are asked for UTC by name. */
function nativeOf(name: string): Native {
  const utc = name.replace(/^(get|set)(?!UTC|Time|Year)/, "$1UTC");
  return (Date.prototype as unknown as Record<string, Native>)[utc]!;
}

const methods = Object.keys(dateBuiltins)
  .filter((path) => path.startsWith("Date.prototype."))
  .map((path) => path.slice("Date.prototype.".length));
const zoneFree = methods.filter(
  (name) => !/^(toString|toDateString|toTimeString|getTimezoneOffset|[gs]etYear)$/.test(name),
);
const isUtc = new Date(2020, 0).getTime() === Date.UTC(2020, 0);

describe("dates against the host", () => {
  it.each(isUtc ? methods : zoneFree)("%s", (name) => {
    const native = nativeOf(name);
    const { call } = dateBuiltins[`Date.prototype.${name}`]!;
    fc.assert(
      fc.property(time, parts, (start, values) => {
        const ours = new VDate(prototype, start);
        const theirs = new Date(start);
        const result = outcome(context, () => call!(context, ours, values));
        expect(result).toEqual(outcome(context, () => native.apply(theirs, values)));
        expect(ours.time).toBe(theirs.getTime());
      }),
      { seed: 61, numRuns: 1_000 },
    );
  });

  it.each(["getTime", "setTime", "toISOString", "setHours"])("%s insists on a date", (name) => {
    for (const self of [1, "x", undefined, null] as const) {
      const native = (Date.prototype as unknown as Record<string, Native>)[name]!;
      const { call } = dateBuiltins[`Date.prototype.${name}`]!;
      expect(outcome(context, () => call!(context, self, []))).toEqual(outcome(context, () => native.call(self)));
    }
  });

  it("Date.UTC and the constructor of parts", () => {
    fc.assert(
      fc.property(parts, (values) => {
        const ours = outcome(context, () => dateBuiltins["Date.UTC"]!.call!(context, undefined, values));
        expect(ours).toEqual(outcome(context, () => Date.UTC(...(values as [number]))));
      }),
      { seed: 62, numRuns: 5_000 },
    );
  });

  it("the constructor of one value", () => {
    const made = (value: Value): unknown =>
      outcome(context, () => (dateOperations["dateOfValue"]!(context, [value]) as VDate).time);
    fc.assert(
      fc.property(fc.oneof(part, time, fc.constantFrom("2020-01-02", "2020-01-02T03:04Z", "nonsense")), (value) => {
        expect(made(value)).toEqual(outcome(context, () => new Date(value as number).getTime()));
      }),
      { seed: 63, numRuns: 3_000 },
    );
    expect(made(new VDate(prototype, 5))).toEqual({ value: 5 });
  });

  it("marks a date before writing it", () => {
    const date = new VDate(prototype, 0);
    const fresh = fakeContext();
    dateBuiltins["Date.prototype.setHours"]!.call!(fresh, date, [1]);
    expect(fresh.touched).toEqual([date]);
  });
});
