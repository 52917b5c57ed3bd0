import { lengthOf } from "./array-length.ts";

/**
 * The methods of arrays that call back. The length is read once, elements when their turn comes; a hole is told
 * from undefined only when an element reads as undefined.
 */

export function Array_prototype_forEach(this: unknown, callback: unknown, thisArg: unknown): void {
  const object = $.toObject(this, "Array.prototype.forEach");
  const length = lengthOf(object);
  if (!$.isCallable(callback)) $.throwNotFunction(callback);
  for (let index = 0; index < length; index++) {
    const item = object[index];
    if (item !== undefined || $.has(object, index)) $.call(callback, thisArg, item, index, object);
  }
}

export function Array_prototype_map(this: unknown, callback: unknown, thisArg: unknown): unknown[] {
  const object = $.toObject(this, "Array.prototype.map");
  const length = lengthOf(object);
  if (!$.isCallable(callback)) $.throwNotFunction(callback);
  const result = $.newArrayFor(object, length);
  for (let index = 0; index < length; index++) {
    const item = object[index];
    if (item !== undefined || $.has(object, index)) result[index] = $.call(callback, thisArg, item, index, object);
  }
  return result;
}

export function Array_prototype_filter(this: unknown, callback: unknown, thisArg: unknown): unknown[] {
  const object = $.toObject(this, "Array.prototype.filter");
  const length = lengthOf(object);
  if (!$.isCallable(callback)) $.throwNotFunction(callback);
  const result = $.newArrayFor(object, 0);
  let kept = 0;
  for (let index = 0; index < length; index++) {
    const item = object[index];
    if (item === undefined && !$.has(object, index)) continue;
    if ($.call(callback, thisArg, item, index, object)) result[kept++] = item;
  }
  return result;
}

export function Array_prototype_every(this: unknown, callback: unknown, thisArg: unknown): boolean {
  const object = $.toObject(this, "Array.prototype.every");
  const length = lengthOf(object);
  if (!$.isCallable(callback)) $.throwNotFunction(callback);
  for (let index = 0; index < length; index++) {
    const item = object[index];
    if (item === undefined && !$.has(object, index)) continue;
    if (!$.call(callback, thisArg, item, index, object)) return false;
  }
  return true;
}

export function Array_prototype_some(this: unknown, callback: unknown, thisArg: unknown): boolean {
  const object = $.toObject(this, "Array.prototype.some");
  const length = lengthOf(object);
  if (!$.isCallable(callback)) $.throwNotFunction(callback);
  for (let index = 0; index < length; index++) {
    const item = object[index];
    if (item === undefined && !$.has(object, index)) continue;
    if ($.call(callback, thisArg, item, index, object)) return true;
  }
  return false;
}

export function Array_prototype_find(this: unknown, callback: unknown, thisArg: unknown): unknown {
  const object = $.toObject(this, "Array.prototype.find");
  const length = lengthOf(object);
  if (!$.isCallable(callback)) $.throwNotFunction(callback);
  for (let index = 0; index < length; index++) {
    const item = object[index];
    if ($.call(callback, thisArg, item, index, object)) return item;
  }
  return undefined;
}

export function Array_prototype_findIndex(this: unknown, callback: unknown, thisArg: unknown): number {
  const object = $.toObject(this, "Array.prototype.findIndex");
  const length = lengthOf(object);
  if (!$.isCallable(callback)) $.throwNotFunction(callback);
  for (let index = 0; index < length; index++) {
    if ($.call(callback, thisArg, object[index], index, object)) return index;
  }
  return -1;
}

export function Array_prototype_findLast(this: unknown, callback: unknown, thisArg: unknown): unknown {
  const object = $.toObject(this, "Array.prototype.findLast");
  const length = lengthOf(object);
  if (!$.isCallable(callback)) $.throwNotFunction(callback);
  for (let index = length - 1; index >= 0; index--) {
    const item = object[index];
    if ($.call(callback, thisArg, item, index, object)) return item;
  }
  return undefined;
}

export function Array_prototype_findLastIndex(this: unknown, callback: unknown, thisArg: unknown): number {
  const object = $.toObject(this, "Array.prototype.findLastIndex");
  const length = lengthOf(object);
  if (!$.isCallable(callback)) $.throwNotFunction(callback);
  for (let index = length - 1; index >= 0; index--) {
    if ($.call(callback, thisArg, object[index], index, object)) return index;
  }
  return -1;
}

export function Array_prototype_reduce(this: unknown, callback: unknown, ...initial: unknown[]): unknown {
  const object = $.toObject(this, "Array.prototype.reduce");
  const length = lengthOf(object);
  if (!$.isCallable(callback)) $.throwNotFunction(callback);
  let index = 0;
  let total = initial[0];
  if (initial.length === 0) {
    while (index < length && !$.has(object, index)) index++;
    if (index >= length) throw new TypeError("Reduce of empty array with no initial value");
    total = object[index++];
  }
  for (; index < length; index++) {
    const item = object[index];
    if (item !== undefined || $.has(object, index)) total = $.call(callback, undefined, total, item, index, object);
  }
  return total;
}

export function Array_prototype_reduceRight(this: unknown, callback: unknown, ...initial: unknown[]): unknown {
  const object = $.toObject(this, "Array.prototype.reduceRight");
  const length = lengthOf(object);
  if (!$.isCallable(callback)) $.throwNotFunction(callback);
  let index = length - 1;
  let total = initial[0];
  if (initial.length === 0) {
    while (index >= 0 && !$.has(object, index)) index--;
    if (index < 0) throw new TypeError("Reduce of empty array with no initial value");
    total = object[index--];
  }
  for (; index >= 0; index--) {
    const item = object[index];
    if (item !== undefined || $.has(object, index)) total = $.call(callback, undefined, total, item, index, object);
  }
  return total;
}

export function Array_prototype_flatMap(this: unknown, callback: unknown, thisArg: unknown): unknown[] {
  const object = $.toObject(this, "");
  const length = lengthOf(object);
  if (!$.isCallable(callback)) throw new TypeError("flatMap mapper function is not callable");
  const result = $.newArrayFor(object, 0);
  let end = 0;
  for (let index = 0; index < length; index++) {
    const item = object[index];
    if (item === undefined && !$.has(object, index)) continue;
    const mapped = $.call(callback, thisArg, item, index, object);
    if (!$.isArray(mapped)) {
      result[end++] = mapped;
      continue;
    }
    const count = mapped.length;
    for (let at = 0; at < count; at++) {
      const part = mapped[at];
      if (part !== undefined || $.has(mapped, at)) result[end++] = part;
    }
  }
  return result;
}

export function Array_from(this: unknown, items: unknown, mapper: unknown, thisArg: unknown): unknown[] {
  const mapping = mapper !== undefined;
  if (mapping && !$.isCallable(mapper)) $.throwNotFunction(mapper);
  $.requireArrayConstructor(this);
  if ($.isIterable(items)) {
    if (!mapping) return [...items];
    const mapped: unknown[] = [];
    let index = 0;
    for (const item of items) {
      mapped[index] = $.call(mapper, thisArg, item, index);
      index++;
    }
    return mapped;
  }
  if (items === undefined || items === null) {
    const what = items === undefined ? "undefined" : "object null";
    throw new TypeError(`${what} is not iterable (cannot read property Symbol(Symbol.iterator))`);
  }
  if (!$.isObject(items)) return [];
  const length = lengthOf(items);
  const result = $.newArrayFor(undefined, length);
  for (let index = 0; index < length; index++) {
    const item = $.get(items, index);
    result[index] = mapping ? $.call(mapper, thisArg, item, index) : item;
  }
  return result;
}
