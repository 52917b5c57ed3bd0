import { type HostContext, throwError, unsupported } from "../machine/host.ts";
import { indexOfKey, setElement, setLength } from "./array-elements.ts";
import { hasPrototype, materialise } from "./closure-properties.ts";
import type { VBytes } from "./data.ts";
import { type VClosure, VGetter } from "./function.ts";
import { cannotDelete, describe, readOnly } from "./property-errors.ts";
import { UNSUPPORTED } from "./unsupported.ts";
import { CONFIGURABLE, ENUMERABLE, HIDDEN, Kind, PLAIN, type VArray, VObject, type Value, WRITABLE } from "./value.ts";

/**
 * Own properties and property access, as ECMA-262's ordinary and exotic objects have them. Keys are strings:
 * programs have no symbols. An accessor exists only on intrinsic objects (`VGetter`).
 */

/** What it costs to list a key, or copy the property: in an object with many of them, the host's look-up is slow. */
export const KEY_FUEL = 16;

export interface OwnProperty {
  value: Value;
  attributes: number;
}

/** Data properties only: own accessors of intrinsics appear as their VGetter. */
export function getOwn(object: VObject, key: string): OwnProperty | undefined {
  switch (object.kind) {
    case Kind.Array: {
      const array = object as VArray;
      if (key === "length")
        return { value: array.items.length, attributes: array.frozen || array.lengthFixed ? 0 : WRITABLE };
      const index = indexOfKey(key);
      if (index >= 0) {
        if (!(index in array.items)) return undefined;
        return { value: array.items[index], attributes: elementAttributes(array) };
      }
      break;
    }
    case Kind.Bytes: {
      const index = indexOfKey(key);
      if (index >= 0) {
        const bytes = (object as VBytes).bytes;
        return index < bytes.length ? { value: bytes[index], attributes: PLAIN } : undefined;
      }
      break;
    }
    case Kind.Closure:
      materialise(object as VClosure);
      break;
    default:
  }
  const value = object.read(key);
  if (value === undefined && !object.has(key)) return undefined;
  return { value, attributes: attributesOf(object, key) };
}

export function hasOwn(object: VObject, key: string): boolean {
  return getOwn(object, key) !== undefined;
}

export function hasProperty(object: VObject, key: string): boolean {
  for (let at: VObject | null = object; at !== null; at = at.proto) if (hasOwn(at, key)) return true;
  return false;
}

export function attributesOf(object: VObject, key: string): number {
  if (object.attributes === null) return PLAIN;
  return object.attributes.get(key) ?? PLAIN;
}

function elementAttributes(array: VArray): number {
  if (array.frozen) return ENUMERABLE;
  return array.sealed ? ENUMERABLE | WRITABLE : PLAIN;
}

/** `object[key]` for a receiver that is an object. */
export function getProperty(context: HostContext, object: VObject, key: string): Value {
  switch (object.kind) {
    case Kind.Array: {
      const items = (object as VArray).items;
      if (key === "length") return items.length;
      const index = indexOfKey(key);
      if (index >= 0) return items[index];
      break;
    }
    case Kind.Bytes: {
      const index = indexOfKey(key);
      if (index >= 0) return (object as VBytes).bytes[index];
      break;
    }
    case Kind.Closure: {
      const closure = object as VClosure;
      if (!closure.materialised) {
        if (key === "name") return closure.givenName ?? closure.unit.meta.name;
        if (key === "length") return closure.unit.meta.length;
        if (key === "prototype" && hasPrototype(closure)) unsupported("the prototype of a function");
      }
      break;
    }
    default:
  }
  return lookUp(context, object, object, key);
}

/** Looks a key up in bags along the prototypes, for a receiver that may be a primitive. */
export function lookUp(context: HostContext, start: VObject | null, receiver: Value, key: string): Value {
  for (let at = start; at !== null; at = at.proto) {
    const value = at.read(key);
    if (value !== undefined) {
      if (value instanceof VObject && value.kind === Kind.Getter) return readGetter(context, value, receiver, key);
      return value;
    }
    if (at.has(key)) return undefined;
  }
  return undefined;
}

function readGetter(context: HostContext, getter: VObject, receiver: Value, key: string): Value {
  if (!(getter instanceof VGetter)) {
    const isFunction = receiver instanceof VObject && receiver.kind !== Kind.Object;
    unsupported(key === "toString" && isFunction ? "the text of a function" : `the built-in property '${key}'`);
  }
  const get = getter.get;
  return get(context, receiver, []);
}

/** Of the names that V8 has and we do not, those whose assignment calls a setter. */
const ACCESSORS: ReadonlySet<string> = new Set(["__proto__", "arguments", "caller"]);

/** `object[key] = value` in strict mode, for a receiver that is an object. */
export function setProperty(context: HostContext, object: VObject, key: string, value: Value): void {
  context.touch(object);
  if (object.kind === Kind.Array && setArrayProperty(context, object as VArray, key, value)) return;
  if (object.kind === Kind.Bytes) {
    if (setByte(context, object as VBytes, key, value)) return;
  }
  if (object.kind === Kind.Closure) materialise(object as VClosure);
  if (object.has(key)) {
    if (object.attributes !== null && (attributesOf(object, key) & WRITABLE) === 0) readOnly(context, object, key);
    object.write(key, value);
    return;
  }
  for (let at = object.proto; at !== null; at = at.proto) {
    const inherited = at.read(key);
    if (inherited === undefined && !at.has(key)) continue;
    if (inherited instanceof VGetter) {
      if (inherited.set === null) {
        throwError(context, "TypeError", `Cannot set property ${key} of ${describe(object)} which has only a getter`);
      }
      inherited.set(context, object, [value]);
      return;
    }
    if (inherited === UNSUPPORTED) {
      if (ACCESSORS.has(key)) unsupported(`setting '${key}'`);
      break;
    }
    if ((attributesOf(at, key) & WRITABLE) === 0) readOnly(context, object, key);
    break;
  }
  if (!object.extensible) {
    throwError(context, "TypeError", `Cannot add property ${key}, object is not extensible`);
  }
  object.write(key, value);
  // Whether it has a shape is no matter of charges: that depends on what else the process has run.
  context.charge(KEY_FUEL, 16 + key.length);
}

/** A key that is a number names an element, or nothing at all: `-1` and `1.5` are never properties. */
function setByte(context: HostContext, object: VBytes, key: string, value: Value): boolean {
  const index = indexOfKey(key);
  if (index < 0 && key !== "-0" && (key.length >= 32 || String(Number(key)) !== key)) return false;
  if (typeof value === "bigint") throwError(context, "TypeError", "Cannot convert a BigInt value to a number");
  if (index < 0 || index >= object.bytes.length) return true;
  // The memory is the buffer's, which other views may share.
  context.touch(object.buffer);
  if (typeof value === "string") context.charge(value.length / 8, 0);
  object.bytes[index] = Number(value);
  return true;
}

function setArrayProperty(context: HostContext, array: VArray, key: string, value: Value): boolean {
  if (key === "length") {
    setLength(context, array, value);
    return true;
  }
  const index = indexOfKey(key);
  if (index < 0) return false;
  setElement(context, array, index, value);
  return true;
}

/** `delete object[key]` in strict mode: true, or a TypeError. */
export function deleteProperty(context: HostContext, object: VObject, key: string): boolean {
  const own = getOwn(object, key);
  if (own === undefined) return true;
  context.touch(object);
  if (object.kind === Kind.Bytes && indexOfKey(key) >= 0) cannotDelete(context, object, key);
  if ((own.attributes & CONFIGURABLE) === 0) cannotDelete(context, object, key);
  if (object.kind === Kind.Array) {
    const index = indexOfKey(key);
    if (index >= 0) {
      delete (object as VArray).items[index];
      return true;
    }
  }
  object.remove(key);
  object.attributes?.delete(key);
  return true;
}

/** Own keys in JavaScript's order: indices ascending, then strings as they were added. */
export function ownKeys(object: VObject): string[] {
  switch (object.kind) {
    case Kind.Array:
      return [...Object.keys((object as VArray).items), "length", ...object.keys()];
    case Kind.Bytes:
      return [...Object.keys((object as VBytes).bytes), ...object.keys()];
    case Kind.Closure:
      materialise(object as VClosure);
      return [...object.keys()];
    case Kind.Error:
      return object.keys().filter((key) => key !== ERROR_NAMES);
    default:
      return [...object.keys()];
  }
}

/** In an error's bag: the class names it was stored with, when its prototypes do not tell them. No own key. */
export const ERROR_NAMES = "\0names";

export function enumerableOwnKeys(object: VObject): string[] {
  if (object.kind === Kind.Object && object.attributes === null) return [...object.keys()];
  return ownKeys(object).filter((key) => {
    if (key === "length" && object.kind === Kind.Array) return false;
    return (attributesOf(object, key) & ENUMERABLE) !== 0;
  });
}

/** Creates or replaces a data property with exactly these attributes; the caller has validated the change. */
export function putOwn(context: HostContext, object: VObject, key: string, value: Value, attributes: number): void {
  context.touch(object);
  if (object.kind === Kind.Closure) materialise(object as VClosure);
  context.charge(4, 16 + key.length);
  object.write(key, value);
  if (attributes !== PLAIN) (object.attributes ??= new Map()).set(key, attributes);
  else object.attributes?.delete(key);
}

/** Own property of a literal or a fresh object: always plain, no prototype consulted. */
export function defineField(context: HostContext, object: VObject, key: string, value: Value): void {
  if (object.kind === Kind.Array) {
    const index = indexOfKey(key);
    if (index >= 0) {
      context.touch(object);
      setElement(context, object as VArray, index, value);
      return;
    }
  }
  putOwn(context, object, key, value, PLAIN);
}

/** Writes a property that `for…in` and `Object.keys` do not show: an error's message. */
export function putHidden(object: VObject, key: string, value: Value): void {
  object.write(key, value);
  (object.attributes ??= new Map()).set(key, HIDDEN);
}
