import { toText } from "../builtins/string-conversion.ts";
import { strictEquals } from "../heap/durable.ts";
import { VBuiltin, VClass } from "../heap/function.ts";
import { VObject, type Value } from "../heap/value.ts";
import { isCallable } from "./callable.ts";
import { pushPrelude } from "./calls.ts";
import type { Frame } from "./frame.ts";
import { EngineError, throwError, unsupported } from "./host.ts";
import type { Machine } from "./machine.ts";
import { pow } from "../math/index.ts";

/**
 * The operators on everything but the interpreter's fast paths. An object operand is made primitive by the
 * prelude function of the same name, which then comes back here with primitives.
 */
export type BinaryName =
  | "add"
  | "subtract"
  | "multiply"
  | "divide"
  | "remainder"
  | "exponent"
  | "bitAnd"
  | "bitOr"
  | "bitXor"
  | "shiftLeft"
  | "shiftRight"
  | "shiftRightZero"
  | "less"
  | "lessEqual"
  | "greater"
  | "greaterEqual";

export function binary(
  machine: Machine,
  frame: Frame,
  result: number,
  name: BinaryName,
  left: Value,
  right: Value,
): boolean {
  if (left instanceof VObject || right instanceof VObject) {
    return pushPrelude(machine, frame, result, "binary", [name, left, right]);
  }
  frame.registers[result] = binaryPrimitive(machine, name, left, right);
  return true;
}

export function binaryPrimitive(machine: Machine, name: BinaryName, left: Value, right: Value): Value {
  switch (name) {
    case "less":
      chargeComparison(machine, left, right, ORDER_UNITS);
      return (left as number) < (right as number);
    case "lessEqual":
      chargeComparison(machine, left, right, ORDER_UNITS);
      return (left as number) <= (right as number);
    case "greater":
      chargeComparison(machine, left, right, ORDER_UNITS);
      return (left as number) > (right as number);
    case "greaterEqual":
      chargeComparison(machine, left, right, ORDER_UNITS);
      return (left as number) >= (right as number);
    case "add":
      if (typeof left === "string" || typeof right === "string")
        return concat(machine, toText(machine, left), toText(machine, right));
      break;
    default:
  }
  if (typeof left === "bigint" || typeof right === "bigint") return bigintOperation(machine, name, left, right);
  return numberOperation(name, numberOf(machine, left), numberOf(machine, right));
}

/** The host reads all of a text that it compares, or takes as a number; a short one is paid for by the instruction. */
const READ_TEXT_MIN = 64;
/** How many units of two texts are compared in the time of one instruction: for their order, and for equality. */
const ORDER_UNITS = 16;
const EQUALITY_UNITS = 64;

/** Texts of different lengths are different at once. */
export function equalityFuel(left: string, right: string): number {
  return left.length === right.length && left.length >= READ_TEXT_MIN ? left.length >> 6 : 0;
}

function numberOf(machine: Machine, value: Value): number {
  if (typeof value === "string" && value.length >= READ_TEXT_MIN) machine.charge(value.length / 8, 0);
  return Number(value);
}

/** Pays for comparing two primitives, which is more than an instruction's work where long texts are among them. */
function chargeComparison(machine: Machine, left: Value, right: Value, units: number): void {
  if (typeof left === "string" && typeof right === "string") {
    const length = Math.min(left.length, right.length);
    if (length >= READ_TEXT_MIN) machine.charge(length / units, 0);
    return;
  }
  const text = typeof left === "string" ? left : right;
  if (typeof text !== "string" || text.length < READ_TEXT_MIN) return;
  const isBigint = typeof left === "bigint" || typeof right === "bigint";
  machine.charge(isBigint ? (text.length / 16) ** 1.6 : text.length / 8, 0);
}

function numberOperation(name: BinaryName, left: number, right: number): number {
  switch (name) {
    case "add":
      return left + right;
    case "subtract":
      return left - right;
    case "multiply":
      return left * right;
    case "divide":
      return left / right;
    case "remainder":
      return left % right;
    case "exponent":
      return pow(left, right);
    case "bitAnd":
      return left & right;
    case "bitOr":
      return left | right;
    case "bitXor":
      return left ^ right;
    case "shiftLeft":
      return left << right;
    case "shiftRight":
      return left >> right;
    case "shiftRightZero":
      return left >>> right;
    default:
      throw new Error(`'${name}' is not arithmetic`);
  }
}

/**
 * A string holds its parts until it is read, so joining costs the smaller part; a share of the whole is charged
 * too, since each result may be flattened later, by a look at one character.
 */
export function concat(machine: Machine, left: string, right: string | number): string {
  const joined = left + right;
  const length = joined.length;
  if (length < LONG_TEXT) {
    machine.bytesAllocated += 24 + length - left.length;
    return joined;
  }
  if (length > machine.limits.stateBytesMax) {
    throw new EngineError("StateTooLarge", `A string of ${length} characters is larger than a run may hold`);
  }
  const smaller = Math.min(left.length, length - left.length);
  machine.charge((smaller >> 6) + (length >> 12), 24 + smaller + (length >> 5));
  return joined;
}

const LONG_TEXT = 1024;
/** Sizes of bigint results are bounded before the host computes them: it can neither be stopped nor sliced. */
const BIGINT_BITS_MAX = 1_000_000;

function bigintOperation(machine: Machine, name: BinaryName, left: Value, right: Value): bigint {
  if (typeof left !== "bigint" || typeof right !== "bigint") {
    throwError(machine, "TypeError", "Cannot mix BigInt and other types, use explicit conversions");
  }
  chargeBigint(machine, name, left, right);
  switch (name) {
    case "add":
      return left + right;
    case "subtract":
      return left - right;
    case "multiply":
      return left * right;
    case "divide":
      if (right === 0n) throwError(machine, "RangeError", "Division by zero");
      return left / right;
    case "remainder":
      if (right === 0n) throwError(machine, "RangeError", "Division by zero");
      return left % right;
    case "exponent":
      if (right < 0n) throwError(machine, "RangeError", "Exponent must be non-negative");
      return left ** right;
    case "bitAnd":
      return left & right;
    case "bitOr":
      return left | right;
    case "bitXor":
      return left ^ right;
    case "shiftLeft":
      return left << right;
    case "shiftRight":
      return left >> right;
    case "shiftRightZero":
      throwError(machine, "TypeError", "BigInts have no unsigned right shift, use >> instead");
    // falls through: throwError never returns
    default:
      throw new Error(`'${name}' is not arithmetic`);
  }
}

function chargeBigint(machine: Machine, name: BinaryName, left: bigint, right: bigint): void {
  const leftBits = bigintBits(left);
  const rightBits = bigintBits(right);
  let bits = Math.max(leftBits, rightBits) + 1;
  let fuel = bits >> 6;
  if (name === "multiply") bits = leftBits + rightBits;
  if (name === "exponent" && right > 0n && (left > 1n || left < -1n)) bits = leftBits * Number(right);
  if (name === "shiftLeft" && right > 0n && left !== 0n) bits = leftBits + Number(right);
  if (name === "shiftRight" && right < 0n && left !== 0n) bits = leftBits + Number(-right);
  if (name === "multiply" || name === "divide" || name === "remainder" || name === "exponent") {
    // Schoolbook cost in 64-bit digits; V8 is faster for large numbers, never slower.
    fuel = ((bits / 64) * (Math.min(leftBits, rightBits, bits) / 64 + 1)) / 8;
    if (name === "exponent") fuel = (bits / 64) ** 2 / 8;
  }
  if (bits > BIGINT_BITS_MAX) {
    throw new EngineError("StateTooLarge", `A bigint of ${bits} bits is larger than the limit of ${BIGINT_BITS_MAX}`);
  }
  machine.charge(1 + Math.ceil(fuel), 16 + (bits >> 3));
}

/** An upper bound of the number's size that costs little. */
function bigintBits(value: bigint): number {
  if (value > -0x7fffffffffffffffn && value < 0x7fffffffffffffffn) {
    return value === 0n ? 1 : Math.floor(Math.log2(Math.abs(Number(value)))) + 2;
  }
  return value.toString(16).length * 4;
}

export function looseEquals(
  machine: Machine,
  frame: Frame,
  result: number,
  left: Value,
  right: Value,
  negate: boolean,
): boolean {
  if (left instanceof VObject !== right instanceof VObject) {
    const other = left instanceof VObject ? right : left;
    if (other !== null && other !== undefined) {
      return pushPrelude(machine, frame, result, negate ? "notEqual" : "equal", [left, right]);
    }
    frame.registers[result] = negate;
    return true;
  }
  chargeComparison(machine, left, right, EQUALITY_UNITS);
  frame.registers[result] = primitiveOrSameEquals(left, right) !== negate;
  return true;
}

/** Both objects, or both primitives. */
function primitiveOrSameEquals(left: Value, right: Value): boolean {
  if (left instanceof VObject) return strictEquals(left, right);
  return left == right;
}

export function instanceOf(machine: Machine, left: Value, right: Value): boolean {
  if (!(right instanceof VObject)) throwError(machine, "TypeError", "Right-hand side of 'instanceof' is not an object");
  if (!isCallable(right)) throwError(machine, "TypeError", "Right-hand side of 'instanceof' is not callable");
  if (!(left instanceof VObject)) return false;
  const prototype = prototypeOf(machine, right);
  for (let at = left.proto; at !== null; at = at.proto) if (at === prototype) return true;
  return false;
}

function prototypeOf(machine: Machine, constructor: VObject): VObject {
  if (constructor instanceof VClass) return constructor.prototype;
  if (constructor instanceof VBuiltin) {
    const prototype = constructor.read("prototype");
    if (prototype instanceof VObject) return prototype;
    throwError(machine, "TypeError", "Function has non-object prototype 'undefined' in instanceof check");
  }
  unsupported("'instanceof' with a function that is not a class");
}

export function typeOf(value: Value): string {
  if (value === null) return "object";
  if (typeof value !== "object") return typeof value;
  return isCallable(value) ? "function" : "object";
}

/** Unary plus, minus, complement and steps on a value that is not a number. */
export type UnaryName =
  | "toNumber"
  | "negate"
  | "bitNot"
  | "toNumeric"
  | "increment"
  | "decrement"
  | "toString"
  | "toPropertyKey";

export function unary(machine: Machine, frame: Frame, result: number, name: UnaryName, value: Value): boolean {
  if (value instanceof VObject) return pushPrelude(machine, frame, result, "unary", [name, value]);
  frame.registers[result] = unaryPrimitive(machine, name, value);
  return true;
}

export function unaryPrimitive(machine: Machine, name: UnaryName, value: Value): Value {
  if (name === "toString" || name === "toPropertyKey") {
    return toText(machine, value);
  }
  if (typeof value === "bigint") return unaryBigint(machine, name, value);
  const number = numberOf(machine, value);
  switch (name) {
    case "negate":
      return -number;
    case "bitNot":
      return ~number;
    case "increment":
      return number + 1;
    case "decrement":
      return number - 1;
    default:
      return number;
  }
}

function unaryBigint(machine: Machine, name: UnaryName, value: bigint): Value {
  machine.charge(1, 16 + (bigintBits(value) >> 3));
  switch (name) {
    case "negate":
      return -value;
    case "bitNot":
      return ~value;
    case "increment":
      return value + 1n;
    case "decrement":
      return value - 1n;
    case "toNumeric":
      return value;
    default:
      throwError(machine, "TypeError", "Cannot convert a BigInt value to a number");
  }
}
