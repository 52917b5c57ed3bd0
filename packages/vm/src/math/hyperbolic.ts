import { exp, expm1 } from "./exponential.ts";
import { highWord } from "./float64-words.ts";
import { log, log1p } from "./logarithm.ts";

/** Beyond this, half of the exponential overflows. */
const OVERFLOW = 710.4758600739439;
/** log of the largest double, its low word empty: beyond this, the exponential itself overflows. */
const LOG_MAX = 709.7822265625;
/** 2^-28: below this, the odd functions answer x itself. */
const TINY = 1 / 0x10000000;

export function sinh(x: number): number {
  const magnitude = Math.abs(x);
  const half = x < 0 ? -0.5 : 0.5;
  if (magnitude < TINY) return x;
  if (magnitude < 22) {
    const t = expm1(magnitude);
    return magnitude < 1 ? half * (2 * t - (t * t) / (t + 1)) : half * (t + t / (t + 1));
  }
  if (magnitude < LOG_MAX) return half * exp(magnitude);
  if (magnitude <= OVERFLOW) {
    const w = exp(0.5 * magnitude);
    return half * w * w;
  }
  return x * Infinity;
}

export function cosh(x: number): number {
  const magnitude = Math.abs(x);
  const high = highWord(magnitude);
  if (high < 0x3fd62e43) {
    const t = expm1(magnitude);
    const w = 1 + t;
    return high < 0x3c800000 ? w : 1 + (t * t) / (w + w);
  }
  if (magnitude < 22) {
    const t = exp(magnitude);
    return 0.5 * t + 0.5 / t;
  }
  if (magnitude < LOG_MAX) return 0.5 * exp(magnitude);
  if (magnitude <= OVERFLOW) {
    const w = exp(0.5 * magnitude);
    return 0.5 * w * w;
  }
  return magnitude * Infinity;
}

export function tanh(x: number): number {
  if (x !== x) return NaN;
  const magnitude = Math.abs(x);
  if (magnitude < TINY) return x;
  let value = 1;
  if (magnitude < 1) {
    const t = expm1(-2 * magnitude);
    value = -t / (t + 2);
  } else if (magnitude < 22) {
    value = 1 - 2 / (expm1(2 * magnitude) + 2);
  }
  return x < 0 ? -value : value;
}

export function asinh(x: number): number {
  const magnitude = Math.abs(x);
  const high = highWord(magnitude);
  if (high < 0x3e300000 || high >= 0x7ff00000) return x;
  let value: number;
  if (high > 0x41b00000) {
    value = log(magnitude) + Math.LN2;
  } else if (high > 0x40000000) {
    value = log(2 * magnitude + 1 / (Math.sqrt(x * x + 1) + magnitude));
  } else {
    const square = x * x;
    value = log1p(magnitude + square / (1 + Math.sqrt(1 + square)));
  }
  return x < 0 ? -value : value;
}

export function acosh(x: number): number {
  if (!(x >= 1)) return NaN;
  const high = highWord(x);
  if (x === 1) return 0;
  if (x === Infinity) return x;
  if (high >= 0x41b00000) return log(x) + Math.LN2;
  if (high > 0x40000000) return log(2 * x - 1 / (x + Math.sqrt(x * x - 1)));
  const t = x - 1;
  return log1p(t + Math.sqrt(2 * t + t * t));
}

export function atanh(x: number): number {
  const magnitude = Math.abs(x);
  if (!(magnitude <= 1)) return NaN;
  if (magnitude === 1) return x * Infinity;
  if (magnitude < TINY) return x;
  const twice = magnitude + magnitude;
  const argument = magnitude < 0.5 ? twice + (twice * magnitude) / (1 - magnitude) : twice / (1 - magnitude);
  const value = 0.5 * log1p(argument);
  return x < 0 ? -value : value;
}
