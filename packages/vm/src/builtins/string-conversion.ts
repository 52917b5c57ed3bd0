import { VObject, type Value } from "../heap/value.ts";
import { type HostContext, throwError, unsupported } from "../machine/host.ts";

/** V8 11.3's limit on 64-bit hosts: beyond it, a RangeError. */
export const STRING_LENGTH_MAX = 536_870_888;

/** ToString of a primitive. The machine has made objects primitive by then; one that arrives here is refused. */
export function toText(context: HostContext, value: Value): string {
  if (typeof value === "string") return value;
  if (value instanceof VObject) unsupported("an object in the place of a string");
  if (typeof value === "bigint") return bigintText(context, value, 10);
  return String(value);
}

/** The receiver of a method of strings. */
export function receiverText(context: HostContext, self: Value, path: string): string {
  if (typeof self === "string") return self;
  if (self === undefined || self === null) throwError(context, "TypeError", `${path} called on null or undefined`);
  return toText(context, self);
}

/** Pays for a text of so many units that is about to be made; RangeError when V8 could not hold it. */
export function chargeText(context: HostContext, length: number): void {
  if (length > STRING_LENGTH_MAX) throwError(context, "RangeError", "Invalid string length");
  context.charge(1 + length / 16, length);
}

/** Pays for reading so many units of a text. */
export function chargeScan(context: HostContext, length: number): void {
  if (length > 8) context.charge(length / 8, 0);
}

/** Texts shorter than this are compared in the time that the comparison is paid for anyway. */
const COMPARED_MIN = 64;

/** Pays for finding out whether two values are the same: texts of one length are read until they differ. */
export function chargeEquality(context: HostContext, left: Value, right: Value): void {
  if (typeof left !== "string" || typeof right !== "string") return;
  if (left.length === right.length && left.length >= COMPARED_MIN) context.charge(left.length / 64, 0);
}

/** Pays for sorting by texts, beyond what so many short ones cost. */
export function chargeOrder(context: HostContext, texts: readonly string[]): void {
  let units = 0;
  for (const { length } of texts) units += Math.max(0, length - COMPARED_MIN);
  if (units > 0) context.charge((units / 16) * Math.ceil(Math.log2(texts.length + 1)), 0);
}

const SMALL = 1n << 256n;

/** V8 divides and conquers; measured on a busy machine: 10,000 digits take 5 ms, 300,000 take 350 ms. */
export function bigintText(context: HostContext, value: bigint, radix: number): string {
  if (value < SMALL && value > -SMALL) return value.toString(radix);
  const words = value.toString(16).length / 16;
  context.charge(Math.ceil(words ** 1.75), words * 20);
  return value.toString(radix);
}
