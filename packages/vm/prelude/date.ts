import { toNumber, toPrimitive } from "./operators.ts";

export function Date(): string {
  return $.dateText();
}

export function new_Date(...parts: unknown[]): unknown {
  const count = parts.length;
  if (count === 0) return $.dateOfNow();
  if (count === 1) return $.dateOfValue($.isDate(parts[0]) ? parts[0] : toPrimitive(parts[0], "default"));
  for (let index = 0; index < count && index < 7; index++) parts[index] = toNumber(parts[index]);
  return $.dateOfParts(parts);
}

export function Date_prototype_toJSON(this: unknown): unknown {
  if (this === null || this === undefined) throw new TypeError("Cannot convert undefined or null to object");
  const time = toPrimitive(this, "number");
  if (typeof time === "number" && !Number.isFinite(time)) return null;
  const method = $.getMember(this, "toISOString");
  if (!$.isCallable(method)) throw new TypeError("toISOString is not a function");
  return $.call(method, this);
}
