import { toNumber } from "./operators.ts";

/** The length of an array-like; `valueOf` of a length that is an object is program code. */
export function lengthOf(object: unknown): number {
  const length = $.lengthOf(object);
  return length < 0 ? $.toLength(toNumber($.get(object, "length"))) : length;
}
