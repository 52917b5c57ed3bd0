import { VBytes } from "../heap/data.ts";
import { VArray, VObject, type Value } from "../heap/value.ts";
import { isCallable } from "../machine/callable.ts";
import { throwError } from "../machine/host.ts";
import { newArray } from "./array-like.ts";
import { bytesReceiver, newBytes, requireBytesConstructor, requirePlainSpecies, touchBytes } from "./bytes-receiver.ts";
import type { OperationTable } from "./host-table.ts";
import { DONE, getIterator, iterateStep } from "./iterate.ts";
import { toInteger, toNumber } from "./number-conversion.ts";
import { printed } from "./printed.ts";
import { toText } from "./string-conversion.ts";

/** What the prelude needs for the methods of Uint8Array that call back. */
export const bytesOperations: OperationTable = {
  /** The receiver and callback of a method that walks the elements: the number of them. */
  bytesWalk(context, [self, callback]) {
    const { bytes } = bytesReceiver(context, self);
    if (!isCallable(callback)) throwError(context, "TypeError", `${printed(context, callback)} is not a function`);
    return bytes.length;
  },
  bytesSpecies(_context, [self]) {
    requirePlainSpecies(self as VBytes);
    return undefined;
  },
  isBytes: (_context, [value]) => value instanceof VBytes,
  bytesConstructor(context, [self]) {
    requireBytesConstructor(context, self);
    return undefined;
  },
  /** Of a length: any primitive. */
  bytesOfLength(context, [length]) {
    const whole = toInteger(context, length);
    if (whole < 0 || whole > Number.MAX_SAFE_INTEGER) {
      throwError(context, "RangeError", `Invalid typed array length: ${toText(context, length)}`);
    }
    return newBytes(context, whole);
  },
  bytesCopy(context, [source]) {
    const { bytes } = source as VBytes;
    const copy = newBytes(context, bytes.length);
    copy.bytes.set(bytes);
    return copy;
  },
  /** Of an array's primitive elements, each made a number; null when one of them is an object. */
  bytesOfList(context, [list]) {
    const { items } = list as VArray;
    context.charge(items.length, 0);
    if (items.some((item) => item instanceof VObject)) return null;
    const made = newBytes(context, items.length);
    // An index loop: holes count as undefined.
    for (let index = 0; index < items.length; index++) made.bytes[index] = toNumber(context, items[index]);
    return made;
  },
  iterableList(context, [iterable]) {
    const iterator = getIterator(context, iterable);
    const items: Value[] = [];
    for (let item = iterateStep(context, iterator); item !== DONE; item = iterateStep(context, iterator)) {
      context.charge(2, 8);
      items.push(item);
    }
    return newArray(context, items);
  },
  bytesSort(context, [self]) {
    const object = bytesReceiver(context, self);
    touchBytes(context, object);
    context.charge(object.bytes.length, 0);
    object.bytes.sort();
    return object;
  },
  /** The receiver of a sort with comparator. */
  requireBytes(context, [self, path]) {
    return bytesReceiver(context, self, path as string).bytes.length;
  },
  /** The elements as an array: what a sort with comparator works on. */
  bytesList: (context, [self]) => newArray(context, Array.from((self as VBytes).bytes)),
  /** Writes sorted elements back. */
  bytesAssign(context, [self, list]) {
    const object = self as VBytes;
    touchBytes(context, object);
    context.charge(object.bytes.length, 0);
    object.bytes.set((list as VArray).items as number[]);
    return object;
  },
};
