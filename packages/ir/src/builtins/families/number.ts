/** Left out: toLocaleString, boxed primitives. */
export const numberList = `
Number(value?: number) -> number | new   length=1 new-refused
Number.EPSILON = number
Number.MAX_SAFE_INTEGER = number
Number.MAX_VALUE = number
Number.MIN_SAFE_INTEGER = number
Number.MIN_VALUE = number
Number.NEGATIVE_INFINITY = number
Number.NaN = number
Number.POSITIVE_INFINITY = number
Number.isFinite(value: any) -> boolean
Number.isInteger(value: any) -> boolean
Number.isNaN(value: any) -> boolean
Number.isSafeInteger(value: any) -> boolean
Number.parseFloat = parseFloat()
Number.parseInt = parseInt()
Number.prototype.toExponential(digits: integer) -> string
Number.prototype.toFixed(digits: integer) -> string
Number.prototype.toPrecision(digits: integer) -> string
Number.prototype.toString(radix: integer) -> string
Number.prototype.valueOf() -> number

Boolean(value: any) -> boolean | new   new-refused
Boolean.prototype.toString() -> string
Boolean.prototype.valueOf() -> boolean

BigInt(value: number) -> bigint
BigInt.asIntN(bits: integer, value: bigint) -> bigint
BigInt.asUintN(bits: integer, value: bigint) -> bigint
BigInt.prototype.toString(radix?: integer) -> string
BigInt.prototype.valueOf() -> bigint

NaN = number
Infinity = number
isFinite(value: number) -> boolean
isNaN(value: number) -> boolean
parseFloat(text: string) -> number
parseInt(text: string, radix: integer) -> number

Math.E = number
Math.LN10 = number
Math.LN2 = number
Math.LOG10E = number
Math.LOG2E = number
Math.PI = number
Math.SQRT1_2 = number
Math.SQRT2 = number
Math.abs(x: number) -> number
Math.acos(x: number) -> number
Math.acosh(x: number) -> number
Math.asin(x: number) -> number
Math.asinh(x: number) -> number
Math.atan(x: number) -> number
Math.atan2(y: number, x: number) -> number
Math.atanh(x: number) -> number
Math.cbrt(x: number) -> number
Math.ceil(x: number) -> number
Math.clz32(x: number) -> integer
Math.cos(x: number) -> number
Math.cosh(x: number) -> number
Math.exp(x: number) -> number
Math.expm1(x: number) -> number
Math.floor(x: number) -> number
Math.fround(x: number) -> number
Math.hypot(...values: number) -> number   length=2
Math.imul(a: number, b: number) -> integer
Math.log(x: number) -> number
Math.log10(x: number) -> number
Math.log1p(x: number) -> number
Math.log2(x: number) -> number
Math.max(...values: number) -> number   length=2
Math.min(...values: number) -> number   length=2
Math.pow(base: number, exponent: number) -> number
Math.random() -> number
Math.round(x: number) -> number
Math.sign(x: number) -> number
Math.sin(x: number) -> number
Math.sinh(x: number) -> number
Math.sqrt(x: number) -> number
Math.tan(x: number) -> number
Math.tanh(x: number) -> number
Math.trunc(x: number) -> number
`;
