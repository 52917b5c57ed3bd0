import { ARRAY_LENGTH_MAX } from "../heap/array-elements.ts";
import { deleteProperty, getProperty, hasProperty, setProperty } from "../heap/properties.ts";
import { VArray, VObject, type Value } from "../heap/value.ts";
import { type HostContext, throwError, unsupported } from "../machine/host.ts";
import { toLength } from "./number-conversion.ts";

/**
 * Elements and length of any object, as ECMA-262's array methods see them. They are the slow way: methods on
 * ordinary arrays work on the host array directly.
 */

/** The receiver of an array method. V8 names the method for some of them only. */
export function receiver(context: HostContext, self: Value, path = ""): VObject {
  if (self instanceof VObject) return self;
  if (self === undefined || self === null) {
    const called = path === "" ? "Cannot convert undefined or null to object" : `${path} called on null or undefined`;
    throwError(context, "TypeError", called);
  }
  unsupported(`an array method on a ${typeof self}`);
}

export function lengthOf(context: HostContext, object: VObject): number {
  if (object instanceof VArray) return object.items.length;
  const length = getProperty(context, object, "length");
  if (length instanceof VObject) unsupported("an array-like whose length is an object");
  return toLength(context, length);
}

export function elementAt(context: HostContext, object: VObject, index: number): Value {
  if (object instanceof VArray && index < 4294967295) return object.items[index];
  return getProperty(context, object, String(index));
}

export function hasElement(object: VObject, index: number): boolean {
  if (object instanceof VArray && index < 4294967295) return index in object.items;
  return hasProperty(object, String(index));
}

export function setElementAt(context: HostContext, object: VObject, index: number, value: Value): void {
  setProperty(context, object, String(index), value);
}

export function deleteElement(context: HostContext, object: VObject, index: number): void {
  deleteProperty(context, object, String(index));
}

export function setLengthOf(context: HostContext, object: VObject, length: number): void {
  setProperty(context, object, "length", length);
}

/** An array whose elements any method may change directly on the host array. */
export function isOrdinary(object: VObject): object is VArray {
  return object instanceof VArray && object.extensible && !object.frozen && !object.sealed && !object.lengthFixed;
}

/** A relative index as `slice` and its like take it: from the end when negative, within 0 … length. */
export function clampIndex(relative: number, length: number): number {
  return relative < 0 ? Math.max(length + relative, 0) : Math.min(relative, length);
}

/**
 * Methods that make an array of the receiver's species ask its `constructor`. Ours are always Array's; an own
 * property of that name is the only way to tell.
 */
export function requirePlainSpecies(object: VObject): void {
  if (object instanceof VArray && object.has("constructor")) unsupported("an array with its own 'constructor'");
}

export function newArray(context: HostContext, items: Value[]): VArray {
  context.charge(items.length / 8, 64 + items.length * 8);
  return new VArray(context.realm.arrayPrototype, items);
}

/** A fresh array of holes. */
export function newHoles(context: HostContext, length: number): VArray {
  if (length > 4294967295) throwError(context, "RangeError", "Invalid array length");
  if (length > ARRAY_LENGTH_MAX) unsupported(`an array of length ${length}`);
  context.charge(length / 16, 64 + length);
  const items: Value[] = [];
  items.length = length;
  return new VArray(context.realm.arrayPrototype, items);
}
