import * as fc from "fast-check";
import { expect, test } from "vitest";
import { arrayBuiltins } from "../../src/builtins/array.ts";
import { errorBuiltins } from "../../src/builtins/error.ts";
import { objectBuiltins } from "../../src/builtins/object.ts";
import type { Value } from "../../src/heap/value.ts";
import { hostContext, outcome, toNative, toVm } from "./host-context.ts";

const context = hostContext({ ...arrayBuiltins, ...objectBuiltins, ...errorBuiltins });
const SEED = 77;

/** One call of `Object.<method>` with the object under test first. */
interface Step {
  readonly method: string;
  readonly args: readonly unknown[];
}

const key = fc.constantFrom("a", "b", "0", "1", "7", "length", "__proto__", "constructor");
const value = fc.constantFrom<unknown>(0, -0, NaN, 1, 2, "x", null, undefined, true);
const flag = fc.option(fc.constantFrom<unknown>(true, false, 0, "yes", undefined), { nil: undefined });

/** Descriptors with any of their fields missing. */
const descriptor = fc.record({ value, writable: flag, enumerable: flag, configurable: flag }, { requiredKeys: [] });

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ method: fc.constant("defineProperty"), args: fc.tuple(key, fc.oneof(descriptor, value)) }),
  fc.record({
    method: fc.constant("defineProperties"),
    args: fc.tuple(
      fc.oneof(fc.dictionary(fc.constantFrom("a", "b", "1"), fc.oneof(descriptor, value), { maxKeys: 2 }), value),
    ),
  }),
  fc.record({ method: fc.constantFrom("getOwnPropertyDescriptor", "hasOwn"), args: fc.tuple(key) }),
  fc.record({
    method: fc.constantFrom(
      "freeze",
      "seal",
      "preventExtensions",
      "isFrozen",
      "isSealed",
      "isExtensible",
      "keys",
      "values",
      "entries",
      "getOwnPropertyNames",
      "getOwnPropertyDescriptors",
    ),
    args: fc.constant([]),
  }),
  fc.record({
    method: fc.constant("assign"),
    args: fc.array(
      fc.oneof(fc.dictionary(fc.constantFrom("a", "1", "z"), value, { maxKeys: 2 }), fc.constantFrom("hi", null, 5)),
      {
        maxLength: 2,
      },
    ),
  }),
);

const start = fc.oneof(
  fc.dictionary(fc.constantFrom("a", "b", "1", "10"), value, { maxKeys: 3 }),
  fc.array(value, { maxLength: 3 }),
  fc.constantFrom<unknown>("ab", 5, null, undefined, true, 7n),
);

test(`sequences of Object.* on objects, arrays and primitives, seed ${SEED}`, () => {
  let refused = 0;
  let compared = 0;
  const check = (origin: unknown, steps: readonly Step[]): void => {
    // fast-check makes null-prototype dictionaries; ours come from literals.
    const receiver: unknown =
      typeof origin === "object" && origin !== null && !Array.isArray(origin) ? { ...origin } : structuredClone(origin);
    const receiverVm = toVm(context, receiver);
    for (const { method, args } of steps) {
      const call = objectBuiltins[`Object.${method}`]!.call!;
      const actual = outcome(() => {
        const result = call(context, undefined, [receiverVm, ...args.map((item) => toVm(context, item))]);
        return result === receiverVm ? "itself" : toNative(result);
      });
      if (isRefusal(actual)) {
        refused++;
        return;
      }
      const expected = outcome(() => {
        const native = Object[method as "keys"] as (...given: unknown[]) => unknown;
        const result = native(receiver, ...args);
        return result === receiver ? "itself" : result;
      });
      expect(actual).toEqual(expected);
      expect(toNative(receiverVm)).toEqual(visible(receiver));
      compared++;
    }
  };
  fc.assert(fc.property(start, fc.array(step, { minLength: 1, maxLength: 6 }), check), { seed: SEED, numRuns: 4000 });
  expect(compared).toBeGreaterThan(5000);
  expect(refused).toBeLessThan(2000);
});

function isRefusal(result: unknown): boolean {
  return (
    typeof result === "object" &&
    result !== null &&
    "threw" in result &&
    String(result.threw).startsWith("UnsupportedBuiltin")
  );
}

/** What `toNative` shows of an object: all own properties of a plain one, the elements of an array. */
function visible(object: unknown): unknown {
  if (typeof object !== "object" || object === null || Array.isArray(object)) {
    return Array.isArray(object) ? Array.from(object as unknown[]) : object;
  }
  return Object.fromEntries(
    Object.entries(Object.getOwnPropertyDescriptors(object)).map(([name, own]) => [name, own.value as unknown]),
  );
}

test("null, undefined and primitives as receivers of Object.prototype's methods", () => {
  const methods = ["hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toString", "valueOf"] as const;
  for (const method of methods) {
    for (const self of [null, undefined, "ab", 5, true, 7n]) {
      for (const argument of ["0", "length", "x", {}]) {
        const given = toVm(context, argument);
        const actual = outcome(() =>
          objectBuiltins[`Object.prototype.${method}`]!.call!(context, self as Value, [given]),
        );
        if (isRefusal(actual)) continue;
        expect(actual).toEqual(outcome(() => Reflect.apply(Object.prototype[method], self, [argument])));
      }
    }
  }
});

test("Object.create takes null only", () => {
  const create = (...args: Value[]): Value => objectBuiltins["Object.create"]!.call!(context, undefined, args);
  expect(create(null)).toMatchObject({ proto: null });
  expect(toNative(create(null, toVm(context, { a: { value: 1, enumerable: true } })))).toEqual({ a: 1 });
  expect(() => create(toVm(context, {}))).toThrow("not supported");
  for (const wrong of [undefined, 1, "x"]) {
    expect(outcome(() => create(wrong))).toEqual(outcome(() => Object.create(wrong as unknown as null) as unknown));
  }
});
