import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fakeContext, outcome, toNative } from "../../test/text/fake-context.ts";
import type { Value } from "../heap/value.ts";
import { EngineError } from "../machine/host.ts";
import { stringOperations } from "./operations-string.ts";
import { stringBuiltins } from "./string.ts";

const context = fakeContext();

const characters = fc.constantFrom(
  ..."abAB \t\n$&`'<>1290\u00df\u0130\u03a3\u0301\u00e9\ufeff\ud83d\ude00",
  "\u{1f600}",
  "\ud800",
);
const text = fc.array(characters, { maxLength: 10 }).map((parts) => parts.join(""));
const position = fc.oneof(
  fc.integer({ min: -12, max: 12 }),
  fc.double(),
  fc.constantFrom(Infinity, -Infinity, NaN, -0, 1.9, -1.9),
);
const primitive = fc.oneof(text, position, fc.constantFrom(undefined, null, true, false, "1", "x", 3n));
const args = fc.array(primitive, { maxLength: 3 });
const receiver = fc.oneof({ weight: 6, arbitrary: text }, { weight: 1, arbitrary: primitive });

type Native = (...values: unknown[]) => unknown;

/** Sizes that V8 would make and we charge for are left to the tests of limits. */
function isHuge(values: readonly unknown[]): boolean {
  return values.some((value) => Number.isFinite(Number(value)) && Math.abs(Number(value)) > 1e6);
}

const hostMethods = Object.keys(stringBuiltins).filter(
  (path) => path.startsWith("String.prototype.") && stringBuiltins[path]!.call !== undefined,
);

describe("methods of strings against the host", () => {
  it.each(hostMethods)("%s", (path) => {
    const name = path.slice("String.prototype.".length);
    const native = (String.prototype as unknown as Record<string, Native>)[name]!;
    const { call } = stringBuiltins[path]!;
    fc.assert(
      fc.property(receiver, args, (self, values) => {
        if (/repeat|pad/.test(name) && isHuge(values)) return;
        const ours = outcome(context, () => call!(context, self, values));
        expect(ours).toEqual(outcome(context, () => native.apply(self, values)));
      }),
      { seed: 41, numRuns: 600 },
    );
  });

  it.each(["fromCharCode", "fromCodePoint"])("String.%s", (name) => {
    const native = (String as unknown as Record<string, Native>)[name]!;
    fc.assert(
      fc.property(fc.array(fc.oneof(primitive, fc.nat(0x120000))), (values) => {
        const ours = outcome(context, () => stringBuiltins[`String.${name}`]!.call!(context, undefined, values));
        expect(ours).toEqual(outcome(context, () => native(...values)));
      }),
      { seed: 42, numRuns: 600 },
    );
  });

  it.each(["endsWith", "includes", "startsWith", "split", "replace", "replaceAll"])("%s of primitives", (name) => {
    const native = (String.prototype as unknown as Record<string, Native>)[name]!;
    const operation = stringOperations[`text${name[0]!.toUpperCase()}${name.slice(1)}`]!;
    fc.assert(
      fc.property(receiver, args, (self, values) => {
        const ours = outcome(context, () => toNative(context, operation(context, [self, ...values])));
        expect(ours).toEqual(outcome(context, () => native.apply(self, values)));
      }),
      { seed: 43, numRuns: 2_000 },
    );
  });
});

describe("limits", () => {
  const poor = fakeContext();
  poor.charge = (_fuel, bytes) => {
    if (bytes > 1_000_000) throw new EngineError("StateTooLarge", "too large");
  };
  const method = (name: string, self: Value, ...values: Value[]): Value =>
    stringBuiltins[`String.prototype.${name}`]!.call!(poor, self, values);

  it("refuses a large result before the host makes it", () => {
    expect(() => method("repeat", "abc", 100_000_000)).toThrow(EngineError);
    expect(() => method("padEnd", "abc", 400_000_000, "xy")).toThrow(EngineError);
    expect(() => method("padStart", "abc", 400_000_000)).toThrow(EngineError);
  });

  it("throws V8's RangeError beyond V8's own limit", () => {
    const thrown = outcome(poor, () => method("repeat", "abc", 2 ** 29));
    expect(thrown).toMatchObject({ error: { name: "RangeError", message: "Invalid string length" } });
  });
});
