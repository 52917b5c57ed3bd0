import {
  type IteratorMode,
  type IteratorSource,
  iteratorPrototypes,
  VIterator,
  type VMap,
  type VSet,
} from "../heap/collection.ts";
import type { VForeign } from "../heap/foreign.ts";
import type { VBytes, VUrlParams } from "../heap/data.ts";
import { Kind, VArray, VObject, type Value } from "../heap/value.ts";
import { type HostContext, throwError, unsupported } from "../machine/host.ts";
import { elementAt, lengthOf } from "./array-like.ts";

/** What `iterateStep` gives when there is no further value. */
export const DONE: unique symbol = Symbol("done");

/** The iterator that `for…of`, spread and the built-ins walk, or null when the value is not iterable. */
export function tryIterator(context: HostContext, value: Value): VIterator | null {
  if (typeof value === "string") return newIterator(context, "string", "values", value);
  if (!(value instanceof VObject)) return null;
  switch (value.kind) {
    case Kind.Array:
      return newIterator(context, "array", "values", value);
    case Kind.Bytes:
      return newIterator(context, "bytes", "values", value);
    case Kind.Map:
      return newIterator(context, "map", "entries", value);
    case Kind.Set:
      return newIterator(context, "set", "values", value);
    case Kind.UrlParams:
      return newIterator(context, "params", "entries", value);
    case Kind.Iterator:
      return value as VIterator;
    case Kind.Foreign:
      return (value as VForeign).refuse();
    case Kind.Intrinsic:
      if (value === context.realm.arrayPrototype) unsupported("Array.prototype as an array");
      return null;
    default:
      return null;
  }
}

/** For built-ins that take an iterable; the machine has texts of its own for `for…of` and spread. */
export function getIterator(context: HostContext, value: Value): VIterator {
  const iterator = tryIterator(context, value);
  if (iterator === null) {
    const hint = "(cannot read property Symbol(Symbol.iterator))";
    throwError(context, "TypeError", `${kindAndValue(value)} is not iterable ${hint}`);
  }
  return iterator;
}

/** As V8 prints a value that no source text stands for: `number 5`, `object null`, `object`. */
function kindAndValue(value: Value): string {
  if (value === undefined) return "undefined";
  if (value === null) return "object null";
  if (typeof value === "number" || typeof value === "boolean") return `${typeof value} ${value}`;
  return typeof value === "bigint" ? "bigint" : "object";
}

export function newIterator(
  context: HostContext,
  source: IteratorSource,
  mode: IteratorMode,
  target: Value,
): VIterator {
  context.charge(2, 80);
  return new VIterator(context.realm.prototype(iteratorPrototypes[source]), source, mode, target);
}

/** Advances the iterator: its next value, or `DONE`. */
export function iterateStep(context: HostContext, iterator: VIterator): Value | typeof DONE {
  if (iterator.position < 0) return DONE;
  context.touch(iterator);
  switch (iterator.source) {
    case "array":
    case "matches":
      return stepArray(context, iterator);
    case "bytes":
      return stepBytes(context, iterator);
    case "string":
      return stepString(iterator);
    case "map":
    case "set":
      return stepEntries(context, iterator, (iterator.target as VMap | VSet).entries);
    case "params":
      return stepParams(context, iterator);
  }
}

function stepArray(context: HostContext, iterator: VIterator): Value | typeof DONE {
  const target = iterator.target as VObject;
  const index = iterator.position;
  if (target instanceof VArray) {
    if (index >= target.items.length) return exhaust(iterator);
    iterator.position = index + 1;
    if (iterator.mode === "values") return target.items[index];
  } else {
    if (index >= lengthOf(context, target)) return exhaust(iterator);
    iterator.position = index + 1;
  }
  if (iterator.mode === "keys") return index;
  const item = elementAt(context, target, index);
  return iterator.mode === "values" ? item : pair(context, index, item);
}

function stepBytes(context: HostContext, iterator: VIterator): Value | typeof DONE {
  const { bytes } = iterator.target as VBytes;
  const index = iterator.position;
  if (index >= bytes.length) return exhaust(iterator);
  iterator.position = index + 1;
  if (iterator.mode === "keys") return index;
  return iterator.mode === "values" ? bytes[index] : pair(context, index, bytes[index]);
}

function stepString(iterator: VIterator): Value | typeof DONE {
  const text = iterator.target as string;
  const start = iterator.position;
  if (start >= text.length) return exhaust(iterator);
  const point = text.codePointAt(start)!;
  iterator.position = start + (point > 0xffff ? 2 : 1);
  return text.slice(start, iterator.position);
}

function stepEntries(context: HostContext, iterator: VIterator, entries: VMap["entries"]): Value | typeof DONE {
  const position = entries.seek(iterator.position);
  if (position < 0) return exhaust(iterator);
  iterator.position = entries.after(position);
  const key = entries.keyAt(position);
  if (iterator.mode === "keys") return key;
  const value = iterator.source === "set" ? key : entries.valueAt(position);
  return iterator.mode === "values" ? value : pair(context, key, value);
}

/** Unlike the others, such an iterator that has ended goes on when the parameters grow: Node keeps only an index. */
function stepParams(context: HostContext, iterator: VIterator): Value | typeof DONE {
  const entry = (iterator.target as VUrlParams).pairs[iterator.position];
  if (entry === undefined) return DONE;
  iterator.position++;
  if (iterator.mode === "keys") return entry[0];
  return iterator.mode === "values" ? entry[1] : pair(context, entry[0], entry[1]);
}

function exhaust(iterator: VIterator): typeof DONE {
  iterator.position = -1;
  iterator.target = undefined;
  return DONE;
}

function pair(context: HostContext, key: Value, value: Value): VArray {
  context.charge(1, 72);
  return new VArray(context.realm.arrayPrototype, [key, value]);
}
