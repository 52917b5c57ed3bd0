import { attributesOf } from "../heap/properties.ts";
import type { VRegExp } from "../heap/data.ts";
import { VObject, type Value, WRITABLE } from "../heap/value.ts";
import { type HostContext, throwError } from "../machine/host.ts";
import { toLength } from "./number-conversion.ts";

/** An own property that the program may set to anything, and make read-only. */
export function lastIndexOf(regexp: VRegExp): Value {
  return regexp.read("lastIndex");
}

/** Where matching starts; undefined when only the program can tell, since `lastIndex` is an object. */
export function startOf(context: HostContext, regexp: VRegExp): number | undefined {
  const value = lastIndexOf(regexp);
  if (value instanceof VObject) return undefined;
  const index = toLength(context, value);
  return usesLastIndex(regexp) ? index : 0;
}

export function usesLastIndex({ flags }: VRegExp): boolean {
  return flags.includes("g") || flags.includes("y");
}

/**
 * Writing what is there already is left out: it cannot be seen, and a global expression among the program's
 * constants can so be used wherever `lastIndex` ends as 0, which it is.
 */
export function setLastIndex(context: HostContext, regexp: VRegExp, index: number): void {
  insistOnWritable(context, regexp);
  if (Object.is(regexp.read("lastIndex"), index)) return;
  context.touch(regexp);
  regexp.write("lastIndex", index);
}

export function insistOnWritable(context: HostContext, regexp: VRegExp): void {
  if ((attributesOf(regexp, "lastIndex") & WRITABLE) !== 0) return;
  throwError(context, "TypeError", "Cannot assign to read only property 'lastIndex' of object '[object RegExp]'");
}
