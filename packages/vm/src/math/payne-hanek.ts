import { highWord, powerOfTwo, withHighWord } from "./float64-words.ts";

/**
 * Payne-Hanek reduction of a huge argument (fdlibm's kernel_rem_pio2, for a result of two doubles).
 *
 * x * 2/pi is multiplied out in 24-bit digits, leaving away the leading ones, which only add multiples of 8 to the
 * quotient. The remainder's head and tail go to `remainder`; the answer is the quotient modulo 8.
 */
export function reduceHuge(x: number, remainder: Float64Array): number {
  const exponent = (highWord(x) >> 20) - 1046;
  const pieces = splitInto24Bits(withHighWord(x, highWord(x) - (exponent << 20)));
  const firstDigit = Math.max(0, Math.trunc((exponent - 3) / 24));
  const scale = exponent - 24 * (firstDigit + 1);
  const product: number[] = [];
  extendProduct(product, INITIAL_TERMS + 1, pieces, firstDigit);
  let fraction = distill(product, scale);
  for (;;) {
    const missing = missingTerms(fraction);
    if (missing === 0) break;
    extendProduct(product, product.length + missing, pieces, firstDigit);
    fraction = distill(product, scale);
  }
  const terms = timesHalfPi(fraction, scale);
  const sign = fraction.negated ? -1 : 1;
  let sum = 0;
  for (let i = terms.length - 1; i >= 0; i--) sum += terms[i]!;
  remainder[0] = sign * sum;
  sum = terms[0]! - sum;
  for (let i = 1; i < terms.length; i++) sum += terms[i]!;
  remainder[1] = sign * sum;
  return fraction.quotient & 7;
}

const INITIAL_TERMS = 4;
const TWO_24 = 0x1000000;
const TWO_NEG_24 = 1 / TWO_24;

/** The fraction of x * 2/pi: `top` in units of 2^scale, then `digits`, least significant first. */
type Fraction = { quotient: number; negated: boolean; top: number; digits: number[] };

function splitInto24Bits(x: number): number[] {
  const first = Math.trunc(x);
  const rest = (x - first) * TWO_24;
  const second = Math.trunc(rest);
  const third = (rest - second) * TWO_24;
  if (third !== 0) return [first, second, third];
  return second !== 0 ? [first, second] : [first];
}

function extendProduct(product: number[], length: number, pieces: number[], firstDigit: number): void {
  for (let i = product.length; i < length; i++) {
    let sum = 0;
    for (let j = 0; j < pieces.length; j++) sum += pieces[j]! * (TWO_OVER_PI[firstDigit + i - j] ?? 0);
    product.push(sum);
  }
}

/** Carries the product's terms into digits, splits off the quotient, and rounds it to nearest. */
function distill(product: number[], scale: number): Fraction {
  const last = product.length - 1;
  const digits: number[] = [];
  let top = product[last]!;
  for (let j = last; j > 0; j--) {
    const carried = Math.trunc(TWO_NEG_24 * top);
    digits.push(top - TWO_24 * carried);
    top = product[j - 1]! + carried;
  }
  top *= powerOfTwo(scale);
  top -= 8 * Math.floor(top * 0.125);
  let quotient = Math.trunc(top);
  top -= quotient;
  let half = 0;
  if (scale > 0) {
    // The units digit of the quotient reaches into the first digit.
    const whole = digits[last - 1]! >> (24 - scale);
    quotient += whole;
    digits[last - 1]! -= whole << (24 - scale);
    half = digits[last - 1]! >> (23 - scale);
  } else if (scale === 0) {
    half = digits[last - 1]! >> 23;
  } else if (top >= 0.5) {
    half = 2;
  }
  if (half === 0) return { quotient, negated: false, top, digits };
  const borrowed = subtractFromOne(digits);
  if (scale > 0) digits[last - 1]! &= 0xffffff >> scale;
  if (half === 2) {
    top = 1 - top;
    if (borrowed) top -= powerOfTwo(scale);
  }
  return { quotient: quotient + 1, negated: true, top, digits };
}

function subtractFromOne(digits: number[]): boolean {
  let borrowed = false;
  for (let i = 0; i < digits.length; i++) {
    const digit = digits[i]!;
    if (borrowed) {
      digits[i] = 0xffffff - digit;
    } else if (digit !== 0) {
      borrowed = true;
      digits[i] = 0x1000000 - digit;
    }
  }
  return borrowed;
}

/** How many more terms of the product are needed because all the significant digits cancelled. */
function missingTerms(fraction: Fraction): number {
  const { digits, top } = fraction;
  if (top !== 0) return 0;
  for (let i = digits.length - 1; i >= INITIAL_TERMS; i--) if (digits[i] !== 0) return 0;
  let missing = 1;
  while (missing <= INITIAL_TERMS && digits[INITIAL_TERMS - missing] === 0) missing++;
  return missing;
}

/** The fraction times pi/2, as terms that fall off by 2^-24 each. */
function timesHalfPi(fraction: Fraction, scale: number): number[] {
  const digits = [...fraction.digits];
  let leading = scale;
  if (fraction.top === 0) {
    do {
      leading -= 24;
    } while (digits.at(-1) === 0 && digits.pop() === 0);
  } else {
    const top = fraction.top * powerOfTwo(-leading);
    if (top >= TWO_24) {
      const carried = Math.trunc(TWO_NEG_24 * top);
      digits.push(top - TWO_24 * carried, carried);
      leading += 24;
    } else {
      digits.push(Math.trunc(top));
    }
  }
  let unit = powerOfTwo(leading);
  for (let i = digits.length - 1; i >= 0; i--) {
    digits[i]! *= unit;
    unit *= TWO_NEG_24;
  }
  const terms: number[] = [];
  for (let i = digits.length - 1; i >= 0; i--) {
    let sum = 0;
    for (let k = 0; k <= INITIAL_TERMS && k < digits.length - i; k++) sum += HALF_PI[k]! * digits[i + k]!;
    terms.push(sum);
  }
  return terms;
}

/** pi/2 in pieces of 24 bits. */
const HALF_PI = [
  1.570796251296997, 7.549789415861596e-8, 5.390302529957765e-15, 3.282003415807913e-22, 1.270655753080676e-29,
];

/** 396 hexadecimal digits of 2/pi, six to a number: enough for the largest double. */
const TWO_OVER_PI = [
  0xa2f983, 0x6e4e44, 0x1529fc, 0x2757d1, 0xf534dd, 0xc0db62, 0x95993c, 0x439041, 0xfe5163, 0xabdebb, 0xc561b7,
  0x246e3a, 0x424dd2, 0xe00649, 0x2eea09, 0xd1921c, 0xfe1deb, 0x1cb129, 0xa73ee8, 0x8235f5, 0x2ebb44, 0x84e99c,
  0x7026b4, 0x5f7e41, 0x3991d6, 0x398353, 0x39f49c, 0x845f8b, 0xbdf928, 0x3b1ff8, 0x97ffde, 0x05980f, 0xef2f11,
  0x8b5a0a, 0x6d1f6d, 0x367ecf, 0x27cb09, 0xb74f46, 0x3f669e, 0x5fea2d, 0x7527ba, 0xc7ebe5, 0xf17b3d, 0x0739f7,
  0x8a5292, 0xea6bfb, 0x5fb11f, 0x8d5d08, 0x560330, 0x46fc7b, 0x6babf0, 0xcfbc20, 0x9af436, 0x1da9e3, 0x91615e,
  0xe61b08, 0x659985, 0x5f14a0, 0x68408d, 0xffd880, 0x4d7327, 0x310606, 0x1556ca, 0x73a8c9, 0x60e27b, 0xc08c6b,
];
