import { builtinAt } from "@cairnjs/ir";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { arrayBuiltins } from "../../src/builtins/array.ts";
import { errorBuiltins } from "../../src/builtins/error.ts";
import { objectBuiltins } from "../../src/builtins/object.ts";
import { VArray, type Value } from "../../src/heap/value.ts";
import { hostContext, outcome, toNative, toVm } from "./host-context.ts";

const context = hostContext({ ...arrayBuiltins, ...objectBuiltins, ...errorBuiltins });
const SEED = 411;

const METHODS = [
  "at",
  "concat",
  "copyWithin",
  "fill",
  "flat",
  "includes",
  "indexOf",
  "lastIndexOf",
  "pop",
  "push",
  "reverse",
  "shift",
  "slice",
  "splice",
  "toReversed",
  "toSpliced",
  "unshift",
  "with",
];

const element = fc.oneof(
  fc.constantFrom<unknown>(0, -0, NaN, 1, 2, 3, "a", "b", null, undefined, true, 5n),
  fc.array(fc.constantFrom<unknown>(1, "x", [7, [8, [9]]], undefined), { maxLength: 3 }),
);
const HOLE = Symbol("hole");
const list = fc.array(fc.oneof({ weight: 5, arbitrary: element }, { weight: 1, arbitrary: fc.constant(HOLE) }), {
  maxLength: 8,
});
const index = fc.oneof(
  fc.integer({ min: -10, max: 10 }),
  fc.constantFrom<unknown>(undefined, null, NaN, Infinity, -Infinity, 1.7, -1.2, "2", "x", true, -0, 2 ** 40),
);
const args = fc.oneof(
  fc.array(index, { maxLength: 4 }),
  fc.tuple(element, index, index),
  fc.tuple(element, index),
  fc.array(element, { maxLength: 3 }),
);
const state = fc.constantFrom("plain", "plain", "plain", "frozen", "sealed", "fixed", "fixedLength", "object");

function native(items: readonly unknown[], how: string): unknown {
  const made: unknown[] = [];
  made.length = items.length;
  items.forEach((item, at) => {
    if (item !== HOLE) made[at] = structuredClone(item);
  });
  if (how === "frozen") Object.freeze(made);
  if (how === "sealed") Object.seal(made);
  if (how === "fixed") Object.preventExtensions(made);
  if (how === "fixedLength") Object.defineProperty(made, "length", { writable: false });
  if (how === "object") return { ...made, length: made.length };
  return made;
}

function ours(value: unknown, how: string): Value {
  const made = toVm(context, value);
  const call = (path: string, ...given: Value[]): Value => objectBuiltins[path]!.call!(context, undefined, given);
  if (how === "frozen") call("Object.freeze", made);
  if (how === "sealed") call("Object.seal", made);
  if (how === "fixed") call("Object.preventExtensions", made);
  if (how === "fixedLength" && made instanceof VArray) made.lengthFixed = true;
  return made;
}

for (const method of METHODS) {
  test(`${method} does to arrays of every state what V8 does, seed ${SEED}`, () => {
    const property = fc.property(list, state, args, (items, how, given) => {
      const { actual, expected } = compare(method, items, how, given);
      expect(actual).toStrictEqual(expected);
    });
    fc.assert(property, { seed: SEED, numRuns: 1500 });
  });
}

function compare(
  method: string,
  items: readonly unknown[],
  how: string,
  given: readonly unknown[],
): { actual: unknown; expected: unknown } {
  // V8's message prints the object itself, which a host function does not get to see.
  fc.pre(method !== "with" || typeof given[0] !== "object");
  const receiver = native(items, how);
  const receiverVm = ours(receiver, how);
  // The machine makes an object primitive where the list tells a hint.
  const { coerce } = builtinAt(`Array.prototype.${method}`)!;
  const givenVm = given.map((item, at) =>
    typeof item === "object" && item !== null && (coerce[at + 1] ?? coerce.at(-1)) === "n"
      ? String(item)
      : toVm(context, item),
  );
  const call = arrayBuiltins[`Array.prototype.${method}`]!.call!;
  const actual = outcome(() => {
    const result = call(context, receiverVm, givenVm);
    return result === receiverVm ? "itself" : toNative(result);
  });
  const expected = outcome(() => {
    const result: unknown = Reflect.apply(Array.prototype[method as "at"], receiver, given);
    return result === receiver ? "itself" : result;
  });
  return { actual: [actual, toNative(receiverVm)], expected: [expected, receiver] };
}

function callOf(path: string, self: Value, ...given: unknown[]): unknown {
  return outcome(() =>
    toNative(
      arrayBuiltins[path]!.call!(
        context,
        self,
        given.map((item) => toVm(context, item)),
      ),
    ),
  );
}

test("Array.of, Array and isArray", () => {
  for (const given of [[], [3], [1, 2], ["3"], [-1], [1.5], [undefined], [2 ** 32]]) {
    expect(callOf("Array", undefined, ...given)).toStrictEqual(outcome(() => Array(...(given as number[]))));
    expect(callOf("Array.of", undefined, ...given)).toStrictEqual(outcome(() => Array.of(...given)));
  }
  for (const value of [[], {}, "a", null, undefined, 1]) {
    expect(callOf("Array.isArray", undefined, value)).toStrictEqual(outcome(() => Array.isArray(value)));
  }
});

test("receivers that are null, undefined or primitives", () => {
  for (const method of METHODS) {
    const call = arrayBuiltins[`Array.prototype.${method}`]!.call!;
    for (const self of [null, undefined]) {
      expect(outcome(() => call(context, self, [1, 2]))).toStrictEqual(
        outcome(() => Reflect.apply(Array.prototype[method as "at"], self, [1, 2])),
      );
    }
    expect(() => call(context, "text", [])).toThrow("not supported in workflows");
  }
});

test("an array with its own constructor is refused where V8 asks for the species", () => {
  const array = toVm(context, [1, 2]) as VArray;
  array.write("constructor", undefined);
  for (const method of ["concat", "flat", "slice", "splice"]) {
    expect(() => arrayBuiltins[`Array.prototype.${method}`]!.call!(context, array, [0, 1])).toThrow("not supported");
  }
});
