import { defineField, deleteProperty, getProperty, hasProperty, setProperty } from "../heap/properties.ts";
import { VArray, VObject, VPlain, type Value } from "../heap/value.ts";
import { isCallable } from "../machine/callable.ts";
import { throwError } from "../machine/host.ts";
import type { Machine } from "../machine/machine.ts";
import { requireArrayConstructor } from "./array.ts";
import { elementAt, hasElement, newHoles, receiver, requirePlainSpecies } from "./array-like.ts";
import type { OperationTable } from "./host-table.ts";
import { getIterator, tryIterator } from "./iterate.ts";
import { toLength } from "./number-conversion.ts";
import { printed } from "./printed.ts";
import { chargeText, toText } from "./string-conversion.ts";

/** What the prelude's array and object functions ask of the machine. Keys come as primitives. */
export const arrayOperations: OperationTable = {
  toObject: (context, [value, path]) => receiver(context, value, path as string),
  isObject: (_, [value]) => value instanceof VObject,
  isCallable: (_, [value]) => isCallable(value),
  isArray: (_, [value]) => value instanceof VArray,
  isIterable: (context, [value]) => tryIterator(context, value) !== null,
  iteratorOf: (context, [value]) => getIterator(context, value),
  lengthOf: (context, [object]) => {
    if (object instanceof VArray) return object.items.length;
    const length = getProperty(context, object as VObject, "length");
    return length instanceof VObject ? -1 : toLength(context, length);
  },
  toLength: (context, [value]) => toLength(context, value),
  get: (context, [object, key]) =>
    typeof key === "number"
      ? elementAt(context, object as VObject, key)
      : getProperty(context, object as VObject, key as string),
  has: (_, [object, key]) =>
    typeof key === "number" ? hasElement(object as VObject, key) : hasProperty(object as VObject, key as string),
  set: (context, [object, key, value]) => {
    setProperty(context, object as VObject, String(key), value);
    return undefined;
  },
  remove: (context, [object, key]) => deleteProperty(context, object as VObject, String(key)),
  define: (context, [object, key, value]) => {
    context.touch(object as VObject);
    defineField(context, object as VObject, String(key), value);
    return undefined;
  },
  throwNotFunction: (context, [value]) =>
    throwError(context, "TypeError", `${printed(context, value)} is not a function`),
  requireEntry: (context, [value]) => {
    if (value instanceof VObject) return undefined;
    throwError(context, "TypeError", `Iterator value ${printed(context, value)} is not an entry object`);
  },
  newArrayFor: (context, [object, length]) => {
    if (object instanceof VObject) requirePlainSpecies(object);
    return newHoles(context, length as number);
  },
  requireArrayConstructor: (context, [value]) => {
    requireArrayConstructor(context, value);
    return undefined;
  },
  joinPrimitives: (context, [object, separator]) =>
    object instanceof VArray ? joinPrimitives(context as Machine, object, separator as string) : undefined,
  isJoining: (context, [object]) => isJoining(context as Machine, object),
  fromPlainEntries: (context, [entries]) => fromPlainEntries(context as Machine, entries),
};

function joinPrimitives(machine: Machine, array: VArray, separator: string): string | undefined {
  const { items } = array;
  machine.charge(1 + items.length / 2, 0);
  let length = Math.max(items.length - 1, 0) * separator.length;
  for (const item of items) {
    if (item instanceof VObject) return undefined;
    // Numbers are at most 25 characters; what they come to exactly matters to nobody.
    length += typeof item === "string" ? item.length : 8;
  }
  chargeText(machine, length);
  // The host's join would cost less, and make texts of bigints without charge.
  let text = "";
  for (let index = 0; index < items.length; index++) {
    if (index > 0) text += separator;
    const item = items[index];
    if (item !== undefined && item !== null) text += toText(machine, item);
  }
  return text;
}

/** Calls under way are frames: no list of joins has to be kept, and an error that ends them needs no care. */
function isJoining(machine: Machine, object: Value): boolean {
  const unit = machine.preludeUnit("joinElements");
  let steps = 0;
  for (let frame = machine.frame; frame !== null; frame = frame.caller) {
    if ((++steps & 15) === 0) machine.charge(1, 0);
    if (frame.unit === unit && frame.registers[0] === object) return true;
  }
  return false;
}

function fromPlainEntries(machine: Machine, entries: Value): VPlain | undefined {
  if (!(entries instanceof VArray)) return undefined;
  machine.charge(1 + entries.items.length * 4, 0);
  for (const entry of entries.items) {
    if (!(entry instanceof VArray) || entry.items[0] instanceof VObject) return undefined;
  }
  const made = new VPlain(machine.realm.objectPrototype);
  for (const entry of entries.items as VArray[]) defineField(machine, made, String(entry.items[0]), entry.items[1]);
  return made;
}
