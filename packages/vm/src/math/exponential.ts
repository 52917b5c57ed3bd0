import { highWord, powerOfTwo, withHighWord } from "./float64-words.ts";

const LN2_HEAD = 0.6931471803691238;
const LN2_TAIL = 1.9082149292705877e-10;
const INVERSE_LN2 = 1.4426950408889634;
const OVERFLOW = 709.782712893384;
const UNDERFLOW = -745.1332191019411;
const TWO_1023 = powerOfTwo(1023);
const TWO_NEG_1000 = powerOfTwo(-1000);

export function exp(x: number): number {
  if (x !== x) return NaN;
  if (x > OVERFLOW) return Infinity;
  if (x < UNDERFLOW) return 0;
  const magnitudeHigh = highWord(x) & 0x7fffffff;
  if (magnitudeHigh < 0x3e300000) return 1 + x;
  if (magnitudeHigh <= 0x3fd62e42) {
    const c = expCorrection(x);
    return 1 - ((x * c) / (c - 2) - x);
  }
  // The polynomial gets the last bit of e wrong; V8 answers the constant.
  if (x === 1) return Math.E;
  const k = nearestMultipleOfLn2(x, magnitudeHigh);
  const head = x - k * LN2_HEAD;
  const tail = k * LN2_TAIL;
  const r = head - tail;
  const c = expCorrection(r);
  const y = 1 - (tail - (r * c) / (2 - c) - head);
  if (k === 1024) return y * 2 * TWO_1023;
  return k >= -1021 ? y * powerOfTwo(k) : y * powerOfTwo(k + 1000) * TWO_NEG_1000;
}

/** Up to 1.5 ln 2 the multiple is ±1 by definition; a rounded quotient would answer differently at the borders. */
function nearestMultipleOfLn2(x: number, magnitudeHigh: number): number {
  if (magnitudeHigh < 0x3ff0a2b2) return x < 0 ? -1 : 1;
  return Math.trunc(INVERSE_LN2 * x + (x < 0 ? -0.5 : 0.5));
}

function expCorrection(r: number): number {
  const t = r * r;
  return (
    r -
    t *
      (0.16666666666666602 +
        t *
          (-0.0027777777777015593 +
            t * (0.00006613756321437934 + t * (-0.0000016533902205465252 + t * 4.1381367970572385e-8))))
  );
}

export function expm1(x: number): number {
  if (x !== x) return NaN;
  if (x > OVERFLOW) return Infinity;
  const magnitudeHigh = highWord(x) & 0x7fffffff;
  if (x < 0 && magnitudeHigh >= 0x4043687a) return -1;
  if (magnitudeHigh < 0x3c900000) return x;
  if (magnitudeHigh <= 0x3fd62e42) {
    const halfSquare = x * (0.5 * x);
    return x - (x * expm1Correction(x, halfSquare) - halfSquare);
  }
  const k = nearestMultipleOfLn2(x, magnitudeHigh);
  const head = x - k * LN2_HEAD;
  const tail = k * LN2_TAIL;
  const r = head - tail;
  const lost = head - r - tail;
  const halfSquare = r * (0.5 * r);
  const e = r * (expm1Correction(r, halfSquare) - lost) - lost - halfSquare;
  return scaleExpm1(r, e, k);
}

function expm1Correction(r: number, halfSquare: number): number {
  const r1 =
    1 +
    halfSquare *
      (-0.03333333333333313 +
        halfSquare *
          (0.0015873015872548146 +
            halfSquare *
              (-0.0000793650757867488 + halfSquare * (0.000004008217827329362 + halfSquare * -2.0109921818362437e-7))));
  const t = 3 - r1 * (0.5 * r);
  return halfSquare * ((r1 - t) / (6 - r * t));
}

/** 2^k (1 + r - e) - 1, in the order that loses least for each k. */
function scaleExpm1(r: number, e: number, k: number): number {
  if (k === -1) return 0.5 * (r - e) - 0.5;
  if (k === 1) return r < -0.25 ? -2 * (e - (r + 0.5)) : 1 + 2 * (r - e);
  if (k <= -2 || k > 56) {
    const y = 1 - (e - r);
    return (k === 1024 ? y * 2 * TWO_1023 : y * powerOfTwo(k)) - 1;
  }
  if (k < 20) return (withHighWord(1, 0x3ff00000 - (0x200000 >> k)) - (e - r)) * powerOfTwo(k);
  return (r - (e + powerOfTwo(-k)) + 1) * powerOfTwo(k);
}
