import { toPropertyKey, toString } from "./operators.ts";

export function Object_fromEntries(entries: unknown): object {
  if (entries === undefined || entries === null) throw new TypeError("undefined is not iterable");
  const made = $.fromPlainEntries(entries);
  if (made !== undefined) return made;
  const result = {};
  for (const entry of $.iteratorOf(entries)) {
    $.requireEntry(entry);
    const key = $.get(entry, 0);
    const value = $.get(entry, 1);
    $.define(result, toPropertyKey(key), value);
  }
  return result;
}

export function Error_prototype_toString(this: unknown): string {
  if (!$.isObject(this)) {
    throw new TypeError(`Method Error.prototype.toString called on incompatible receiver ${$.describe(this)}`);
  }
  const givenName = $.get(this, "name");
  const name = givenName === undefined ? "Error" : toString(givenName);
  const givenMessage = $.get(this, "message");
  const message = givenMessage === undefined ? "" : toString(givenMessage);
  if (name === "") return message;
  return message === "" ? name : `${name}: ${message}`;
}
