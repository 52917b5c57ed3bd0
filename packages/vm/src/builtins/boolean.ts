import { VObject, type Value } from "../heap/value.ts";
import { type HostContext, throwError } from "../machine/host.ts";
import type { HostTable } from "./host-table.ts";

export const booleanBuiltins: HostTable = {
  Boolean: { call: (_context, _self, [value]) => value instanceof VObject || Boolean(value) },
  "Boolean.prototype.toString": { call: (context, self) => String(receiver(context, self, "toString")) },
  "Boolean.prototype.valueOf": { call: (context, self) => receiver(context, self, "valueOf") },
};

function receiver(context: HostContext, self: Value, name: string): boolean {
  if (typeof self === "boolean") return self;
  // The one boxed boolean there is.
  if (self === context.realm.booleanPrototype) return false;
  return throwError(context, "TypeError", `Boolean.prototype.${name} requires that 'this' be a Boolean`);
}
