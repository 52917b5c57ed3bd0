import * as fc from "fast-check";
import { expect, test } from "vitest";
import { hostContext, outcome, toNative, toVm } from "../../test/builtins/host-context.ts";
import { VBytes } from "../heap/data.ts";
import { VObject, type Value } from "../heap/value.ts";
import { bytesBuiltins } from "./bytes.ts";
import { bytesOf } from "./bytes-receiver.ts";
import { errorBuiltins } from "./error.ts";

const context = hostContext({ ...bytesBuiltins, ...errorBuiltins });
const SEED = 20_261_115;

function call(name: string, self: Value, ...args: Value[]): Value {
  return bytesBuiltins[`TypedArray.prototype.${name}`]!.call!(context, self, args);
}

function plain(value: Value): unknown {
  return value instanceof VBytes ? Array.from(value.bytes) : value instanceof VObject ? toNative(value) : value;
}

const METHODS = [
  "at",
  "copyWithin",
  "fill",
  "includes",
  "indexOf",
  "join",
  "lastIndexOf",
  "reverse",
  "set",
  "slice",
  "subarray",
  "toReversed",
  "with",
];
const argument = fc.oneof(
  fc.integer({ min: -8, max: 8 }),
  fc.constantFrom(undefined, null, true, NaN, Infinity, -Infinity, -0, 1.5, 300, -1, "2", "x", "", 3n, 2 ** 40),
  fc.array(fc.oneof(fc.integer({ min: -5, max: 300 }), fc.constantFrom(undefined, "7", null, 2n, 1.9)), {
    maxLength: 4,
  }),
);

test("methods give and leave behind what V8's do, on views too", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 7 }),
      fc.integer({ min: 0, max: 3 }),
      fc.constantFrom(...METHODS),
      fc.array(argument, { maxLength: 3 }),
      (data, offset, method, args) => {
        // Objects become numbers before a host function sees them; only the source of `set` may be one.
        if (args.some((each, index) => Array.isArray(each) && (method !== "set" || index > 0))) return;
        const native = Uint8Array.from(data);
        const nativeView = native.subarray(offset);
        const whole = bytesOf(context, Uint8Array.from(data));
        const view = call("subarray", whole, offset);
        const run = Reflect.get(nativeView, method) as (...args: unknown[]) => unknown;
        const theirs = outcome(() => {
          const result = run.apply(nativeView, args);
          return result instanceof Uint8Array ? Array.from(result) : result;
        });
        expect(outcome(() => plain(call(method, view, ...args.map((each) => toVm(context, each)))))).toEqual(theirs);
        expect(whole.bytes).toEqual(native);
      },
    ),
    { seed: SEED, numRuns: 20_000 },
  );
});

test("set copies within one buffer as if there were two", () => {
  const whole = bytesOf(context, Uint8Array.of(1, 2, 3, 4, 5));
  call("set", whole, call("subarray", whole, 0, 3), 2);
  expect(plain(whole)).toEqual([1, 2, 1, 2, 3]);
});

test("a view knows its place in the buffer", () => {
  const view = call("subarray", call("subarray", bytesOf(context, new Uint8Array(10)), 2), 3, 5);
  const get = (name: string): Value => bytesBuiltins[`TypedArray.prototype.${name}`]!.get!(context, view, []);
  expect([get("byteOffset"), get("length"), get("byteLength")]).toEqual([5, 2, 2]);
});
