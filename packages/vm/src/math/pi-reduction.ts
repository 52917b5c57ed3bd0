import { highWord } from "./float64-words.ts";
import { reduceHuge } from "./payne-hanek.ts";

/**
 * Reduces a finite |x| > pi/4 to [-pi/4, pi/4] (fdlibm's rem_pio2): the remainder's head and tail go to `remainder`,
 * the answer is the quotient by pi/2, of which the last two bits mean something.
 */
export function reduceByHalfPi(x: number, remainder: Float64Array): number {
  const magnitudeHigh = highWord(x) & 0x7fffffff;
  const magnitude = Math.abs(x);
  let quotient = 1;
  if (magnitudeHigh < 0x4002d97c) reduceOnce(magnitude, magnitudeHigh, remainder);
  else if (magnitudeHigh <= 0x413921fb) quotient = reduceMedium(magnitude, magnitudeHigh, remainder);
  else quotient = reduceHuge(magnitude, remainder);
  if (x > 0) return quotient;
  remainder[0] = -remainder[0]!;
  remainder[1] = -remainder[1]!;
  return -quotient;
}

// pi/2 in 33-bit pieces, each with what it leaves of pi/2.
const PIECE_1 = 1.5707963267341256;
const REST_1 = 6.077100506506192e-11;
const PIECE_2 = 6.077100506303966e-11;
const REST_2 = 2.0222662487959506e-21;
const PIECE_3 = 2.0222662487111665e-21;
const REST_3 = 8.4784276603689e-32;
const TWO_OVER_PI = 0.6366197723675814;

/** |x| < 3pi/4: one subtraction, of more bits of pi when x is close to pi/2. */
function reduceOnce(x: number, high: number, remainder: Float64Array): void {
  const closeToHalfPi = high === 0x3ff921fb;
  const difference = closeToHalfPi ? x - PIECE_1 - PIECE_2 : x - PIECE_1;
  const rest = closeToHalfPi ? REST_2 : REST_1;
  const head = difference - rest;
  remainder[0] = head;
  remainder[1] = difference - head - rest;
}

/** |x| up to about 2^19 pi: Cody-Waite, with more pieces of pi as long as too many bits cancel. */
function reduceMedium(x: number, high: number, remainder: Float64Array): number {
  const quotient = Math.trunc(x * TWO_OVER_PI + 0.5);
  let difference = x - quotient * PIECE_1;
  let rest = quotient * REST_1;
  let head = difference - rest;
  if (quotient >= 32 || high === MULTIPLES_HIGH[quotient - 1]) {
    const exponent = high >> 20;
    if (exponent - ((highWord(head) >> 20) & 0x7ff) > 16) {
      let before = difference;
      rest = quotient * PIECE_2;
      difference = before - rest;
      rest = quotient * REST_2 - (before - difference - rest);
      head = difference - rest;
      if (exponent - ((highWord(head) >> 20) & 0x7ff) > 49) {
        before = difference;
        rest = quotient * PIECE_3;
        difference = before - rest;
        rest = quotient * REST_3 - (before - difference - rest);
        head = difference - rest;
      }
    }
  }
  remainder[0] = head;
  remainder[1] = difference - head - rest;
  return quotient;
}

/** The high words of the first multiples of pi/2: another high word means that little cancels. */
const MULTIPLES_HIGH = [
  0x3ff921fb, 0x400921fb, 0x4012d97c, 0x401921fb, 0x401f6a7a, 0x4022d97c, 0x4025fdbb, 0x402921fb, 0x402c463a,
  0x402f6a7a, 0x4031475c, 0x4032d97c, 0x40346b9c, 0x4035fdbb, 0x40378fdb, 0x403921fb, 0x403ab41b, 0x403c463a,
  0x403dd85a, 0x403f6a7a, 0x40407e4c, 0x4041475c, 0x4042106c, 0x4042d97c, 0x4043a28c, 0x40446b9c, 0x404534ac,
  0x4045fdbb, 0x4046c6cb, 0x40478fdb, 0x404858eb, 0x404921fb,
];
