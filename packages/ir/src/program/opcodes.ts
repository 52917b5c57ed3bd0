/**
 * The instruction set, semantics 1: one table from which the validator, the listing, the lowering's emitter and
 * the interpreter's switch take their numbers. Code is a flat list of integers: an opcode, then its operands.
 *
 * Operand kinds:
 *   write   a register that the instruction sets
 *   read    a register that it reads
 *   maybe   a register that it reads, or -1 for undefined
 *   first   the first of `count` consecutive registers (the next operand is a count)
 *   count   how many registers, 0 or more
 *   int     a 32-bit integer
 *   target  a position in the same function's code, always the start of an instruction
 *   constant, function, global, durable, intrinsic, class, host, outer: an index into the table of that name
 *   (`outer` into the function's own captures)
 */
export type OperandKind =
  | "write"
  | "read"
  | "maybe"
  | "first"
  | "count"
  | "int"
  | "target"
  | "constant"
  | "function"
  | "global"
  | "durable"
  | "intrinsic"
  | "class"
  | "host"
  | "outer";

export interface Instruction {
  readonly name: string;
  readonly operands: readonly OperandKind[];
}

const binary = ["write", "read", "read"] as const;
const unary = ["write", "read"] as const;

/** In order of their numbers. New ones go to the end, under a new `semantics` number. */
const table = {
  // Loads
  Const: ["write", "constant"],
  Int: ["write", "int"],
  Undefined: ["write"],
  Null: ["write"],
  True: ["write"],
  False: ["write"],
  /** The mark of a binding that is not initialised yet. Only the checked loads may meet it. */
  Uninit: ["write"],
  Move: ["write", "read"],
  This: ["write"],
  /** The running closure itself: the name of a named function expression. */
  Self: ["write"],
  Intrinsic: ["write", "intrinsic"],
  Global: ["write", "global"],
  Durable: ["write", "durable"],
  /** A closure; what it captures is told by the function's `captures`. */
  Function: ["write", "function"],
  RegExp: ["write", "constant", "constant"],

  // Cells: variables that closures capture live in one; all others in registers
  Cell: ["write"],
  CellOf: ["write", "read"],
  /** A new cell with the value of the cell in the register: a loop iteration's own binding. */
  CopyCell: ["write", "read"],
  LoadCell: ["write", "read"],
  LoadCellChecked: ["write", "read", "constant"],
  StoreCell: ["read", "read"],
  StoreCellChecked: ["read", "read", "constant"],
  LoadOuter: ["write", "outer"],
  LoadOuterChecked: ["write", "outer", "constant"],
  StoreOuter: ["outer", "read"],
  StoreOuterChecked: ["outer", "read", "constant"],
  /** ReferenceError naming the constant when the register holds the uninitialised mark. */
  CheckInit: ["read", "constant"],

  // Operators
  Add: binary,
  Subtract: binary,
  Multiply: binary,
  Divide: binary,
  Remainder: binary,
  Exponent: binary,
  BitAnd: binary,
  BitOr: binary,
  BitXor: binary,
  ShiftLeft: binary,
  ShiftRight: binary,
  ShiftRightZero: binary,
  Equal: binary,
  NotEqual: binary,
  StrictEqual: binary,
  StrictNotEqual: binary,
  Less: binary,
  LessEqual: binary,
  Greater: binary,
  GreaterEqual: binary,
  In: binary,
  InstanceOf: binary,
  Negate: unary,
  ToNumber: unary,
  ToNumeric: unary,
  BitNot: unary,
  Not: unary,
  Typeof: unary,
  /** ToNumeric, then plus one (1n for a bigint). */
  Increment: unary,
  Decrement: unary,
  ToString: unary,
  ToPropertyKey: unary,
  /** Joins consecutive registers that hold strings already. */
  Concat: ["write", "first", "count"],

  // Control
  Jump: ["target"],
  JumpTrue: ["read", "target"],
  JumpFalse: ["read", "target"],
  JumpNullish: ["read", "target"],
  JumpNotNullish: ["read", "target"],
  JumpUndefined: ["read", "target"],
  JumpNotUndefined: ["read", "target"],
  Return: ["read"],
  ReturnUndefined: [],
  Throw: ["read"],
  /** TypeError: assignment to the constant variable that the operand names. */
  ThrowConstAssign: ["constant"],
  Await: ["write", "read"],

  // Objects
  Object: ["write"],
  Array: ["write"],
  Push: ["read", "read"],
  PushHole: ["read"],
  PushSpread: ["read", "read"],
  /** Own property of a literal: object, key, value. */
  Define: ["read", "constant", "read"],
  DefineComputed: ["read", "read", "read"],
  CopyProperties: ["read", "read"],
  /** `const { a, ...rest } = source`: target, source, array of the keys left out. */
  Rest: ["write", "read", "read"],
  Get: ["write", "read", "constant"],
  GetComputed: ["write", "read", "read"],
  Set: ["read", "constant", "read"],
  SetComputed: ["read", "read", "read"],
  Delete: ["write", "read", "constant"],
  DeleteComputed: ["write", "read", "read"],
  /** Gives an anonymous function under a computed key its name: function, key. */
  NameFunction: ["read", "read"],
  /** TypeError when null or undefined is destructured. */
  RequireObject: ["read"],

  // Iteration over built-in iterables
  Iterate: ["write", "read"],
  /** The next value, or a jump when there is none. */
  Next: ["write", "read", "target"],
  /** The next value, undefined when there is none: array destructuring. */
  NextOrUndefined: ["write", "read"],
  RestOf: ["write", "read"],
  ForIn: ["write", "read"],
  NextKey: ["write", "read", "target"],

  // Calls
  /** result, callee, this, arguments */
  Call: ["write", "read", "maybe", "first", "count"],
  /** result, callee, this, array of arguments */
  CallSpread: ["write", "read", "maybe", "read"],
  New: ["write", "read", "first", "count"],
  NewSpread: ["write", "read", "read"],
  /** In a class constructor: constructs the parent for the class that `new` named, and sets `this`. */
  Super: ["write", "first", "count"],
  SuperSpread: ["write", "read"],

  // Module initialiser and prelude only
  SetGlobal: ["global", "read"],
  Class: ["write", "class"],
  /** An operation of the machine that only the prelude may name. */
  Host: ["write", "host", "first", "count"],
} as const satisfies Record<string, readonly OperandKind[]>;

export type OpcodeName = keyof typeof table;

export const instructions: readonly Instruction[] = Object.entries(table).map(([name, operands]) => ({
  name,
  operands,
}));

/** Opcode numbers by name: `Op.Add`. */
export const Op: Readonly<Record<OpcodeName, number>> = Object.fromEntries(
  instructions.map(({ name }, index) => [name, index]),
) as Record<OpcodeName, number>;
