import { fromWords, highWord, truncateLowWord } from "./float64-words.ts";
import { reduceByHalfPi } from "./pi-reduction.ts";

/** Head and tail of a reduced argument; written and read within one call. */
const remainder = new Float64Array(2);

/** High word of pi/4. */
const QUARTER_PI_HIGH = 0x3fe921fb;

export function sin(x: number): number {
  const high = highWord(x) & 0x7fffffff;
  if (high <= QUARTER_PI_HIGH) return sinKernel(x, 0, false);
  if (high >= 0x7ff00000) return NaN;
  const quadrant = reduceByHalfPi(x, remainder) & 3;
  const head = remainder[0]!;
  const tail = remainder[1]!;
  const value = (quadrant & 1) === 0 ? sinKernel(head, tail, true) : cosKernel(head, tail);
  return quadrant < 2 ? value : -value;
}

export function cos(x: number): number {
  const high = highWord(x) & 0x7fffffff;
  if (high <= QUARTER_PI_HIGH) return cosKernel(x, 0);
  if (high >= 0x7ff00000) return NaN;
  const quadrant = reduceByHalfPi(x, remainder) & 3;
  const head = remainder[0]!;
  const tail = remainder[1]!;
  const value = (quadrant & 1) === 0 ? cosKernel(head, tail) : sinKernel(head, tail, true);
  return quadrant === 0 || quadrant === 3 ? value : -value;
}

export function tan(x: number): number {
  const high = highWord(x) & 0x7fffffff;
  if (high <= QUARTER_PI_HIGH) return tanKernel(x, 0, true);
  if (high >= 0x7ff00000) return NaN;
  const even = (reduceByHalfPi(x, remainder) & 1) === 0;
  return tanKernel(remainder[0]!, remainder[1]!, even);
}

/** sin(x + tail) for |x| <= pi/4: a polynomial of degree 13. Without a tail the sum is rounded in another order. */
function sinKernel(x: number, tail: number, hasTail: boolean): number {
  if ((highWord(x) & 0x7fffffff) < 0x3e400000) return x;
  const z = x * x;
  const v = z * x;
  const r =
    0.00833333333332249 +
    z *
      (-0.0001984126982985795 +
        z * (0.0000027557313707070068 + z * (-2.5050760253406863e-8 + z * 1.58969099521155e-10)));
  if (!hasTail) return x + v * (-0.16666666666666632 + z * r);
  return x - (z * (0.5 * tail - v * r) - tail - v * -0.16666666666666632);
}

/** cos(x + tail) for |x| <= pi/4: a polynomial of degree 14, with x²/2 split for the larger |x|. */
function cosKernel(x: number, tail: number): number {
  const high = highWord(x) & 0x7fffffff;
  if (high < 0x3e400000) return 1;
  const z = x * x;
  const r =
    z *
    (0.0416666666666666 +
      z *
        (-0.001388888888887411 +
          z *
            (0.00002480158728947673 +
              z * (-2.7557314351390663e-7 + z * (2.087572321298175e-9 + z * -1.1359647557788195e-11)))));
  if (high < 0x3fd33333) return 1 - (0.5 * z - (z * r - x * tail));
  const quarter = high > 0x3fe90000 ? 0.28125 : fromWords(high - 0x00200000, 0);
  return 1 - quarter - (0.5 * z - quarter - (z * r - x * tail));
}

/** tan(x + tail) for |x| <= pi/4, or -1/tan when the quadrant is odd. */
function tanKernel(x: number, tail: number, even: boolean): number {
  const signedHigh = highWord(x);
  const high = signedHigh & 0x7fffffff;
  if (high < 0x3e300000) {
    if (even) return x;
    return negativeReciprocal(x + tail, x, tail);
  }
  const large = high >= 0x3fe59428;
  if (large) {
    // tan(pi/4 - y) = (1 - tan y) / (1 + tan y)
    const sign = signedHigh < 0 ? -1 : 1;
    x = 0.7853981633974483 - sign * x + (3.061616997868383e-17 - sign * tail);
    tail = 0;
  }
  const z = x * x;
  const s = z * x;
  const r = tail + z * (s * tanPolynomial(z) + tail) + 0.3333333333333341 * s;
  const w = x + r;
  if (large) {
    const one = even ? 1 : -1;
    return (signedHigh < 0 ? -1 : 1) * (one - 2 * (x - ((w * w) / (w + one) - r)));
  }
  return even ? w : negativeReciprocal(w, x, r);
}

/** The coefficients from x^5 on, odd and even ones apart, as the order of rounding wants. */
function tanPolynomial(z: number): number {
  const w = z * z;
  const odd =
    0.13333333333320124 +
    w *
      (0.021869488294859542 +
        w *
          (0.0035920791075913124 +
            w * (0.0005880412408202641 + w * (0.00007817944429395571 + w * -0.000018558637485527546))));
  const even =
    z *
    (0.05396825397622605 +
      w *
        (0.0088632398235993 +
          w *
            (0.0014562094543252903 +
              w * (0.0002464631348184699 + w * (0.00007140724913826082 + w * 0.00002590730518636337)))));
  return odd + even;
}

/** -1 / (x + r), where `sum` is x + r rounded. */
function negativeReciprocal(sum: number, x: number, r: number): number {
  const head = truncateLowWord(sum);
  const tail = r - (head - x);
  const reciprocal = -1 / sum;
  const reciprocalHead = truncateLowWord(reciprocal);
  return reciprocalHead + reciprocal * (1 + reciprocalHead * head + reciprocalHead * tail);
}
