import { VBytes, VDate, VUrlParams } from "../heap/data.ts";
import { VBuiltin } from "../heap/function.ts";
import type { VArray, Value } from "../heap/value.ts";
import { type HostContext, throwError, unsupported } from "../machine/host.ts";
import { lengthOf, receiver } from "./array-like.ts";
import type { OperationTable } from "./host-table.ts";

/**
 * ECMA-262 reads some of the receiver's state before it makes the arguments primitive, and host functions read it
 * after. The prelude asks for it before and after: if an argument's `valueOf` has changed it, the run is refused.
 * A receiver of the wrong type is an error before any argument is looked at.
 */
export const coerceOperations: OperationTable = {
  stateBeforeArguments: (context, [builtin, self, args]) =>
    stateOf(context, (builtin as VBuiltin).path, self, (args as VArray).items[0]),
  requireState: (context, [builtin, self, args, before]) => {
    const { path } = builtin as VBuiltin;
    if (!Object.is(stateOf(context, path, self, (args as VArray).items[0]), before))
      unsupported(`an argument of ${path} that changes its receiver`);
    return undefined;
  },
  argumentNeeded: (_, [builtin, self, args, index]) =>
    argumentNeeded((builtin as VBuiltin).path, self, (args as VArray).items, index as number),
  argumentsMatter: (context, [builtin, self, before]) => argumentsMatter(context, builtin as VBuiltin, self, before),
};

/** Whether the built-in gets as far as looking at the argument, given the ones before it. */
function argumentNeeded(path: string, self: Value, args: readonly Value[], index: number): boolean {
  if (index === 0) return true;
  const before = args[index - 1];
  if (path === "String.fromCodePoint") {
    const point = Number(before);
    return Number.isInteger(point) && point >= 0 && point <= 0x10ffff;
  }
  if (path === "String.prototype.padStart" || path === "String.prototype.padEnd") {
    return index !== 1 || Number(before) >= String(self).length + 1;
  }
  // V8 asks an invalid date for nothing but its first argument, except where a year makes it valid again.
  if (path.startsWith("Date.prototype.set") && !path.endsWith("FullYear")) {
    return !(self instanceof VDate) || !Number.isNaN(self.time);
  }
  return true;
}

/** A search among no elements, and a method whose receiver is of the wrong type, end before they look at arguments. */
function argumentsMatter(context: HostContext, { path }: VBuiltin, self: Value, before: Value): boolean {
  const isSearch = /\.(?:includes|indexOf|lastIndexOf)$/.test(path);
  if (path.startsWith("Array.prototype.")) return !isSearch || before !== 0;
  if (path.startsWith("TypedArray.prototype.")) return self instanceof VBytes && !(isSearch && self.bytes.length === 0);
  if (path.startsWith("Number.prototype.")) return typeof self === "number" || self === context.realm.numberPrototype;
  if (path.startsWith("BigInt.prototype.")) return typeof self === "bigint";
  if (path.startsWith("URLSearchParams.prototype.")) return self instanceof VUrlParams;
  return true;
}

/** Methods for which V8's message about a missing receiver gives the method's name. */
const NAMED = new Set(["Array.prototype.concat", "Array.prototype.indexOf"]);

function stateOf(context: HostContext, path: string, self: Value, first: Value): Value {
  if (path.startsWith("Array.prototype.")) {
    return lengthOf(context, receiver(context, self, NAMED.has(path) ? path : ""));
  }
  if (path.startsWith("Date.prototype.set")) {
    if (!(self instanceof VDate)) throwError(context, "TypeError", "this is not a Date object.");
    return self.time;
  }
  if (path.startsWith("String.prototype.") && (self === undefined || self === null)) {
    throwError(context, "TypeError", `${path} called on null or undefined`);
  }
  if (OBJECT_FIRST.has(path) && (first === undefined || first === null)) {
    throwError(context, "TypeError", "Cannot convert undefined or null to object");
  }
  return undefined;
}

/** Their first argument is looked at before the key is made primitive. */
const OBJECT_FIRST = new Set(["Object.hasOwn", "Object.getOwnPropertyDescriptor"]);
