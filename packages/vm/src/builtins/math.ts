import * as exact from "../math/index.ts";
import type { HostEntry, HostTable } from "./host-table.ts";
import { toNumber } from "./number-conversion.ts";

/** What ECMA-262 defines to the last bit is the host's; what it leaves open is ours, in `math/`. */
export const mathBuiltins: HostTable = {
  "Math.E": { value: Math.E },
  "Math.LN10": { value: Math.LN10 },
  "Math.LN2": { value: Math.LN2 },
  "Math.LOG10E": { value: Math.LOG10E },
  "Math.LOG2E": { value: Math.LOG2E },
  "Math.PI": { value: Math.PI },
  "Math.SQRT1_2": { value: Math.SQRT1_2 },
  "Math.SQRT2": { value: Math.SQRT2 },

  "Math.abs": ofOne(Math.abs),
  "Math.ceil": ofOne(Math.ceil),
  "Math.clz32": ofOne(Math.clz32),
  "Math.floor": ofOne(Math.floor),
  "Math.fround": ofOne(Math.fround),
  "Math.round": ofOne(Math.round),
  "Math.sign": ofOne(Math.sign),
  "Math.sqrt": ofOne(Math.sqrt),
  "Math.trunc": ofOne(Math.trunc),
  "Math.imul": ofTwo(Math.imul),
  "Math.max": ofMany(-Infinity, (left, right) => Math.max(left, right)),
  "Math.min": ofMany(Infinity, (left, right) => Math.min(left, right)),
  "Math.random": { call: (context) => context.random() },

  "Math.acos": ofOne(exact.acos),
  "Math.acosh": ofOne(exact.acosh),
  "Math.asin": ofOne(exact.asin),
  "Math.asinh": ofOne(exact.asinh),
  "Math.atan": ofOne(exact.atan),
  "Math.atan2": ofTwo(exact.atan2),
  "Math.atanh": ofOne(exact.atanh),
  "Math.cbrt": ofOne(exact.cbrt),
  "Math.cos": ofOne(exact.cos),
  "Math.cosh": ofOne(exact.cosh),
  "Math.exp": ofOne(exact.exp),
  "Math.expm1": ofOne(exact.expm1),
  "Math.hypot": {
    call(context, _self, args) {
      context.charge(args.length, 0);
      return exact.hypot(...args.map((value) => toNumber(context, value)));
    },
  },
  "Math.log": ofOne(exact.log),
  "Math.log10": ofOne(exact.log10),
  "Math.log1p": ofOne(exact.log1p),
  "Math.log2": ofOne(exact.log2),
  "Math.pow": ofTwo(exact.pow),
  "Math.sin": ofOne(exact.sin),
  "Math.sinh": ofOne(exact.sinh),
  "Math.tan": ofOne(exact.tan),
  "Math.tanh": ofOne(exact.tanh),
};

function ofOne(compute: (x: number) => number): HostEntry {
  return { call: (context, _self, args) => compute(toNumber(context, args[0])) };
}

function ofTwo(compute: (x: number, y: number) => number): HostEntry {
  return {
    call(context, _self, args) {
      const x = toNumber(context, args[0]);
      return compute(x, toNumber(context, args[1]));
    },
  };
}

/** All arguments are converted, also after a NaN has settled the answer. */
function ofMany(start: number, combine: (x: number, y: number) => number): HostEntry {
  return {
    call(context, _self, args) {
      if (args.length > 8) context.charge(args.length / 4, 0);
      let result = start;
      for (const value of args) result = combine(result, toNumber(context, value));
      return result;
    },
  };
}
