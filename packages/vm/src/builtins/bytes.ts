import { VBytes } from "../heap/data.ts";
import { VObject, type Value } from "../heap/value.ts";
import { type HostContext, throwError, unsupported } from "../machine/host.ts";
import { elementAt, lengthOf } from "./array-like.ts";
import { bytesReadBuiltins, range } from "./bytes-read.ts";
import { newBytes, requireBytesConstructor, touchBytes, writableBytes, bytesReceiver } from "./bytes-receiver.ts";
import type { HostTable } from "./host-table.ts";
import { toInteger, toNumber } from "./number-conversion.ts";

/** Uint8Array: what it inherits from %TypedArray%, apart from what calls back. */
export const bytesBuiltins: HostTable = {
  ...bytesReadBuiltins,
  TypedArray: { call: abstractClass, construct: abstractClass },
  "TypedArray.of": {
    call(context, self, args) {
      requireBytesConstructor(context, self);
      const made = newBytes(context, args.length);
      args.forEach((item, index) => {
        made.bytes[index] = toNumber(context, item);
      });
      return made;
    },
  },
  "TypedArray.prototype.copyWithin": {
    call(context, self, args) {
      const { bytes } = bytesReceiver(context, self);
      const [target, start, end] = args;
      const to = range(context, bytes, [target]).start;
      const from = range(context, bytes, [start, end]);
      const object = writableBytes(context, self);
      context.charge(bytes.length / 64, 0);
      bytes.copyWithin(to, from.start, Math.max(from.end, from.start));
      return object;
    },
  },
  "TypedArray.prototype.fill": {
    call(context, self, args) {
      const { bytes } = bytesReceiver(context, self);
      const value = toNumber(context, args[0]);
      // V8 asks for the end only where there is a start.
      const { start, end } = range(context, bytes, args[1] === undefined ? [] : args.slice(1));
      const object = writableBytes(context, self);
      context.charge(bytes.length / 64, 0);
      bytes.fill(value, start, end);
      return object;
    },
  },
  "TypedArray.prototype.reverse": {
    call(context, self) {
      const object = writableBytes(context, self);
      context.charge(object.bytes.length / 16, 0);
      object.bytes.reverse();
      return object;
    },
  },
  "TypedArray.prototype.set": { call: setBytes },
  "Uint8Array.BYTES_PER_ELEMENT": { value: 1 },
  "Uint8Array.prototype.BYTES_PER_ELEMENT": { value: 1 },
};

function abstractClass(context: HostContext): never {
  throwError(context, "TypeError", "Abstract class TypedArray not directly constructable");
}

function setBytes(context: HostContext, self: Value, args: readonly Value[]): undefined {
  const object = bytesReceiver(context, self);
  const [source, offsetArgument] = args;
  const offset = toInteger(context, offsetArgument);
  const outside = (): never => throwError(context, "RangeError", "offset is out of bounds");
  if (offset < 0) outside();
  if (source instanceof VBytes) {
    if (source.bytes.length + offset > object.bytes.length) outside();
    touchBytes(context, object);
    context.charge(source.bytes.length / 64, 0);
    object.bytes.set(source.bytes, offset);
    return undefined;
  }
  const items = itemsOf(context, source);
  if (items.length + offset > object.bytes.length) outside();
  touchBytes(context, object);
  items.forEach((item, index) => {
    // What comes before an element that is no number has been written by then, as in V8.
    object.bytes[offset + index] = toNumber(context, item);
  });
  return undefined;
}

/** The elements of an array-like. An object among them would have to be made a number by the program's code. */
function itemsOf(context: HostContext, source: Value): Value[] {
  if (source === undefined || source === null) {
    throwError(context, "TypeError", "Cannot convert undefined or null to object");
  }
  if (!(source instanceof VObject)) return typeof source === "string" ? source.split("") : [];
  const length = lengthOf(context, source);
  context.charge(length * 2, 0);
  const items: Value[] = [];
  for (let index = 0; index < length; index++) {
    const item = elementAt(context, source, index);
    if (item instanceof VObject) unsupported("an object among the elements for Uint8Array.prototype.set");
    items.push(item);
  }
  return items;
}
