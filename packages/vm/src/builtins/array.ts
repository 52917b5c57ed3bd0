import { VArray, VObject, type Value } from "../heap/value.ts";
import { type HostContext, throwError, unsupported } from "../machine/host.ts";
import { arrayEditBuiltins } from "./array-edit.ts";
import { newArray, newHoles } from "./array-like.ts";
import { arrayReadBuiltins } from "./array-read.ts";
import type { HostTable } from "./host-table.ts";

/** The methods of arrays that call nothing back. Those that do are in the prelude. */
export const arrayBuiltins: HostTable = {
  Array: { call: construct, construct },
  "Array.isArray": { call: (context, _self, args) => args[0] instanceof VArray || isArrayPrototype(context, args[0]) },
  "Array.of": {
    call(context, self, args) {
      requireArrayConstructor(context, self);
      return newArray(context, [...args]);
    },
  },
  "Array.prototype.length": { value: 0 },
  ...arrayReadBuiltins,
  ...arrayEditBuiltins,
};

function construct(context: HostContext, _newTarget: Value, args: readonly Value[]): Value {
  const length = args[0];
  if (args.length !== 1 || typeof length !== "number") return newArray(context, [...args]);
  if (length >>> 0 !== length) throwError(context, "RangeError", "Invalid array length");
  return newHoles(context, length);
}

/** V8's is an array itself, with no elements. */
function isArrayPrototype(context: HostContext, value: Value): boolean {
  return value === context.realm.arrayPrototype;
}

/** `Array.of` and `Array.from` construct their `this` when it is a constructor; only Array's own is offered. */
export function requireArrayConstructor(context: HostContext, self: Value): void {
  if (self instanceof VObject && self !== context.realm.intrinsics.get("Array"))
    unsupported("making an array of another class");
}
