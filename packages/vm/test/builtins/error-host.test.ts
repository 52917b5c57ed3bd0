import { expect, test } from "vitest";
import { arrayBuiltins } from "../../src/builtins/array.ts";
import { errorBuiltins, throwDomException } from "../../src/builtins/error.ts";
import { objectBuiltins } from "../../src/builtins/object.ts";
import { attributesOf, getProperty } from "../../src/heap/properties.ts";
import { VError } from "../../src/heap/data.ts";
import { HIDDEN, type Value } from "../../src/heap/value.ts";
import { Thrown } from "../../src/machine/host.ts";
import { hostContext, outcome, toNative, toVm } from "./host-context.ts";

const context = hostContext({ ...arrayBuiltins, ...objectBuiltins, ...errorBuiltins });

const classes = [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError];
const argumentLists: unknown[][] = [
  [],
  [undefined],
  ["message"],
  [""],
  [5],
  [null],
  ["m", { cause: 1 }],
  ["m", { cause: undefined }],
  [undefined, { cause: "c" }],
  ["m", {}],
  ["m", null],
];

test("errors have V8's own properties, in its order, all hidden", () => {
  for (const native of classes) {
    for (const args of argumentLists) {
      const expected = new native(...(args as [string]));
      for (const way of ["call", "construct"] as const) {
        const actual = make(native.name, way, args);
        expect(actual.keys()).toEqual(Object.getOwnPropertyNames(expected));
        expect(actual.keys().map((key) => attributesOf(actual, key))).toEqual(actual.keys().map(() => HIDDEN));
        expect(getProperty(context, actual, "message")).toBe(expected.message);
        expect(getProperty(context, actual, "name")).toBe(expected.name);
        expect(getProperty(context, actual, "cause")).toBe(expected.cause);
      }
    }
  }
});

function make(path: string, way: "call" | "construct", args: readonly unknown[]): VError {
  const given = args.map((item) => toVm(context, item));
  return errorBuiltins[path]![way]!(context, undefined, given) as VError;
}

test("AggregateError takes an iterable first", () => {
  for (const args of [[[1, 2], "m", { cause: 3 }], [[]], ["ab"], [1], [undefined], [{}], [null]]) {
    const actual = outcome(() => {
      const error = make("AggregateError", "construct", args);
      return [error.keys(), toNative(error.read("errors"))];
    });
    const expected = outcome(() => {
      const error = new AggregateError(args[0] as Iterable<unknown>, args[1] as string, args[2] as ErrorOptions);
      return [Object.getOwnPropertyNames(error), error.errors];
    });
    expect(actual).toEqual(expected);
  }
});

test("the engine's errors have names without the prefix of their path", () => {
  const error = make("cairn.ActionTimeout", "construct", ["slow"]);
  expect(getProperty(context, error, "name")).toBe("ActionTimeout");
  expect(error.read("stack")).toMatch(/^ActionTimeout: slow\n/);
});

test("a DOMException has a stack of its own and reads the rest from it, as Node's has", () => {
  const native = nativeDomException();
  const ours = domException("InvalidCharacterError", "Invalid character");
  expect(ours.keys()).toEqual(Object.getOwnPropertyNames(native));
  for (const key of ["name", "message", "code"] as const) expect(getProperty(context, ours, key)).toBe(native[key]);
  ours.write("stack", undefined);
  expect(() => getProperty(context, ours, "name")).toThrow("not supported");
});

function domException(name: string, message: string): VError {
  try {
    return throwDomException(context, name, message);
  } catch (error) {
    return (error as Thrown).value as VError & Value;
  }
}

function nativeDomException(): DOMException {
  try {
    atob("*");
  } catch (error) {
    return error as DOMException;
  }
  throw new Error("atob accepted it");
}
