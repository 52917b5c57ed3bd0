import { VObject, type Value } from "../heap/value.ts";
import { type HostContext, throwError, unsupported } from "../machine/host.ts";

/** ToNumber of a primitive. The machine has made objects primitive by then; one that arrives here is refused. */
export function toNumber(context: HostContext, value: Value): number {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") throwError(context, "TypeError", "Cannot convert a BigInt value to a number");
  if (value instanceof VObject) unsupported("an object in the place of a number");
  if (typeof value === "string") context.charge(value.length / 8, 0);
  return Number(value);
}

/** ToIntegerOrInfinity of a primitive; -0 becomes 0. */
export function toInteger(context: HostContext, value: Value): number {
  const number = Math.trunc(toNumber(context, value));
  return number !== number ? 0 : number + 0;
}

/** ToLength of a primitive. */
export function toLength(context: HostContext, value: Value): number {
  const length = toInteger(context, value);
  return length <= 0 ? 0 : Math.min(length, Number.MAX_SAFE_INTEGER);
}
