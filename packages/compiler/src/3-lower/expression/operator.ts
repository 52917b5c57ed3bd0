import type { OpcodeName } from "@cairnjs/ir";
import type { BinaryExpression, BinaryOperator, Expression, LogicalExpression, UnaryExpression } from "oxc-parser";
import { erase } from "../../1-parse/erase.ts";
import { Label, type Register } from "../code.ts";
import type { FunctionLowering } from "../function-lowering.ts";
import { literalOf, loadLiteral } from "./literal.ts";
import { propertyKey } from "./member.ts";

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

export function lowerBinary(f: FunctionLowering, node: BinaryExpression, into: Register | undefined): Register {
  const { code } = f;
  const mark = code.mark();
  const left = f.operand(node.left, [node.right]);
  const right = f.expression(node.right);
  code.release(mark);
  const result = into ?? code.take();
  code.emit(binaryOpcodes[node.operator], result, left, right);
  return result;
}

export function lowerLogical(f: FunctionLowering, node: LogicalExpression, into: Register | undefined): Register {
  const result = into ?? f.code.take();
  const end = new Label();
  f.expression(node.left, result);
  const jump = { "&&": "JumpFalse", "||": "JumpTrue", "??": "JumpNotNullish" } as const;
  f.code.emit(jump[node.operator], result, end);
  f.expression(node.right, result);
  f.code.bind(end);
  return result;
}

export function lowerUnary(f: FunctionLowering, node: UnaryExpression, into: Register | undefined): Register {
  const { code } = f;
  switch (node.operator) {
    case "delete":
      return lowerDelete(f, node.argument, into);
    case "void": {
      f.effect(node.argument);
      const result = into ?? code.take();
      code.emit("Undefined", result);
      return result;
    }
    default: {
      const literal = literalOf(node);
      if (literal !== undefined) return loadLiteral(f, literal, into);
      const mark = code.mark();
      const operand = f.expression(node.argument);
      code.release(mark);
      const result = into ?? code.take();
      code.emit(unaryOpcodes[node.operator], result, operand);
      return result;
    }
  }
}

const unaryOpcodes = { "-": "Negate", "+": "ToNumber", "~": "BitNot", "!": "Not", typeof: "Typeof" } as const;

function lowerDelete(f: FunctionLowering, argument: Expression, into: Register | undefined): Register {
  const { code } = f;
  const target = erase(argument);
  if (target.type === "ChainExpression") {
    const result = into ?? code.take();
    const outer = f.chain;
    const short = new Label();
    const end = new Label();
    f.chain = short;
    lowerDelete(f, target.expression, result);
    f.chain = outer;
    code.emit("Jump", end);
    code.bind(short);
    code.emit("True", result);
    code.bind(end);
    return result;
  }
  if (target.type !== "MemberExpression") {
    f.effect(target);
    return loadLiteral(f, true, into);
  }
  const mark = code.mark();
  const object = f.operand(target.object, target.computed ? [target.property] : []);
  if (target.optional && f.chain !== null) code.emit("JumpNullish", object, f.chain);
  const key = propertyKey(f, target);
  code.release(mark);
  const result = into ?? code.take();
  if (key.kind === "constant") code.emit("Delete", result, object, key.constant);
  else code.emit("DeleteComputed", result, object, key.register);
  return result;
}
