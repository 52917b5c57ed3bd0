import { VMap, VSet } from "../heap/collection.ts";
import { VObject, type Value } from "../heap/value.ts";
import { type HostContext, throwError } from "../machine/host.ts";
import type { OperationTable } from "./host-table.ts";
import { newIterator } from "./iterate.ts";
import { isCallable } from "../machine/callable.ts";
import { printed } from "./printed.ts";

/** What the prelude needs for `forEach` of Map and Set. */
export const collectionOperations: OperationTable = {
  mapKeys(context, [map, callback]) {
    if (!(map instanceof VMap)) incompatible(context, "Map", map);
    requireCallable(context, callback);
    return newIterator(context, "map", "keys", map);
  },
  mapValue: (_context, [map, key]) => (map as VMap).entries.get(key),
  setValues(context, [set, callback]) {
    if (!(set instanceof VSet)) incompatible(context, "Set", set);
    requireCallable(context, callback);
    return newIterator(context, "set", "values", set);
  },
};

function incompatible(context: HostContext, name: string, self: Value): never {
  const path = `${name}.prototype.forEach`;
  throwError(context, "TypeError", `Method ${path} called on incompatible receiver ${printed(context, self)}`);
}

function requireCallable(context: HostContext, callback: Value): void {
  if (!isCallable(callback)) throwError(context, "TypeError", `${callSite(callback)} is not a function`);
}

/** As V8 names a value that no source text stands for: its type, and its text when it is short work. */
function callSite(value: Value): string {
  if (value === undefined) return "undefined";
  if (typeof value === "string") return `string "${value}"`;
  if (value instanceof VObject) return "object";
  return typeof value === "bigint" ? "bigint" : `${typeof value} ${String(value)}`;
}
