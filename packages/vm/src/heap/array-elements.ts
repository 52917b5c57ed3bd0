import { type HostContext, throwError, unsupported } from "../machine/host.ts";
import { cannotDelete, readOnly } from "./property-errors.ts";
import { type VArray, VObject, type Value } from "./value.ts";

const INDEX_MAX = 4294967294;

/** The array index that a key names, or -1. */
export function indexOfKey(key: string): number {
  const { length } = key;
  if (length === 0 || length > 10) return -1;
  let index = 0;
  for (let at = 0; at < length; at++) {
    const digit = key.charCodeAt(at) - 48;
    if (!(digit >= 0 && digit <= 9)) return -1;
    index = index * 10 + digit;
  }
  if (index > INDEX_MAX || (length > 1 && key.charCodeAt(0) === 48)) return -1;
  return index;
}

/** The caller has touched the array. */
export function setElement(context: HostContext, array: VArray, index: number, value: Value): void {
  const items = array.items;
  if (index < items.length && index in items) {
    if (array.frozen) readOnly(context, array, String(index));
    items[index] = value;
    return;
  }
  if (array.frozen || array.sealed || !array.extensible) {
    throwError(context, "TypeError", `Cannot add property ${index}, object is not extensible`);
  }
  if (array.lengthFixed && index >= items.length) readOnly(context, array, "length");
  if (index >= ARRAY_LENGTH_MAX) unsupported(`an array of length ${index + 1}`);
  const holes = Math.max(0, index - items.length);
  context.charge(holes / 16, 8 + holes);
  items[index] = value;
}

/** Longer arrays are refused: no run may hold so many elements, and the host crawls over so many holes. */
export const ARRAY_LENGTH_MAX = 2 ** 24;

export function setLength(context: HostContext, array: VArray, value: Value): void {
  if (value instanceof VObject) unsupported("setting an array's length to an object");
  if (array.frozen || array.lengthFixed) readOnly(context, array, "length");
  if (typeof value === "string") context.charge(value.length / 8, 0);
  const length = Number(value);
  if (!Number.isInteger(length) || length < 0 || length > INDEX_MAX + 1) {
    throwError(context, "RangeError", "Invalid array length");
  }
  if (length === array.items.length) return;
  if (array.sealed && length < array.items.length) keepSealed(context, array, length);
  if (length > ARRAY_LENGTH_MAX) {
    unsupported(`an array of length ${length}`);
  }
  context.charge(Math.abs(length - array.items.length) >> 4, 0);
  array.items.length = length;
}

/** A sealed array loses the holes at its end only: the last element that is there stays, and is an error. */
function keepSealed(context: HostContext, array: VArray, length: number): void {
  let last = array.items.length - 1;
  while (last >= length && !(last in array.items)) last--;
  if (last < length) return;
  array.items.length = last + 1;
  cannotDelete(context, array, String(last));
}
