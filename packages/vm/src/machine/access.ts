import { toText } from "../builtins/string-conversion.ts";
import { deleteProperty, getProperty, hasProperty, lookUp, setProperty } from "../heap/properties.ts";
import { setElement } from "../heap/array-elements.ts";
import type { VBytes } from "../heap/data.ts";
import { Kind, type VArray, VObject, type Value } from "../heap/value.ts";
import { pushPrelude } from "./calls.ts";
import type { Frame } from "./frame.ts";
import { throwError } from "./host.ts";
import type { Machine } from "./machine.ts";

/** Property access on any value: receivers may be primitives, keys any primitive. */
export function getMember(machine: Machine, object: Value, key: string): Value {
  switch (typeof object) {
    case "object":
      if (object === null) break;
      return getProperty(machine, object, key);
    case "string": {
      if (key === "length") return object.length;
      const index = key.length > INDEX_LENGTH_MAX ? -1 : Number(key);
      if (key !== "" && index >= 0 && index < object.length && String(index) === key) return object[index];
      return lookUp(machine, machine.realm.stringPrototype, object, key);
    }
    case "number":
      return lookUp(machine, machine.realm.numberPrototype, object, key);
    case "boolean":
      return lookUp(machine, machine.realm.booleanPrototype, object, key);
    case "bigint":
      return lookUp(machine, machine.realm.bigintPrototype, object, key);
    default:
  }
  throwError(machine, "TypeError", `Cannot read properties of ${String(object)} (reading '${key}')`);
}

/** True when the value stands in the result register, false when a prelude frame was pushed to find the key. */
export function getComputed(machine: Machine, frame: Frame, result: number, object: Value, key: Value): boolean {
  if (typeof key === "number" && typeof object === "object" && object !== null && key >>> 0 === key) {
    if (object.kind === Kind.Array && key !== 4294967295) {
      frame.registers[result] = (object as VArray).items[key];
      return true;
    }
    if (object.kind === Kind.Bytes) {
      frame.registers[result] = (object as VBytes).bytes[key];
      return true;
    }
  }
  if (object === undefined || object === null) {
    const name = key instanceof VObject ? "" : ` (reading '${String(key)}')`;
    throwError(machine, "TypeError", `Cannot read properties of ${String(object)}${name}`);
  }
  if (key instanceof VObject) return pushPrelude(machine, frame, result, "getComputed", [object, key]);
  frame.registers[result] = getMember(machine, object, keyText(machine, key));
  return true;
}

export function setMember(machine: Machine, object: Value, key: string, value: Value): void {
  if (object instanceof VObject) {
    setProperty(machine, object, key, value);
    return;
  }
  if (object === undefined || object === null) {
    throwError(machine, "TypeError", `Cannot set properties of ${String(object)} (setting '${key}')`);
  }
  const shown = `${typeof object} '${String(object)}'`;
  if (typeof object === "string" && isOwnOfString(object, key)) {
    throwError(machine, "TypeError", `Cannot assign to read only property '${key}' of ${shown}`);
  }
  throwError(machine, "TypeError", `Cannot create property '${key}' on ${shown}`);
}

/** With a constant key. False when the value must first be made a number, for an element of a byte array. */
export function setNamed(machine: Machine, frame: Frame, object: Value, key: string, value: Value): boolean {
  if (value instanceof VObject && object instanceof VObject && object.kind === Kind.Bytes) {
    return pushPrelude(machine, frame, -1, "setComputed", [object, key, value]);
  }
  setMember(machine, object, key, value);
  return true;
}

export function setComputed(machine: Machine, frame: Frame, object: Value, key: Value, value: Value): boolean {
  if (object === undefined || object === null) {
    const name = key instanceof VObject ? "" : ` (setting '${String(key)}')`;
    throwError(machine, "TypeError", `Cannot set properties of ${String(object)}${name}`);
  }
  const bytes = object instanceof VObject && object.kind === Kind.Bytes;
  if (key instanceof VObject || (bytes && (value instanceof VObject || typeof value === "bigint"))) {
    return pushPrelude(machine, frame, -1, "setComputed", [object, key, value]);
  }
  if (typeof key === "number" && object instanceof VObject && object.kind === Kind.Array && isIndex(key)) {
    machine.touch(object);
    setElement(machine, object as VArray, key, value);
    return true;
  }
  setMember(machine, object, keyText(machine, key), value);
  return true;
}

export function deleteMember(machine: Machine, object: Value, key: string): boolean {
  if (object instanceof VObject) return deleteProperty(machine, object, key);
  if (object === undefined || object === null) {
    throwError(machine, "TypeError", `Cannot convert undefined or null to object`);
  }
  if (typeof object === "string" && isOwnOfString(object, key)) {
    throwError(machine, "TypeError", `Cannot delete property '${key}' of [object String]`);
  }
  return true;
}

/** `length`, or the index of a character. */
function isOwnOfString(text: string, key: string): boolean {
  return Object.hasOwn(Object(text), key);
}

export function hasMember(machine: Machine, object: Value, key: string): boolean {
  if (object instanceof VObject) return hasProperty(object, key);
  const shown = typeof object === "string" ? object : String(object);
  throwError(machine, "TypeError", `Cannot use 'in' operator to search for '${key}' in ${shown}`);
}

/** A primitive as a property key. */
export function keyText(machine: Machine, key: Value): string {
  return typeof key === "string" ? key : toText(machine, key);
}

/** Longer names are no numbers: looking for one would read all of them. */
const INDEX_LENGTH_MAX = 32;

function isIndex(key: number): boolean {
  return key >>> 0 === key && key !== 4294967295;
}
