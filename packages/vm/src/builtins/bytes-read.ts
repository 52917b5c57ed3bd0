import type { IteratorMode } from "../heap/collection.ts";
import { VBytes } from "../heap/data.ts";
import type { Value } from "../heap/value.ts";
import { type HostContext, throwError } from "../machine/host.ts";
import { clampIndex } from "./array-like.ts";
import { bytesReceiver, newBytes, requirePlainSpecies } from "./bytes-receiver.ts";
import type { HostEntry, HostTable } from "./host-table.ts";
import { newIterator } from "./iterate.ts";
import { toInteger, toNumber } from "./number-conversion.ts";
import { STRING_LENGTH_MAX, toText } from "./string-conversion.ts";

/** What leaves a byte array as it is. */
export const bytesReadBuiltins: HostTable = {
  "TypedArray.prototype.at": {
    call(context, self, args) {
      const { bytes } = bytesReceiver(context, self, "%TypedArray%.prototype.at");
      return bytes.at(toInteger(context, args[0]));
    },
  },
  "TypedArray.prototype.byteLength": size("byteLength", (object) => object.bytes.length),
  "TypedArray.prototype.byteOffset": size(
    "byteOffset",
    (object) => object.bytes.byteOffset - object.buffer.data.byteOffset,
  ),
  "TypedArray.prototype.length": size("length", (object) => object.bytes.length),
  "TypedArray.prototype.entries": iterators("entries"),
  "TypedArray.prototype.keys": iterators("keys"),
  "TypedArray.prototype.values": iterators("values"),
  "TypedArray.prototype.includes": {
    call(context, self, args) {
      const { bytes } = bytesReceiver(context, self);
      if (bytes.length === 0) return false;
      const start = searchStart(context, bytes, args[1]);
      return typeof args[0] === "number" && bytes.includes(args[0], start);
    },
  },
  "TypedArray.prototype.indexOf": {
    call(context, self, args) {
      const { bytes } = bytesReceiver(context, self);
      if (bytes.length === 0) return -1;
      const start = searchStart(context, bytes, args[1]);
      return typeof args[0] === "number" ? bytes.indexOf(args[0], start) : -1;
    },
  },
  "TypedArray.prototype.lastIndexOf": {
    call(context, self, args) {
      const { bytes } = bytesReceiver(context, self);
      if (bytes.length === 0) return -1;
      context.charge(bytes.length / 16, 0);
      // A second argument that is undefined counts as 0; none at all as the last index.
      const start = args.length > 1 ? toInteger(context, args[1]) : bytes.length - 1;
      return typeof args[0] === "number" ? bytes.lastIndexOf(args[0], start) : -1;
    },
  },
  "TypedArray.prototype.join": { call: join },
  "TypedArray.prototype.slice": {
    call(context, self, args) {
      const object = bytesReceiver(context, self, "%TypedArray%.prototype.slice");
      const { start, end } = range(context, object.bytes, args);
      requirePlainSpecies(object);
      const copy = newBytes(context, Math.max(end - start, 0));
      copy.bytes.set(object.bytes.subarray(start, Math.max(end, start)));
      return copy;
    },
  },
  "TypedArray.prototype.subarray": {
    call(context, self, args) {
      const object = bytesReceiver(context, self, "%TypedArray%.prototype.subarray");
      const { start, end } = range(context, object.bytes, args);
      requirePlainSpecies(object);
      context.charge(4, 120);
      const view = object.bytes.subarray(start, Math.max(end, start));
      return new VBytes(context.realm.prototype("Uint8Array"), object.buffer, view);
    },
  },
  "TypedArray.prototype.toReversed": {
    call(context, self) {
      const { bytes } = bytesReceiver(context, self, "%TypedArray%.prototype.toReversed");
      const copy = newBytes(context, bytes.length);
      copy.bytes.set(bytes);
      copy.bytes.reverse();
      return copy;
    },
  },
  "TypedArray.prototype.with": {
    call(context, self, args) {
      const { bytes } = bytesReceiver(context, self);
      const relative = toInteger(context, args[0]);
      const index = relative < 0 ? bytes.length + relative : relative;
      const value = toNumber(context, args[1]);
      if (index < 0 || index >= bytes.length) throwError(context, "RangeError", "Invalid typed array index");
      const copy = newBytes(context, bytes.length);
      copy.bytes.set(bytes);
      copy.bytes[index] = value;
      return copy;
    },
  },
};

function size(name: string, read: (object: VBytes) => number): HostEntry {
  return { get: (context, self) => read(bytesReceiver(context, self, `get TypedArray.prototype.${name}`)) };
}

function iterators(mode: IteratorMode): HostEntry {
  return {
    call: (context, self) => newIterator(context, "bytes", mode, bytesReceiver(context, self)),
  };
}

function searchStart(context: HostContext, bytes: Uint8Array, from: Value): number {
  context.charge(bytes.length / 16, 0);
  return toInteger(context, from);
}

/** Start and end arguments, as `slice` and its like take them. */
export function range(
  context: HostContext,
  bytes: Uint8Array,
  [start, end]: readonly Value[],
): { start: number; end: number } {
  const from = clampIndex(toInteger(context, start), bytes.length);
  const to = end === undefined ? bytes.length : clampIndex(toInteger(context, end), bytes.length);
  return { start: from, end: to };
}

function join(context: HostContext, self: Value, args: readonly Value[]): string {
  const { bytes } = bytesReceiver(context, self, "%TypedArray%.prototype.join");
  const separator = args[0] === undefined ? "," : toText(context, args[0]);
  const length = bytes.length * (3 + separator.length);
  if (length - 3 * bytes.length > STRING_LENGTH_MAX) throwError(context, "RangeError", "Invalid string length");
  context.charge(bytes.length * 2, length);
  return bytes.join(separator);
}
