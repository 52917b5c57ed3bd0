import { fromWords, highWord, powerOfTwo, truncateLowWord, withHighWord } from "./float64-words.ts";

/** Both `Math.pow` and `**`: fdlibm's e_pow, where log2|x| is carried in two doubles through the product with y. */
export function pow(x: number, y: number): number {
  if (y === 0) return 1;
  if (x !== x || y !== y) return NaN;
  const magnitude = Math.abs(x);
  if (y === Infinity || y === -Infinity) {
    if (magnitude === 1) return NaN;
    return magnitude > 1 === y > 0 ? Infinity : 0;
  }
  if (y === 1) return x;
  if (y === -1) return 1 / x;
  if (y === 2) return x * x;
  const negative = highWord(x) < 0;
  if (y === 0.5 && !negative) return Math.sqrt(x);
  const odd = negative && y % 2 !== 0 && Math.trunc(y) === y;
  const sign = odd ? -1 : 1;
  if (magnitude === 0 || magnitude === Infinity) return sign * (y < 0 ? 1 / magnitude : magnitude);
  if (negative && Math.trunc(y) !== y) return NaN;
  if (magnitude === 1) return sign;
  const yHigh = highWord(y) & 0x7fffffff;
  if (yHigh > 0x41e00000) {
    const high = highWord(magnitude);
    const far = yHigh > 0x43f00000 || high < 0x3fefffff || high > 0x3ff00000;
    if (far) return sign * (magnitude > 1 === y > 0 ? Infinity : 0);
    splitLog2NearOne(magnitude);
  } else {
    splitLog2(magnitude);
  }
  const logHead = logarithm[0]!;
  const logTail = logarithm[1]!;
  const yHead = truncateLowWord(y);
  return sign * exp2Split(yHead * logHead, (y - yHead) * logHead + y * logTail);
}

/**
 * Head and tail of log2 of the magnitude, written by the two functions below and read at once by pow. Two `let` of
 * the module were tried: 164 ns a call instead of 153. What costs is the words written through memory.
 */
const logarithm = new Float64Array(2);

/** |1 - x| < 2^-20, where four terms of the series are enough. */
function splitLog2NearOne(x: number): void {
  const t = x - 1;
  const w = t * t * (0.5 - t * (0.3333333333333333 - t * 0.25));
  const u = 1.4426950216293335 * t;
  const v = t * 1.9259629911266175e-8 - w * 1.4426950408889634;
  const head = truncateLowWord(u + v);
  logarithm[0] = head;
  logarithm[1] = v - (head - u);
}

function splitLog2(x: number): void {
  let n = 0;
  let high = highWord(x);
  if (high < 0x00100000) {
    x *= 0x20000000000000;
    n = -53;
    high = highWord(x);
  }
  n += (high >> 20) - 0x3ff;
  const fraction = high & 0x000fffff;
  high = fraction | 0x3ff00000;
  // The interval is centred on 1 or on 1.5, whichever is nearer in the logarithm.
  const aroundThreeHalves = fraction > 0x3988e && fraction < 0xbb67a;
  if (fraction >= 0xbb67a) {
    n += 1;
    high -= 0x00100000;
  }
  x = withHighWord(x, high);
  const centre = aroundThreeHalves ? 1.5 : 1;
  const u = x - centre;
  const v = 1 / (x + centre);
  const s = u * v;
  const sHead = truncateLowWord(s);
  const sumHead = fromWords(((high >> 1) | 0x20000000) + 0x00080000 + (aroundThreeHalves ? 1 << 18 : 0), 0);
  const sumTail = x - (sumHead - centre);
  const sTail = v * (u - sHead * sumHead - sHead * sumTail);
  const r = logSeries(s * s) + sTail * (sHead + s);
  const squareHead = sHead * sHead;
  const tHead = truncateLowWord(3 + squareHead + r);
  const tTail = r - (tHead - 3 - squareHead);
  const productHead = sHead * tHead;
  const productTail = sTail * tHead + tTail * s;
  const pHead = truncateLowWord(productHead + productTail);
  const pTail = productTail - (pHead - productHead);
  // 2 / (3 ln 2), and log2(1.5), in head and tail.
  const zHead = 0.9617967009544373 * pHead;
  const zTail =
    -7.028461650952758e-9 * pHead + pTail * 0.9617966939259756 + (aroundThreeHalves ? 1.350039202129749e-8 : 0);
  const centreLog2 = aroundThreeHalves ? 0.5849624872207642 : 0;
  const head = truncateLowWord(zHead + zTail + centreLog2 + n);
  logarithm[0] = head;
  logarithm[1] = zTail - (head - n - centreLog2 - zHead);
}

function logSeries(z: number): number {
  return (
    z *
    z *
    (0.5999999999999946 +
      z *
        (0.4285714285785502 +
          z * (0.33333332981837743 + z * (0.272728123808534 + z * (0.23066074577556175 + z * 0.20697501780033842)))))
  );
}

/** How far 1024 lies beyond log2 of the largest double plus half an ulp. */
const OVERFLOW_MARGIN = 8.008566259537294e-17;

/** 2^(head + tail). */
function exp2Split(head: number, tail: number): number {
  const sum = tail + head;
  if (sum > 1024 || (sum === 1024 && tail + OVERFLOW_MARGIN > sum - head)) return Infinity;
  if (sum < -1075 || (sum === -1075 && tail <= sum - head)) return 0;
  let n = 0;
  const sumHigh = highWord(sum);
  if ((sumHigh & 0x7fffffff) > 0x3fe00000) {
    // n is the sum rounded to an integer, in bit arithmetic: half a unit is added to the magnitude.
    const rounded = sumHigh + (0x00100000 >> (((sumHigh & 0x7fffffff) >> 20) - 0x3ff + 1));
    const exponent = ((rounded & 0x7fffffff) >> 20) - 0x3ff;
    n = ((rounded & 0x000fffff) | 0x00100000) >> (20 - exponent);
    if (sumHigh < 0) n = -n;
    head -= fromWords(rounded & ~(0x000fffff >> exponent), 0);
  }
  const t = truncateLowWord(tail + head);
  const u = t * 0.6931471824645996;
  const v = (tail - (t - head)) * Math.LN2 + t * -1.904654299957768e-9;
  const z = u + v;
  const w = v - (z - u);
  const square = z * z;
  const c =
    z -
    square *
      (0.16666666666666602 +
        square *
          (-0.0027777777777015593 +
            square * (0.00006613756321437934 + square * (-0.0000016533902205465252 + square * 4.1381367970572385e-8))));
  const y = 1 - ((z * c) / (c - 2 - (w + z * w)) - z);
  const high = highWord(y) + (n << 20);
  // A subnormal result is rounded once, by the last of the two factors.
  return high >> 20 <= 0 ? (y * powerOfTwo(n + 54)) / 0x40000000000000 : withHighWord(y, high);
}
