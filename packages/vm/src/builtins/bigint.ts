import { VObject, type Value } from "../heap/value.ts";
import { type HostContext, throwError, unsupported } from "../machine/host.ts";
import type { HostTable } from "./host-table.ts";
import { toInteger } from "./number-conversion.ts";
import { radixOf } from "./number.ts";
import { bigintText } from "./string-conversion.ts";

/** V8's largest bigint has 2^30 bits. */
const BITS_MAX = 2 ** 30;

export const bigintBuiltins: HostTable = {
  BigInt: {
    call(context, _self, [value]) {
      if (typeof value !== "number") return toBigInt(context, value);
      if (Number.isInteger(value)) return BigInt(value);
      const reason = "cannot be converted to a BigInt because it is not an integer";
      return throwError(context, "RangeError", `The number ${value} ${reason}`);
    },
  },
  "BigInt.asIntN": {
    call(context, _self, [bits, value]) {
      const width = toIndex(context, bits);
      const number = toBigInt(context, value);
      chargeWidth(context, number);
      return width > BITS_MAX ? number : BigInt.asIntN(width, number);
    },
  },
  "BigInt.asUintN": {
    call(context, _self, [bits, value]) {
      const width = toIndex(context, bits);
      const number = toBigInt(context, value);
      chargeWidth(context, number);
      if (number >= 0n) return width > BITS_MAX ? number : BigInt.asUintN(width, number);
      if (width > BITS_MAX) throwError(context, "RangeError", "Maximum BigInt size exceeded");
      // A negative number becomes one of the full width.
      context.charge(width / 512, width / 8);
      return BigInt.asUintN(width, number);
    },
  },
  "BigInt.prototype.toString": {
    call(context, self, [radix]) {
      const value = receiver(context, self, "toString");
      return bigintText(context, value, radixOf(context, radix));
    },
  },
  "BigInt.prototype.valueOf": { call: (context, self) => receiver(context, self, "valueOf") },
};

/** ToBigInt of a primitive: unlike the function `BigInt`, it takes no numbers. */
function toBigInt(context: HostContext, value: Value): bigint {
  if (typeof value === "bigint") return value;
  if (typeof value === "boolean") return value ? 1n : 0n;
  if (value instanceof VObject) unsupported("an object in the place of a bigint");
  if (typeof value !== "string") throwError(context, "TypeError", `Cannot convert ${value} to a BigInt`);
  context.charge(1 + Math.ceil((value.length / 16) ** 1.6), value.length / 2);
  try {
    return BigInt(value);
  } catch (error) {
    if (error instanceof RangeError) throwError(context, "RangeError", "Maximum BigInt size exceeded");
    return throwError(context, "SyntaxError", `Cannot convert ${value} to a BigInt`);
  }
}

function toIndex(context: HostContext, value: Value): number {
  const index = toInteger(context, value);
  if (index < 0 || index > Number.MAX_SAFE_INTEGER) {
    throwError(context, "RangeError", "Invalid value: not (convertible to) a safe integer");
  }
  return index;
}

const SMALL = 1n << 256n;

function chargeWidth(context: HostContext, value: bigint): void {
  if (value < SMALL && value > -SMALL) return;
  const bytes = value.toString(16).length >> 1;
  context.charge(bytes / 32, bytes);
}

function receiver(context: HostContext, self: Value, name: string): bigint {
  if (typeof self === "bigint") return self;
  return throwError(context, "TypeError", `BigInt.prototype.${name} requires that 'this' be a BigInt`);
}
