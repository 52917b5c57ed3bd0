import { VArray, VObject, type Value } from "../heap/value.ts";
import { type HostContext, throwError } from "../machine/host.ts";
import {
  clampIndex,
  deleteElement,
  elementAt,
  hasElement,
  isOrdinary,
  lengthOf,
  receiver,
  setElementAt,
  setLengthOf,
} from "./array-like.ts";
import { copyRange } from "./array-read.ts";
import type { HostTable } from "./host-table.ts";
import { toInteger } from "./number-conversion.ts";

/**
 * Methods that change their array: on ordinary arrays by the host's own method, on frozen, sealed and array-like
 * ones element by element, in ECMA-262's order, since an error may stop them half-way.
 */
export const arrayEditBuiltins: HostTable = {
  "Array.prototype.copyWithin": { call: copyWithin },
  "Array.prototype.fill": { call: fill },
  "Array.prototype.pop": { call: pop },
  "Array.prototype.push": { call: push },
  "Array.prototype.reverse": { call: reverse },
  "Array.prototype.shift": { call: shift },
  "Array.prototype.splice": { call: splice },
  "Array.prototype.unshift": { call: unshift },
};

function push(context: HostContext, self: Value, args: readonly Value[]): number {
  if (self instanceof VArray && isOrdinary(self)) {
    context.touch(self);
    context.charge(args.length, args.length * 8);
    const { items } = self;
    if (items.length + args.length > 4294967295) throwError(context, "TypeError", "Invalid array length");
    for (let index = 0; index < args.length; index++) items.push(args[index]);
    return items.length;
  }
  const object = receiver(context, self);
  const length = lengthOf(context, object);
  if (length + args.length > Number.MAX_SAFE_INTEGER) {
    const what = `Pushing ${args.length} elements on an array-like of length ${length}`;
    throwError(context, "TypeError", `${what} is disallowed, as the total surpasses 2**53-1`);
  }
  // V8 writes the length of an array that gets nothing only when it is frozen.
  if (args.length === 0 && object instanceof VArray && !object.frozen) return length;
  args.forEach((item, at) => setElementAt(context, object, length + at, item));
  setLengthOf(context, object, length + args.length);
  return length + args.length;
}

function pop(context: HostContext, self: Value): Value {
  const object = receiver(context, self);
  if (isOrdinary(object)) {
    context.touch(object);
    return object.items.pop();
  }
  const length = lengthOf(context, object);
  if (length === 0) {
    setLengthOf(context, object, 0);
    return undefined;
  }
  const item = elementAt(context, object, length - 1);
  deleteElement(context, object, length - 1);
  setLengthOf(context, object, length - 1);
  return item;
}

function shift(context: HostContext, self: Value): Value {
  const object = receiver(context, self);
  const length = lengthOf(context, object);
  if (isOrdinary(object)) {
    context.touch(object);
    // V8 moves the start of most arrays; beyond some size it copies.
    context.charge(length / 64, 0);
    return object.items.shift();
  }
  if (length === 0) {
    setLengthOf(context, object, 0);
    return undefined;
  }
  const first = elementAt(context, object, 0);
  for (let index = 1; index < length; index++) moveElement(context, object, index, index - 1);
  deleteElement(context, object, length - 1);
  setLengthOf(context, object, length - 1);
  return first;
}

function unshift(context: HostContext, self: Value, args: readonly Value[]): number {
  const object = receiver(context, self);
  const length = lengthOf(context, object);
  if (isOrdinary(object)) {
    context.touch(object);
    context.charge(1 + (length + args.length) / 8, args.length * 8);
    if (length + args.length > 4294967295) throwError(context, "TypeError", "Invalid array length");
    return insert(object.items, 0, 0, args);
  }
  if (args.length > 0) {
    if (length + args.length > Number.MAX_SAFE_INTEGER) throwError(context, "TypeError", "Invalid array length");
    for (let index = length - 1; index >= 0; index--) moveElement(context, object, index, index + args.length);
    args.forEach((item, at) => setElementAt(context, object, at, item));
  }
  setLengthOf(context, object, length + args.length);
  return length + args.length;
}

function splice(context: HostContext, self: Value, args: readonly Value[]): Value {
  const object = receiver(context, self);
  const length = lengthOf(context, object);
  const start = clampIndex(toInteger(context, args[0]), length);
  const added = args.slice(2);
  const removed =
    args.length === 0
      ? 0
      : args.length === 1
        ? length - start
        : Math.min(Math.max(toInteger(context, args[1]), 0), length - start);
  if (length + added.length - removed > Number.MAX_SAFE_INTEGER)
    throwError(context, "TypeError", "Invalid array length");
  const cut = copyRange(context, object, start, removed);
  if (isOrdinary(object)) {
    context.touch(object);
    context.charge(1 + (length - start + added.length) / 8, added.length * 8);
    insert(object.items, start, removed, added);
    return cut;
  }
  const shiftBy = added.length - removed;
  if (shiftBy < 0) {
    for (let index = start + removed; index < length; index++) moveElement(context, object, index, index + shiftBy);
    for (let index = length - 1; index >= length + shiftBy; index--) {
      context.charge(4, 0);
      deleteElement(context, object, index);
    }
  } else if (shiftBy > 0) {
    for (let index = length - 1; index >= start + removed; index--)
      moveElement(context, object, index, index + shiftBy);
  }
  added.forEach((item, at) => setElementAt(context, object, start + at, item));
  setLengthOf(context, object, length + shiftBy);
  return cut;
}

/** As host `splice`, without passing a long list as arguments. Returns the new length. */
function insert(items: Value[], start: number, removed: number, added: readonly Value[]): number {
  if (added.length <= 1000) {
    items.splice(start, removed, ...added);
    return items.length;
  }
  const tail = items.slice(start + removed);
  items.length = start;
  for (const item of added) items.push(item);
  const base = items.length;
  items.length = base + tail.length;
  // forEach passes over the holes of the tail, and so keeps them.
  tail.forEach((item, at) => {
    items[base + at] = item;
  });
  return items.length;
}

/** Writes the element at `from` to `to`, or removes the one at `to` when there is a hole. */
function moveElement(context: HostContext, object: VObject, from: number, to: number): void {
  context.charge(4, 0);
  if (hasElement(object, from)) setElementAt(context, object, to, elementAt(context, object, from));
  else deleteElement(context, object, to);
}

function reverse(context: HostContext, self: Value): Value {
  const object = receiver(context, self);
  const length = lengthOf(context, object);
  if (isOrdinary(object)) {
    context.touch(object);
    context.charge(1 + length / 8, 0);
    object.items.reverse();
    return object;
  }
  for (let low = 0, high = length - 1; low < high; low++, high--) {
    context.charge(8, 0);
    const hasLow = hasElement(object, low);
    const hasHigh = hasElement(object, high);
    const lowItem = elementAt(context, object, low);
    const highItem = elementAt(context, object, high);
    if (hasHigh) setElementAt(context, object, low, highItem);
    else if (hasLow) deleteElement(context, object, low);
    if (hasLow) setElementAt(context, object, high, lowItem);
    else if (hasHigh) deleteElement(context, object, high);
  }
  return object;
}

function fill(context: HostContext, self: Value, args: readonly Value[]): Value {
  const object = receiver(context, self);
  const length = lengthOf(context, object);
  const start = clampIndex(toInteger(context, args[1]), length);
  const end = args[2] === undefined ? length : clampIndex(toInteger(context, args[2]), length);
  if (isOrdinary(object)) {
    const count = Math.max(end - start, 0);
    context.charge(1 + count, count * 8);
    context.touch(object);
    object.items.fill(args[0], start, end);
    return object;
  }
  for (let index = start; index < end; index++) {
    context.charge(4, 0);
    setElementAt(context, object, index, args[0]);
  }
  return object;
}

function copyWithin(context: HostContext, self: Value, args: readonly Value[]): Value {
  const object = receiver(context, self);
  const length = lengthOf(context, object);
  const to = clampIndex(toInteger(context, args[0]), length);
  const from = clampIndex(toInteger(context, args[1]), length);
  const end = args[2] === undefined ? length : clampIndex(toInteger(context, args[2]), length);
  const count = Math.min(end - from, length - to);
  if (count <= 0) return object;
  if (isOrdinary(object)) {
    context.charge(1 + count / 8, count * 8);
    context.touch(object);
    object.items.copyWithin(to, from, end);
    return object;
  }
  const backwards = from < to && to < from + count;
  for (let step = 0; step < count; step++) {
    const at = backwards ? count - 1 - step : step;
    moveElement(context, object, from + at, to + at);
  }
  return object;
}
