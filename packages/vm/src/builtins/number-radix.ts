const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz";
const EXACT_MAX = 2 ** 53;

/**
 * `Number.prototype.toString` with a radix other than 10, as V8 writes it: ECMA-262 leaves the number of digits
 * to the implementation. Fractional digits stop as soon as they tell the number from its neighbours.
 */
export function toRadix(value: number, radix: number): string {
  if (value !== value) return "NaN";
  if (value === Infinity) return "Infinity";
  if (value === -Infinity) return "-Infinity";
  const magnitude = Math.abs(value);
  const whole = Math.floor(magnitude);
  const { digits, carry } = fractionDigits(magnitude, magnitude - whole, radix);
  const sign = value < 0 ? "-" : "";
  const point = digits.length > 0 ? "." : "";
  return sign + wholeDigits(whole + carry, radix) + point + digits.map((digit) => DIGITS[digit]).join("");
}

function fractionDigits(value: number, fraction: number, radix: number): { digits: number[]; carry: number } {
  const digits: number[] = [];
  let rest = fraction;
  let delta = Math.max(0.5 * (nextUp(value) - value), Number.MIN_VALUE);
  while (rest >= delta) {
    rest *= radix;
    delta *= radix;
    const digit = Math.trunc(rest);
    digits.push(digit);
    rest -= digit;
    const roundsUp = rest > 0.5 || (rest === 0.5 && (digit & 1) === 1);
    if (roundsUp && rest + delta > 1) return { digits, carry: roundUp(digits, radix) };
  }
  return { digits, carry: 0 };
}

/** Adds one unit in the last place; gives 1 when it carries into the whole part. */
function roundUp(digits: number[], radix: number): number {
  for (let digit = digits.pop(); digit !== undefined; digit = digits.pop()) {
    if (digit + 1 < radix) {
      digits.push(digit + 1);
      return 0;
    }
  }
  return 1;
}

/** Digits whose quotient no double holds exactly are zeros. */
function wholeDigits(whole: number, radix: number): string {
  let rest = whole;
  let text = "";
  for (let quotient = rest / radix; quotient >= EXACT_MAX; quotient = rest / radix) {
    rest = quotient;
    text += "0";
  }
  let digits = "";
  do {
    const digit = rest % radix;
    digits = DIGITS[Math.trunc(digit)] + digits;
    rest = (rest - digit) / radix;
  } while (rest > 0);
  return digits + text;
}

const double = new Float64Array(1);
const bits = new BigUint64Array(double.buffer);

/** The next larger double of a finite number that is not negative. */
function nextUp(value: number): number {
  double[0] = value;
  bits[0] = bits[0]! + 1n;
  return double[0];
}
