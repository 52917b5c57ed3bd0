import { fromWords, highWord, lowWord } from "./float64-words.ts";

/** A guess to 5 bits from a third of the bit pattern, a polynomial to 23 bits, one Newton step to 53. */
export function cbrt(x: number): number {
  const signedHigh = highWord(x);
  const sign = signedHigh & 0x80000000;
  const high = signedHigh & 0x7fffffff;
  if (x === 0 || high >= 0x7ff00000) return x;
  const guessHigh =
    high < 0x00100000
      ? Math.trunc((highWord(x * 0x40000000000000) & 0x7fffffff) / 3) + 696219795
      : Math.trunc(high / 3) + 715094163;
  let t = fromWords(sign | guessHigh, 0);
  let r = t * t * (t / x);
  t *=
    1.87595182427177 +
    r * (-1.8849797954337717 + r * 1.6214297201053545) +
    r * r * r * (-0.758397934778766 + r * 0.14599619288661245);
  t = roundTo23Bits(t);
  r = x / (t * t);
  r = (r - t) / (t + t + r);
  return t + t * r;
}

/** Away from zero, so that squaring the result is exact. */
function roundTo23Bits(t: number): number {
  const high = highWord(t);
  const low = lowWord(t);
  return fromWords(low < 0 ? high + 1 : high, (low + 0x80000000) & 0xc0000000);
}

/** Kahan's compensated sum of the squares, each divided by the largest magnitude against overflow. */
export function hypot(...values: number[]): number {
  let max = 0;
  let sawNaN = false;
  for (const value of values) {
    const magnitude = Math.abs(value);
    if (magnitude !== magnitude) sawNaN = true;
    else if (magnitude > max) max = magnitude;
  }
  if (max === Infinity) return max;
  if (sawNaN) return NaN;
  if (max === 0) return 0;
  let sum = 0;
  let compensation = 0;
  for (const value of values) {
    const ratio = Math.abs(value) / max;
    const summand = ratio * ratio - compensation;
    const next = sum + summand;
    compensation = next - sum - summand;
    sum = next;
  }
  return Math.sqrt(sum) * max;
}
