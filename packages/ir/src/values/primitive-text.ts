/** Up to this length a loop over the characters is faster than calling JSON.stringify (measured: 3 times at 8). */
const LOOPED_LENGTH_MAX = 40;

/**
 * Bits of a bigint in two's complement. Larger ones take seconds to convert: one of 10 million digits 5 s
 * to write and 2 s to read.
 */
const BIGINT_BITS_MAX = 3_321_929;
/** The decimal digits of the largest of them. */
export const BIGINT_DIGITS_MAX = 1_000_000;

/** The text of a value that is no object; undefined for objects, functions and symbols. */
export function primitiveText(value: unknown): string | undefined {
  switch (typeof value) {
    case "string":
      return quote(value);
    case "number":
      return numberText(value);
    case "boolean":
      return value ? "true" : "false";
    case "undefined":
      return '{"$undefined":true}';
    case "bigint":
      return isBigintTooLarge(value) ? undefined : `{"$bigint":"${value}"}`;
    default:
      return value === null ? "null" : undefined;
  }
}

export function isBigintTooLarge(value: bigint): boolean {
  return BigInt.asIntN(BIGINT_BITS_MAX, value) !== value;
}

/** Equal to JSON.stringify(text), which writes lone surrogates as escapes. */
export function quote(text: string): string {
  if (text.length > LOOPED_LENGTH_MAX) return JSON.stringify(text);
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x20 || unit === 0x22 || unit === 0x5c || (unit >= 0xd800 && unit <= 0xdfff)) {
      return JSON.stringify(text);
    }
  }
  return `"${text}"`;
}

function numberText(value: number): string {
  if (value === 0) return 1 / value > 0 ? "0" : '{"$number":"-0"}';
  return value - value === 0 ? `${value}` : `{"$number":"${value}"}`;
}
