import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fakeContext, outcome } from "../../test/text/fake-context.ts";
import { bigintBuiltins } from "./bigint.ts";
import { booleanBuiltins } from "./boolean.ts";
import { globalBuiltins } from "./global.ts";
import type { HostTable } from "./host-table.ts";
import { mathBuiltins } from "./math.ts";
import { toRadix } from "./number-radix.ts";
import { numberBuiltins } from "./number.ts";
import { uriBuiltins } from "./uri.ts";

const context = fakeContext();

const number = fc.oneof(
  fc.double(),
  fc.integer({ min: -5, max: 120 }),
  fc.integer(),
  fc.constantFrom(NaN, Infinity, -Infinity, -0, 0.5, 1e21, 2 ** 53, 1e-7, 123.456),
);
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 6 }),
  fc.constantFrom(
    "",
    " 12 ",
    "0x1f",
    "1e3",
    "-0",
    "Infinity",
    "12px",
    "0b11",
    "1_000",
    "%41",
    "%",
    "%E4%BD%A0",
    "%zz",
    "\ud800",
    "a b&c/d?é",
  ),
);
const primitive = fc.oneof(number, text, fc.bigInt(), fc.constantFrom(undefined, null, true, false));

type Native = (...values: unknown[]) => unknown;

function nativeAt(path: string): unknown {
  let at: unknown = globalThis;
  for (const name of path.split(".")) at = (at as Record<string, unknown>)[name];
  return at;
}

const table: HostTable = {
  ...numberBuiltins,
  ...bigintBuiltins,
  ...booleanBuiltins,
  ...globalBuiltins,
  ...mathBuiltins,
  ...uriBuiltins,
};
const functions = Object.keys(table).filter((path) => table[path]!.call !== undefined && path !== "Math.random");

describe("numbers, bigints, booleans, Math and global functions against the host", () => {
  it.each(functions)("%s", (path) => {
    const native = nativeAt(path) as Native;
    const { call } = table[path]!;
    const receiver = path.startsWith("Number.prototype")
      ? number
      : path.startsWith("BigInt.prototype")
        ? fc.bigInt()
        : primitive;
    fc.assert(
      fc.property(
        fc.oneof({ weight: 8, arbitrary: receiver }, primitive),
        fc.array(primitive, { maxLength: 3 }),
        (self, values) => {
          const ours = outcome(context, () => call!(context, self, values));
          expect(ours).toEqual(outcome(context, () => native.apply(self, values)));
        },
      ),
      { seed: 51, numRuns: 400 },
    );
  });

  it.each(Object.keys(table).filter((path) => "value" in table[path]!))("%s", (path) => {
    expect(table[path]!.value).toBe(nativeAt(path));
  });

  it("writes numbers in every radix as V8 does", () => {
    fc.assert(
      fc.property(
        fc.oneof(number, fc.double({ min: -1e6, max: 1e6 })),
        fc.integer({ min: 2, max: 36 }),
        (value, radix) => {
          if (radix !== 10) expect(toRadix(value, radix)).toBe(value.toString(radix));
        },
      ),
      { seed: 52, numRuns: 20_000 },
    );
  });

  it("draws random numbers from the machine", () => {
    expect(mathBuiltins["Math.random"]!.call!(context, undefined, [])).toBe(0.5);
  });
});
