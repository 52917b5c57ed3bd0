import { lengthOf } from "./array-length.ts";
import { toNumber } from "./operators.ts";

export function new_Uint8Array(source: unknown): Uint8Array {
  if (!$.isObject(source)) return $.bytesOfLength(source);
  if ($.isBytes(source)) return $.bytesCopy(source);
  if ($.isIterable(source)) return fromList($.iterableList(source));
  const length = lengthOf(source);
  const bytes = $.bytesOfLength(length);
  for (let index = 0; index < length; index++) bytes[index] = toNumber($.get(source, index));
  return bytes;
}

function fromList(list: unknown[]): Uint8Array {
  const made = $.bytesOfList(list);
  if (made !== null) return made;
  const bytes = $.bytesOfLength(list.length);
  for (let index = 0; index < list.length; index++) bytes[index] = toNumber(list[index]);
  return bytes;
}

export function TypedArray_from(this: unknown, items: unknown, mapper: unknown, thisArg: unknown): Uint8Array {
  $.bytesConstructor(this);
  if (mapper !== undefined && !$.isCallable(mapper)) $.throwNotFunction(mapper);
  if ($.isIterable(items)) {
    const list = $.iterableList(items);
    if (mapper === undefined) return fromList(list);
    const bytes = $.bytesOfLength(list.length);
    for (let index = 0; index < list.length; index++) {
      bytes[index] = toNumber($.call(mapper, thisArg, list[index], index));
    }
    return bytes;
  }
  if (items === undefined || items === null) $.iteratorOf(items);
  // Other primitives are objects without elements here.
  const length = $.isObject(items) ? lengthOf(items) : 0;
  const bytes = $.bytesOfLength(length);
  for (let index = 0; index < length; index++) {
    const item = $.get(items, index);
    bytes[index] = toNumber(mapper === undefined ? item : $.call(mapper, thisArg, item, index));
  }
  return bytes;
}

export function TypedArray_prototype_every(this: unknown, callback: unknown, thisArg: unknown): boolean {
  const length = $.bytesWalk(this, callback);
  const bytes = this as Uint8Array;
  for (let index = 0; index < length; index++) {
    if (!$.call(callback, thisArg, bytes[index], index, bytes)) return false;
  }
  return true;
}

export function TypedArray_prototype_some(this: unknown, callback: unknown, thisArg: unknown): boolean {
  const length = $.bytesWalk(this, callback);
  const bytes = this as Uint8Array;
  for (let index = 0; index < length; index++) {
    if ($.call(callback, thisArg, bytes[index], index, bytes)) return true;
  }
  return false;
}

export function TypedArray_prototype_forEach(this: unknown, callback: unknown, thisArg: unknown): void {
  const length = $.bytesWalk(this, callback);
  const bytes = this as Uint8Array;
  for (let index = 0; index < length; index++) $.call(callback, thisArg, bytes[index], index, bytes);
}

export function TypedArray_prototype_find(this: unknown, callback: unknown, thisArg: unknown): number | undefined {
  const length = $.bytesWalk(this, callback);
  const bytes = this as Uint8Array;
  for (let index = 0; index < length; index++) {
    const item = bytes[index];
    if ($.call(callback, thisArg, item, index, bytes)) return item;
  }
  return undefined;
}

export function TypedArray_prototype_findIndex(this: unknown, callback: unknown, thisArg: unknown): number {
  const length = $.bytesWalk(this, callback);
  const bytes = this as Uint8Array;
  for (let index = 0; index < length; index++) {
    if ($.call(callback, thisArg, bytes[index], index, bytes)) return index;
  }
  return -1;
}

export function TypedArray_prototype_findLast(this: unknown, callback: unknown, thisArg: unknown): number | undefined {
  const length = $.bytesWalk(this, callback);
  const bytes = this as Uint8Array;
  for (let index = length - 1; index >= 0; index--) {
    const item = bytes[index];
    if ($.call(callback, thisArg, item, index, bytes)) return item;
  }
  return undefined;
}

export function TypedArray_prototype_findLastIndex(this: unknown, callback: unknown, thisArg: unknown): number {
  const length = $.bytesWalk(this, callback);
  const bytes = this as Uint8Array;
  for (let index = length - 1; index >= 0; index--) {
    if ($.call(callback, thisArg, bytes[index], index, bytes)) return index;
  }
  return -1;
}

export function TypedArray_prototype_filter(this: unknown, callback: unknown, thisArg: unknown): Uint8Array {
  const length = $.bytesWalk(this, callback);
  const bytes = this as Uint8Array;
  const kept: unknown[] = [];
  let count = 0;
  for (let index = 0; index < length; index++) {
    const item = bytes[index];
    if ($.call(callback, thisArg, item, index, bytes)) kept[count++] = item;
  }
  $.bytesSpecies(bytes);
  return fromList(kept);
}

export function TypedArray_prototype_map(this: unknown, callback: unknown, thisArg: unknown): Uint8Array {
  const length = $.bytesWalk(this, callback);
  const bytes = this as Uint8Array;
  $.bytesSpecies(bytes);
  const made = $.bytesOfLength(length);
  for (let index = 0; index < length; index++) {
    made[index] = toNumber($.call(callback, thisArg, bytes[index], index, bytes));
  }
  return made;
}

export function TypedArray_prototype_reduce(this: unknown, callback: unknown, ...initial: unknown[]): unknown {
  const length = $.bytesWalk(this, callback);
  const bytes = this as Uint8Array;
  let index = 0;
  let total = initial[0];
  if (initial.length === 0) {
    if (length === 0) throw new TypeError("Reduce of empty array with no initial value");
    total = bytes[index++];
  }
  for (; index < length; index++) total = $.call(callback, undefined, total, bytes[index], index, bytes);
  return total;
}

export function TypedArray_prototype_reduceRight(this: unknown, callback: unknown, ...initial: unknown[]): unknown {
  const length = $.bytesWalk(this, callback);
  const bytes = this as Uint8Array;
  let index = length - 1;
  let total = initial[0];
  if (initial.length === 0) {
    if (length === 0) throw new TypeError("Reduce of empty array with no initial value");
    total = bytes[index--];
  }
  for (; index >= 0; index--) total = $.call(callback, undefined, total, bytes[index], index, bytes);
  return total;
}

export function TypedArray_prototype_sort(this: unknown, comparator: unknown): unknown {
  if (comparator !== undefined && !$.isCallable(comparator)) {
    throw new TypeError("The comparison function must be either a function or undefined");
  }
  const length = $.requireBytes(this, "%TypedArray%.prototype.sort");
  if (comparator === undefined) return $.bytesSort(this);
  return length < 2 ? this : $.bytesAssign(this, sorted(this, length, comparator));
}

export function TypedArray_prototype_toSorted(this: unknown, comparator: unknown): unknown {
  if (comparator !== undefined && !$.isCallable(comparator)) {
    throw new TypeError("The comparison function must be either a function or undefined");
  }
  const length = $.requireBytes(this, "%TypedArray%.prototype.toSorted");
  const copy = $.bytesCopy(this);
  if (comparator === undefined) return $.bytesSort(copy);
  return length < 2 ? copy : $.bytesAssign(copy, sorted(copy, length, comparator));
}

function sorted(bytes: unknown, length: number, comparator: unknown): number[] {
  const target = $.bytesList(bytes);
  mergeSort($.bytesList(bytes), 0, length, target, comparator);
  return target;
}

/** V8's sort of typed arrays, compare for compare: halves are sorted with the two lists' roles exchanged. */
function mergeSort(source: number[], from: number, to: number, target: number[], comparator: unknown): void {
  const middle = from + ((to - from) >> 1);
  if (middle - from > 1) mergeSort(target, from, middle, source, comparator);
  if (to - middle > 1) mergeSort(target, middle, to, source, comparator);
  let left = from;
  let right = middle;
  for (let index = from; index < to; index++) {
    if (left >= middle) {
      target[index] = source[right++]!;
    } else if (right >= to) {
      target[index] = source[left++]!;
    } else {
      const order = toNumber($.call(comparator, undefined, source[left], source[right]));
      // NaN counts as equal.
      target[index] = order > 0 ? source[right++]! : source[left++]!;
    }
  }
}
