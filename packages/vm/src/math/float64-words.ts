/**
 * The two 32-bit halves of a double, through one pair of views on eight shared bytes: measured at
 * half the time of a DataView. The bytes hold nothing between two calls.
 */
const double = new Float64Array(1);
const words = new Int32Array(double.buffer);

// The views follow the host's byte order, so the place of the high half is found by looking: 1.0 has a zero low half.
double[0] = 1;
const HIGH = words[0] === 0 ? 1 : 0;
const LOW = 1 - HIGH;

/** Sign, exponent and the first 20 bits of the fraction, as a signed integer. */
export function highWord(x: number): number {
  double[0] = x;
  return words[HIGH]!;
}

/** The last 32 bits of the fraction, as a signed integer. */
export function lowWord(x: number): number {
  double[0] = x;
  return words[LOW]!;
}

export function fromWords(high: number, low: number): number {
  words[HIGH] = high;
  words[LOW] = low;
  return double[0]!;
}

export function withHighWord(x: number, high: number): number {
  double[0] = x;
  words[HIGH] = high;
  return double[0];
}

/** Drops the last 32 bits of the fraction: what is left multiplies with another such number without rounding. */
export function truncateLowWord(x: number): number {
  double[0] = x;
  words[LOW] = 0;
  return double[0];
}

/** 2^n for -1022 <= n <= 1023. */
export function powerOfTwo(n: number): number {
  return fromWords((1023 + n) << 20, 0);
}
