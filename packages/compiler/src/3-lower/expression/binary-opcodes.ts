import type { OpcodeName } from "@cairnjs/ir";
import type { BinaryOperator } from "oxc-parser";

/** Of binary expressions and of assignments such as `+=`. */
export const binaryOpcodes: Readonly<Record<BinaryOperator, OpcodeName>> = {
  "+": "Add",
  "-": "Subtract",
  "*": "Multiply",
  "/": "Divide",
  "%": "Remainder",
  "**": "Exponent",
  "&": "BitAnd",
  "|": "BitOr",
  "^": "BitXor",
  "<<": "ShiftLeft",
  ">>": "ShiftRight",
  ">>>": "ShiftRightZero",
  "==": "Equal",
  "!=": "NotEqual",
  "===": "StrictEqual",
  "!==": "StrictNotEqual",
  "<": "Less",
  "<=": "LessEqual",
  ">": "Greater",
  ">=": "GreaterEqual",
  in: "In",
  instanceof: "InstanceOf",
};
