import { KEY_FUEL, attributesOf } from "../heap/properties.ts";
import { materialise } from "../heap/closure-properties.ts";
import type { VBytes } from "../heap/data.ts";
import type { VClosure } from "../heap/function.ts";
import { CONFIGURABLE, Kind, type VArray, VObject, type Value, WRITABLE } from "../heap/value.ts";
import { type HostContext, throwError } from "../machine/host.ts";
import type { HostTable } from "./host-table.ts";

/**
 * Freezing, sealing, and asking for it. That a captured constant refuses writes is no part of this: to the
 * program it is as extensible as its source says.
 */
export const integrityBuiltins: HostTable = {
  "Object.freeze": { call: (context, _self, args) => restrict(context, args[0], "frozen") },
  "Object.seal": { call: (context, _self, args) => restrict(context, args[0], "sealed") },
  "Object.preventExtensions": { call: (context, _self, args) => restrict(context, args[0], "fixed") },
  "Object.isExtensible": { call: (_context, _self, args) => args[0] instanceof VObject && args[0].extensible },
  "Object.isFrozen": { call: (context, _self, args) => isRestricted(context, args[0], true) },
  "Object.isSealed": { call: (context, _self, args) => isRestricted(context, args[0], false) },
};

function restrict(context: HostContext, value: Value, level: "frozen" | "sealed" | "fixed"): Value {
  if (!(value instanceof VObject)) return value;
  if (level === "frozen" && value.kind === Kind.Bytes && (value as VBytes).bytes.length > 0) {
    throwError(context, "TypeError", "Cannot freeze array buffer views with elements");
  }
  context.touch(value);
  value.extensible = false;
  if (level === "fixed") return value;
  if (value.kind === Kind.Closure) materialise(value as VClosure);
  if (value.kind === Kind.Array) {
    const array = value as VArray;
    array.sealed = true;
    if (level === "frozen") array.frozen = true;
  }
  const keys = value.keys();
  context.charge(1 + keys.length * KEY_FUEL, keys.length * 24);
  const lost = level === "frozen" ? CONFIGURABLE | WRITABLE : CONFIGURABLE;
  for (const key of keys) {
    const attributes = attributesOf(value, key) & ~lost;
    (value.attributes ??= new Map()).set(key, attributes);
  }
  return value;
}

function isRestricted(context: HostContext, value: Value, frozen: boolean): boolean {
  if (!(value instanceof VObject)) return true;
  if (value.extensible) return false;
  if (value.kind === Kind.Array && !elementsRestricted(value as VArray, frozen)) return false;
  // V8 does not look at the elements of a byte array when asked whether it is sealed.
  if (value.kind === Kind.Bytes && frozen && (value as VBytes).bytes.length > 0) return false;
  if (value.kind === Kind.Closure) materialise(value as VClosure);
  const kept = frozen ? CONFIGURABLE | WRITABLE : CONFIGURABLE;
  const keys = value.keys();
  context.charge(1 + keys.length, 0);
  return keys.every((key) => (attributesOf(value, key) & kept) === 0);
}

/** V8 leaves `length` out of the question. */
function elementsRestricted(array: VArray, frozen: boolean): boolean {
  if (array.frozen || (array.sealed && !frozen)) return true;
  for (const _ in array.items) return false;
  return true;
}
