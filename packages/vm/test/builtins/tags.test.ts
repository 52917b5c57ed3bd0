import { builtins } from "@cairnjs/ir";
import { expect, test } from "vitest";
import { arrayBuiltins } from "../../src/builtins/array.ts";
import { errorBuiltins } from "../../src/builtins/error.ts";
import { newIterator } from "../../src/builtins/iterate.ts";
import { objectBuiltins } from "../../src/builtins/object.ts";
import { printed, tagOf } from "../../src/builtins/printed.ts";
import { VMap, VSet } from "../../src/heap/collection.ts";
import { VDate, VError, VRegExp, VUrl, VUrlParams } from "../../src/heap/data.ts";
import { VArray, VPlain, type Value } from "../../src/heap/value.ts";
import { hostContext } from "./host-context.ts";

const context = hostContext({ ...arrayBuiltins, ...objectBuiltins, ...errorBuiltins });
const { realm } = context;

const prototypeOf = (value: unknown): unknown => Object.getPrototypeOf(value);
const nativeRoots: Record<string, unknown> = {
  "TypedArray.prototype": prototypeOf(Uint8Array.prototype),
  "Iterator.prototype": prototypeOf(prototypeOf([].values())),
  "AsyncFunction.prototype": prototypeOf(async () => {}),
  "Array Iterator.prototype": prototypeOf([].values()),
  "String Iterator.prototype": prototypeOf(""[Symbol.iterator]()),
  "RegExp String Iterator.prototype": prototypeOf("".matchAll(/./g)),
  "Map Iterator.prototype": prototypeOf(new Map().values()),
  "Set Iterator.prototype": prototypeOf(new Set().values()),
  "URLSearchParams Iterator.prototype": prototypeOf(new URLSearchParams().values()),
};

test("every prototype and namespace has V8's tag", () => {
  const wrong: string[] = [];
  for (const { path, kind } of builtins) {
    if ((kind !== "prototype" && kind !== "namespace") || path.startsWith("cairn")) continue;
    const parts = path.split(".");
    const native =
      nativeRoots[path] ?? parts.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], globalThis);
    const expected = Object.prototype.toString.call(native);
    const actual = `[object ${tagOf(realm.intrinsics.get(path)!)}]`;
    if (actual !== expected) wrong.push(`${path}: ${actual}, V8 has ${expected}`);
  }
  expect(wrong).toEqual([]);
});

/** Pairs of ours and V8's. */
const values: [Value, unknown][] = [
  [undefined, undefined],
  [null, null],
  ["text", "text"],
  [5, 5],
  [5n, 5n],
  [true, true],
  [new VPlain(realm.objectPrototype), {}],
  [new VPlain(null), Object.create(null)],
  [withToString(), { toString: 1 }],
  [new VArray(realm.arrayPrototype, [1]), [1]],
  [new VMap(realm.prototype("Map")), new Map()],
  [new VSet(realm.prototype("Set")), new Set()],
  [new VDate(realm.prototype("Date"), 0), new Date(0)],
  [new VRegExp(realm.prototype("RegExp"), "a", ""), /a/],
  [new VUrl(realm.prototype("URL"), "http://a/"), new URL("http://a/")],
  [new VUrlParams(realm.prototype("URLSearchParams"), [], null), new URLSearchParams()],
  [newIterator(context, "array", "values", null), [].values()],
  [newIterator(context, "map", "values", null), new Map().values()],
  [context.newError("TypeError", "boo"), new TypeError("boo")],
  [new VError(realm.prototype("RangeError")), new RangeError()],
];

function withToString(): VPlain {
  const made = new VPlain(realm.objectPrototype);
  made.write("toString", 1);
  return made;
}

test("values have V8's tag, and are printed in messages as V8 prints them", () => {
  for (const [ours, native] of values) {
    expect(`[object ${tagOf(ours)}]`).toBe(Object.prototype.toString.call(native));
    expect(`${printed(context, ours)} is not a function`).toBe(messageOf(() => [1].map(native as never)));
  }
});

function messageOf(run: () => unknown): string {
  try {
    run();
    return "nothing was thrown";
  } catch (error) {
    return (error as Error).message;
  }
}
