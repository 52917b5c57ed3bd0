import { highWord, truncateLowWord } from "./float64-words.ts";

const HALF_PI = Math.PI / 2;
const HALF_PI_TAIL = 6.123233995736766e-17;
const QUARTER_PI = Math.PI / 4;
const PI_TAIL = 1.2246467991473532e-16;

export function acos(x: number): number {
  if (x === 1) return 0;
  if (x === -1) return Math.PI;
  if (!(x > -1 && x < 1)) return NaN;
  const high = highWord(x) & 0x7fffffff;
  if (high < 0x3fe00000) {
    if (high <= 0x3c600000) return HALF_PI;
    return HALF_PI - (x - (HALF_PI_TAIL - x * arcRatio(x * x)));
  }
  if (x < 0) {
    const z = (1 + x) * 0.5;
    const s = Math.sqrt(z);
    return Math.PI - 2 * (s + (arcRatio(z) * s - HALF_PI_TAIL));
  }
  const z = (1 - x) * 0.5;
  const s = Math.sqrt(z);
  const head = truncateLowWord(s);
  const tail = (z - head * head) / (s + head);
  return 2 * (head + (arcRatio(z) * s + tail));
}

export function asin(x: number): number {
  if (x === 1 || x === -1) return x * HALF_PI;
  if (!(x > -1 && x < 1)) return NaN;
  const high = highWord(x) & 0x7fffffff;
  if (high < 0x3e400000) return x;
  if (high < 0x3fe00000) return x + x * arcRatio(x * x);
  const z = (1 - Math.abs(x)) * 0.5;
  const s = Math.sqrt(z);
  const ratio = arcRatio(z);
  let value: number;
  if (high >= 0x3fef3333) {
    value = HALF_PI - (2 * (s + s * ratio) - HALF_PI_TAIL);
  } else {
    const head = truncateLowWord(s);
    const tail = (z - head * head) / (s + head);
    const p = 2 * s * ratio - (HALF_PI_TAIL - 2 * tail);
    value = QUARTER_PI - (p - (QUARTER_PI - 2 * head));
  }
  return x > 0 ? value : -value;
}

/** (asin(t) - t) / t for z = t², up to |t| = 1/2. */
function arcRatio(z: number): number {
  const numerator =
    z *
    (0.16666666666666666 +
      z *
        (-0.3255658186224009 +
          z *
            (0.20121253213486293 +
              z * (-0.04005553450067941 + z * (0.0007915349942898145 + z * 0.00003479331075960212)))));
  const denominator =
    1 + z * (-2.403394911734414 + z * (2.0209457602335057 + z * (-0.6882839716054533 + z * 0.07703815055590194)));
  return numerator / denominator;
}

export function atan(x: number): number {
  const high = highWord(x) & 0x7fffffff;
  if (high >= 0x44100000) {
    if (x !== x) return NaN;
    return x > 0 ? HALF_PI : -HALF_PI;
  }
  if (high < 0x3e400000) return x;
  if (high < 0x3fdc0000) return x - x * atanSum(x);
  const magnitude = Math.abs(x);
  let value: number;
  if (high < 0x3fe60000) {
    value = atanFrom(0.4636476090008061, 2.2698777452961687e-17, (2 * magnitude - 1) / (2 + magnitude));
  } else if (high < 0x3ff30000) {
    value = atanFrom(QUARTER_PI, 3.061616997868383e-17, (magnitude - 1) / (magnitude + 1));
  } else if (high < 0x40038000) {
    value = atanFrom(0.982793723247329, 1.3903311031230998e-17, (magnitude - 1.5) / (1 + 1.5 * magnitude));
  } else {
    value = atanFrom(HALF_PI, HALF_PI_TAIL, -1 / magnitude);
  }
  return x < 0 ? -value : value;
}

/** atan(c) + atan(t), where atan(c) is given as head and tail. */
function atanFrom(head: number, tail: number, t: number): number {
  return head - (t * atanSum(t) - tail - t);
}

/** 1 - atan(t) / t for |t| < 7/16. */
function atanSum(t: number): number {
  const z = t * t;
  const w = z * z;
  const even =
    z *
    (0.3333333333333293 +
      w *
        (0.14285714272503466 +
          w *
            (0.09090887133436507 + w * (0.06661073137387531 + w * (0.049768779946159324 + w * 0.016285820115365782)))));
  const odd =
    w *
    (-0.19999999999876483 +
      w * (-0.11111110405462356 + w * (-0.0769187620504483 + w * (-0.058335701337905735 + w * -0.036531572744216916))));
  return even + odd;
}

export function atan2(y: number, x: number): number {
  if (x !== x || y !== y) return NaN;
  if (x === 1) return atan(y);
  const negativeX = highWord(x) < 0;
  const negativeY = highWord(y) < 0;
  if (y === 0) {
    if (!negativeX) return y;
    return negativeY ? -Math.PI : Math.PI;
  }
  if (x === 0) return negativeY ? -HALF_PI : HALF_PI;
  if (x === Infinity || x === -Infinity || y === Infinity || y === -Infinity) {
    const angle = angleAtInfinity(Math.abs(y) === Infinity, Math.abs(x) === Infinity, negativeX);
    return negativeY ? -angle : angle;
  }
  const exponents = ((highWord(y) & 0x7fffffff) - (highWord(x) & 0x7fffffff)) >> 20;
  // Beyond 2^60 the quotient no longer matters, not even for the quadrant.
  if (exponents > 60) return negativeY ? -HALF_PI : HALF_PI;
  const angle = negativeX && exponents < -60 ? 0 : atan(Math.abs(y / x));
  if (!negativeX) return negativeY ? -angle : angle;
  return negativeY ? angle - PI_TAIL - Math.PI : Math.PI - (angle - PI_TAIL);
}

function angleAtInfinity(infiniteY: boolean, infiniteX: boolean, negativeX: boolean): number {
  if (!infiniteX) return HALF_PI;
  if (infiniteY) return negativeX ? 3 * QUARTER_PI : QUARTER_PI;
  return negativeX ? Math.PI : 0;
}
