import { sameValueZero, strictEquals } from "../heap/durable.ts";
import type { IteratorMode } from "../heap/collection.ts";
import { Kind, VArray, VObject, type Value } from "../heap/value.ts";
import { type HostContext, throwError } from "../machine/host.ts";
import { clampIndex, elementAt, hasElement, lengthOf, newArray, receiver, requirePlainSpecies } from "./array-like.ts";
import type { HostEntry, HostTable } from "./host-table.ts";
import { newIterator } from "./iterate.ts";
import { toInteger } from "./number-conversion.ts";
import { chargeEquality } from "./string-conversion.ts";

/** Methods that leave their array as it is. */
export const arrayReadBuiltins: HostTable = {
  "Array.prototype.at": {
    call(context, self, args) {
      const object = receiver(context, self);
      const length = lengthOf(context, object);
      const relative = toInteger(context, args[0]);
      const index = relative < 0 ? length + relative : relative;
      return index < 0 || index >= length ? undefined : elementAt(context, object, index);
    },
  },
  "Array.prototype.concat": { call: concat },
  "Array.prototype.entries": iterators("entries"),
  "Array.prototype.flat": { call: flat },
  "Array.prototype.includes": { call: includes },
  "Array.prototype.indexOf": { call: indexOf },
  "Array.prototype.keys": iterators("keys"),
  "Array.prototype.lastIndexOf": { call: lastIndexOf },
  "Array.prototype.slice": {
    call(context, self, args) {
      const object = receiver(context, self);
      const length = lengthOf(context, object);
      const start = clampIndex(toInteger(context, args[0]), length);
      const end = args[1] === undefined ? length : clampIndex(toInteger(context, args[1]), length);
      return copyRange(context, object, start, Math.max(end - start, 0));
    },
  },
  "Array.prototype.toReversed": {
    call: (context, self) => newArray(context, listOf(context, receiver(context, self)).reverse()),
  },
  "Array.prototype.toSpliced": { call: toSpliced },
  "Array.prototype.values": iterators("values"),
  "Array.prototype.with": { call: withItem },
};

/** An array of `count` elements from `start` on, holes kept. Asks for the species, as `slice` and `splice` do. */
export function copyRange(context: HostContext, object: VObject, start: number, count: number): VArray {
  requirePlainSpecies(object);
  if (count > 4294967295) throwError(context, "RangeError", "Invalid array length");
  context.charge(1 + count, 0);
  if (object instanceof VArray) return newArray(context, object.items.slice(start, start + count));
  const items: Value[] = [];
  for (let at = 0; at < count; at++) {
    context.charge(4, 8);
    if (hasElement(object, start + at)) items[at] = elementAt(context, object, start + at);
  }
  items.length = count;
  return newArray(context, items);
}

/** Every element as a host list, holes as undefined: what the `to…` methods start from. */
function listOf(context: HostContext, object: VObject): Value[] {
  const length = lengthOf(context, object);
  if (length > 4294967295) throwError(context, "RangeError", "Invalid array length");
  context.charge(1 + length, length * 8);
  if (object instanceof VArray) return Array.from(object.items);
  return Array.from({ length }, (_, index) => elementAt(context, object, index));
}

function concat(context: HostContext, self: Value, args: readonly Value[]): Value {
  const object = receiver(context, self, "Array.prototype.concat");
  requirePlainSpecies(object);
  let total = 0;
  for (const part of [object, ...args]) total += part instanceof VArray ? part.items.length : 1;
  if (total > 4294967295) throwError(context, "RangeError", "Invalid array length");
  context.charge(1 + total * 2, 0);
  const parts = args.map((part) => (part instanceof VArray ? part.items : [part]));
  const first = object instanceof VArray ? object.items : [object as Value];
  return newArray(context, first.concat(...parts));
}

function includes(context: HostContext, self: Value, args: readonly Value[]): boolean {
  const object = receiver(context, self);
  const length = lengthOf(context, object);
  if (length === 0) return false;
  const start = clampIndex(toInteger(context, args[1]), length);
  if (object instanceof VArray && !isDurable(args[0])) {
    context.charge(1 + (length - start) / 8, 0);
    chargeSearch(context, object.items, start, args[0]);
    return object.items.includes(args[0], start);
  }
  for (let index = start; index < length; index++) {
    context.charge(1, 0);
    const item = elementAt(context, object, index);
    chargeEquality(context, item, args[0]);
    if (sameValueZero(item, args[0])) return true;
  }
  return false;
}

/** Elements are looked at one by one here only where each may be long. */
function chargeSearch(context: HostContext, items: readonly Value[], start: number, sought: Value): void {
  if (typeof sought !== "string") return;
  for (let index = start; index < items.length; index++) chargeEquality(context, items[index], sought);
}

function indexOf(context: HostContext, self: Value, args: readonly Value[]): number {
  const object = receiver(context, self, "Array.prototype.indexOf");
  const length = lengthOf(context, object);
  if (length === 0) return -1;
  const start = clampIndex(toInteger(context, args[1]), length);
  if (object instanceof VArray && !isDurable(args[0])) {
    context.charge(1 + (length - start) / 8, 0);
    chargeSearch(context, object.items, start, args[0]);
    return object.items.indexOf(args[0], start);
  }
  for (let index = start; index < length; index++) {
    context.charge(1, 0);
    if (!hasElement(object, index)) continue;
    const item = elementAt(context, object, index);
    chargeEquality(context, item, args[0]);
    if (strictEquals(item, args[0])) return index;
  }
  return -1;
}

function lastIndexOf(context: HostContext, self: Value, args: readonly Value[]): number {
  const object = receiver(context, self);
  const length = lengthOf(context, object);
  if (length === 0) return -1;
  // A second argument that is undefined counts as 0; none at all as the last index.
  const relative = args.length > 1 ? toInteger(context, args[1]) : length - 1;
  const start = relative < 0 ? length + relative : Math.min(relative, length - 1);
  for (let index = start; index >= 0; index--) {
    context.charge(1, 0);
    if (!hasElement(object, index)) continue;
    const item = elementAt(context, object, index);
    chargeEquality(context, item, args[0]);
    if (strictEquals(item, args[0])) return index;
  }
  return -1;
}

/** References to one action are several objects and one value: the host's comparison does not know. */
function isDurable(value: Value): boolean {
  return value instanceof VObject && (value.kind === Kind.Durable || value.kind === Kind.Signal);
}

function flat(context: HostContext, self: Value, args: readonly Value[]): Value {
  const object = receiver(context, self);
  const length = lengthOf(context, object);
  const depth = args[0] === undefined ? 1 : toInteger(context, args[0]);
  requirePlainSpecies(object);
  const items: Value[] = [];
  // A stack of our own: an array may be nested as deep as memory allows.
  const open: { from: VObject; index: number; length: number }[] = [{ from: object, index: 0, length }];
  for (let level = open.at(-1); level !== undefined; level = open.at(-1)) {
    if (level.index >= level.length) {
      open.pop();
      continue;
    }
    context.charge(2, 0);
    const index = level.index++;
    if (!hasElement(level.from, index)) continue;
    const item = elementAt(context, level.from, index);
    if (item instanceof VArray && open.length <= depth) {
      context.charge(2, 48);
      open.push({ from: item, index: 0, length: item.items.length });
    } else {
      context.charge(0, 8);
      items.push(item);
    }
  }
  return newArray(context, items);
}

function toSpliced(context: HostContext, self: Value, args: readonly Value[]): Value {
  const object = receiver(context, self);
  const length = lengthOf(context, object);
  const start = clampIndex(toInteger(context, args[0]), length);
  const added = args.slice(2);
  const skipped =
    args.length === 0
      ? 0
      : args.length === 1
        ? length - start
        : Math.min(Math.max(toInteger(context, args[1]), 0), length - start);
  const total = length + added.length - skipped;
  if (total > Number.MAX_SAFE_INTEGER) throwError(context, "TypeError", "Invalid array length");
  if (total > 4294967295) throwError(context, "RangeError", "Invalid array length");
  const items = listOf(context, object);
  return newArray(context, [...items.slice(0, start), ...added, ...items.slice(start + skipped)]);
}

function withItem(context: HostContext, self: Value, args: readonly Value[]): Value {
  const object = receiver(context, self);
  const length = lengthOf(context, object);
  const relative = toInteger(context, args[0]);
  const index = relative < 0 ? length + relative : relative;
  if (index < 0 || index >= length) throwError(context, "RangeError", `Invalid index : ${args[0] as number}`);
  const items = listOf(context, object);
  items[index] = args[1];
  return newArray(context, items);
}

function iterators(mode: IteratorMode): HostEntry {
  return {
    call(context, self) {
      const object = receiver(context, self);
      return newIterator(context, object.kind === Kind.Bytes ? "bytes" : "array", mode, object);
    },
  };
}
