import type { Value } from "../heap/value.ts";
import { type HostContext, throwError } from "../machine/host.ts";
import type { HostEntry, HostTable } from "./host-table.ts";
import { toInteger, toNumber } from "./number-conversion.ts";
import { toRadix } from "./number-radix.ts";

export const numberBuiltins: HostTable = {
  Number: {
    call(context, _self, args) {
      const [value] = args;
      if (args.length === 0) return 0;
      return typeof value === "bigint" ? Number(value) : toNumber(context, value);
    },
  },
  "Number.EPSILON": { value: Number.EPSILON },
  "Number.MAX_SAFE_INTEGER": { value: Number.MAX_SAFE_INTEGER },
  "Number.MAX_VALUE": { value: Number.MAX_VALUE },
  "Number.MIN_SAFE_INTEGER": { value: Number.MIN_SAFE_INTEGER },
  "Number.MIN_VALUE": { value: Number.MIN_VALUE },
  "Number.NaN": { value: NaN },
  "Number.NEGATIVE_INFINITY": { value: -Infinity },
  "Number.POSITIVE_INFINITY": { value: Infinity },
  "Number.isFinite": { call: (_context, _self, [value]) => Number.isFinite(value) },
  "Number.isInteger": { call: (_context, _self, [value]) => Number.isInteger(value) },
  "Number.isNaN": { call: (_context, _self, [value]) => Number.isNaN(value) },
  "Number.isSafeInteger": { call: (_context, _self, [value]) => Number.isSafeInteger(value) },

  "Number.prototype.toExponential": method("toExponential", (context, number, [digits]) => {
    const count = toInteger(context, digits);
    if (!Number.isFinite(number)) return String(number);
    if (count < 0 || count > 100) {
      throwError(context, "RangeError", "toExponential() argument must be between 0 and 100");
    }
    return digits === undefined ? number.toExponential() : number.toExponential(count);
  }),
  "Number.prototype.toFixed": method("toFixed", (context, number, [digits]) => {
    const count = toInteger(context, digits);
    if (count < 0 || count > 100) {
      throwError(context, "RangeError", "toFixed() digits argument must be between 0 and 100");
    }
    return number.toFixed(count);
  }),
  "Number.prototype.toPrecision": method("toPrecision", (context, number, [precision]) => {
    if (precision === undefined) return String(number);
    const count = toInteger(context, precision);
    if (!Number.isFinite(number)) return String(number);
    if (count < 1 || count > 100) {
      throwError(context, "RangeError", "toPrecision() argument must be between 1 and 100");
    }
    return number.toPrecision(count);
  }),
  "Number.prototype.toString": method("toString", (context, number, [radix]) => {
    const base = radixOf(context, radix);
    if (base === 10) return String(number);
    // Up to 1,100 digits.
    context.charge(RADIX_FUEL, 0);
    return toRadix(number, base);
  }),
  "Number.prototype.valueOf": method("valueOf", (_context, number) => number),
};

const RADIX_FUEL = 400;

/** The radix that `toString` of a number or a bigint was given: 10 unless told otherwise. */
export function radixOf(context: HostContext, radix: Value): number {
  if (radix === undefined) return 10;
  const base = toInteger(context, radix);
  if (base < 2 || base > 36) {
    throwError(context, "RangeError", "toString() radix argument must be between 2 and 36");
  }
  return base;
}

function method(name: string, run: (context: HostContext, number: number, args: readonly Value[]) => Value): HostEntry {
  return {
    call(context, self, args) {
      // The prototype is the one boxed number there is: 0.
      const number = self === context.realm.numberPrototype ? 0 : self;
      if (typeof number !== "number") {
        throwError(context, "TypeError", `Number.prototype.${name} requires that 'this' be a Number`);
      }
      return run(context, number, args);
    },
  };
}
