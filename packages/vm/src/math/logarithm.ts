import { fromWords, highWord, lowWord, truncateLowWord, withHighWord } from "./float64-words.ts";

const LN2_HEAD = 0.6931471803691238;
const LN2_TAIL = 1.9082149292705877e-10;
const TWO_54 = 0x40000000000000;

export function log(x: number): number {
  if (x === 0) return -Infinity;
  if (!(x > 0)) return NaN;
  if (x === Infinity) return x;
  const k = splitExponent(x);
  const mantissa = normalised[0]!;
  const f = mantissa - 1;
  // The fraction bits of x itself choose the formula, so they are taken back from the normalised 1 + f.
  const fraction = highWord(mantissa) & 0x000fffff;
  if ((0x000fffff & (2 + fraction)) < 3) {
    if (f === 0) return k === 0 ? 0 : k * LN2_HEAD + k * LN2_TAIL;
    const r = f * f * (0.5 - 0.3333333333333333 * f);
    return k === 0 ? f - r : k * LN2_HEAD - (r - k * LN2_TAIL - f);
  }
  const s = f / (2 + f);
  const r = logPolynomial(s * s);
  if (((fraction - 0x6147a) | (0x6b851 - fraction)) > 0) {
    const halfSquare = 0.5 * f * f;
    if (k === 0) return f - (halfSquare - s * (halfSquare + r));
    return k * LN2_HEAD - (halfSquare - (s * (halfSquare + r) + k * LN2_TAIL) - f);
  }
  if (k === 0) return f - s * (f - r);
  return k * LN2_HEAD - (s * (f - r) - k * LN2_TAIL - f);
}

/** Second result of splitExponent: x / 2^k, in (sqrt(1/2), sqrt(2)). Read at once by its callers. */
const normalised = new Float64Array(1);

function splitExponent(x: number): number {
  let k = 0;
  let high = highWord(x);
  if (high < 0x00100000) {
    k = -54;
    x *= TWO_54;
    high = highWord(x);
  }
  const fraction = high & 0x000fffff;
  const carry = (fraction + 0x95f64) & 0x100000;
  normalised[0] = withHighWord(x, fraction | (carry ^ 0x3ff00000));
  return k + (high >> 20) - 1023 + (carry >> 20);
}

/** log(1 + f) = f - f²/2 + s (f²/2 + R(s²)), s = f / (2 + f); this is R, odd and even coefficients apart. */
function logPolynomial(z: number): number {
  const w = z * z;
  const even = w * (0.3999999999940942 + w * (0.22222198432149784 + w * 0.15313837699209373));
  const odd = z * (0.6666666666666735 + w * (0.2857142874366239 + w * (0.1818357216161805 + w * 0.14798198605116586)));
  return odd + even;
}

export function log1p(x: number): number {
  if (x === -1) return -Infinity;
  if (!(x > -1)) return NaN;
  if (x === Infinity) return x;
  const high = highWord(x);
  const magnitudeHigh = high & 0x7fffffff;
  if (magnitudeHigh < 0x3e200000) return magnitudeHigh < 0x3c900000 ? x : x - x * x * 0.5;
  const nearOne = high < 0x3fda827a && (high > 0 || high <= (0xbfd2bec4 | 0));
  return nearOne ? log1pScaled(x, 0, 0, 1) : log1pSplit(x, high);
}

/** 1 + x = 2^k (1 + f), where rounding 1 + x lost `correction`, relative to the sum. */
function log1pSplit(x: number, high: number): number {
  let sum = x;
  let correction = 0;
  if (high < 0x43400000) {
    sum = 1 + x;
    correction = (highWord(sum) >> 20 > 1023 ? 1 - (sum - x) : x - (sum - 1)) / sum;
  }
  const sumHigh = highWord(sum);
  const fraction = sumHigh & 0x000fffff;
  const k = (sumHigh >> 20) - 1023;
  if (fraction < 0x6a09e) return log1pScaled(withHighWord(sum, fraction | 0x3ff00000) - 1, k, correction, fraction);
  const f = withHighWord(sum, fraction | 0x3fe00000) - 1;
  return log1pScaled(f, k + 1, correction, (0x00100000 - fraction) >> 2);
}

function log1pScaled(f: number, k: number, correction: number, significant: number): number {
  const halfSquare = 0.5 * f * f;
  if (significant === 0) {
    if (f === 0) return k === 0 ? 0 : k * LN2_HEAD + (correction + k * LN2_TAIL);
    const r = halfSquare * (1 - 0.6666666666666666 * f);
    return k === 0 ? f - r : k * LN2_HEAD - (r - (k * LN2_TAIL + correction) - f);
  }
  const s = f / (2 + f);
  const z = s * s;
  const r =
    z *
    (0.6666666666666735 +
      z *
        (0.3999999999940942 +
          z *
            (0.2857142874366239 +
              z *
                (0.22222198432149784 +
                  z * (0.1818357216161805 + z * (0.15313837699209373 + z * 0.14798198605116586))))));
  if (k === 0) return f - (halfSquare - s * (halfSquare + r));
  return k * LN2_HEAD - (halfSquare - (s * (halfSquare + r) + (k * LN2_TAIL + correction)) - f);
}

const INVERSE_LN2_HEAD = 1.4426950407214463;
const INVERSE_LN2_TAIL = 1.6751713164886512e-10;

export function log2(x: number): number {
  if (x === 0) return -Infinity;
  if (!(x > 0)) return NaN;
  if (x === Infinity) return x;
  if (x === 1) return 0;
  const k = splitExponent(x);
  const f = normalised[0]! - 1;
  const halfSquare = 0.5 * f * f;
  const s = f / (2 + f);
  const r = s * (halfSquare + logPolynomial(s * s));
  const head = truncateLowWord(f - halfSquare);
  const tail = f - head - halfSquare + r;
  const scaledHead = head * INVERSE_LN2_HEAD;
  const scaledTail = (tail + head) * INVERSE_LN2_TAIL + tail * INVERSE_LN2_HEAD;
  const sum = k + scaledHead;
  return scaledTail + (k - sum + scaledHead) + sum;
}

const INVERSE_LN10 = 0.4342944819032518;
const LOG10_2_HEAD = 0.30102999566361177;
const LOG10_2_TAIL = 3.694239077158931e-13;

export function log10(x: number): number {
  if (x === 0) return -Infinity;
  if (!(x > 0)) return NaN;
  if (x === Infinity) return x;
  if (x === 1) return 0;
  const subnormal = highWord(x) < 0x00100000;
  const normal = subnormal ? x * TWO_54 : x;
  const high = highWord(normal);
  const k = (high >> 20) - 1023 - (subnormal ? 54 : 0);
  const below = k < 0 ? 1 : 0;
  const y = k + below;
  const scaled = fromWords((high & 0x000fffff) | ((0x3ff - below) << 20), lowWord(normal));
  return y * LOG10_2_TAIL + INVERSE_LN10 * log(scaled) + y * LOG10_2_HEAD;
}
