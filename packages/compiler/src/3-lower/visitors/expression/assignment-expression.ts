import type { AssignmentExpression } from "oxc-parser";
import { erase } from "../../../1-parse/erase.ts";
import { Label, type Register } from "../../code.ts";
import { binaryOpcodes } from "../../expression/binary-opcodes.ts";
import { writesLast } from "../../expression/writes-last.ts";
import type { FunctionLowering } from "../../function-lowering.ts";
import { assignPattern, expressionSource } from "../../pattern.ts";
import { alreadyRead, directRegister, prepareTarget, readTarget, writeTarget } from "../../target.ts";

export function lowerAssignmentExpression(
  f: FunctionLowering,
  node: AssignmentExpression,
  into: Register | undefined,
): Register {
  const value = assign(f, node, into);
  if (into === undefined || into === value) return value;
  f.code.emit("Move", into, value);
  return into;
}

export function lowerAssignmentExpressionEffect(f: FunctionLowering, node: AssignmentExpression): void {
  assign(f, node, undefined);
}

function assign(f: FunctionLowering, node: AssignmentExpression, into: Register | undefined): Register {
  switch (node.operator) {
    case "=":
      return plainAssign(f, node);
    case "&&=":
    case "||=":
    case "??=":
      return logicalAssign(f, node, into);
    default:
      return compoundAssign(f, node);
  }
}

function plainAssign(f: FunctionLowering, node: AssignmentExpression): Register {
  const left = erase(node.left);
  if (left.type === "ObjectPattern" || left.type === "ArrayPattern") {
    const value = f.operand(node.right, [left]);
    assignPattern(f, left, value, expressionSource(node.right));
    return value;
  }
  const target = prepareTarget(f, left, [node.right]);
  const direct = directRegister(f, target, writesLast(node.right));
  const value = right(f, node, direct);
  if (value !== direct) writeTarget(f, target, value);
  return value;
}

/** `(f) = () => {}` gives the function no name, `f = () => {}` does. */
function right(f: FunctionLowering, node: AssignmentExpression, into?: Register): Register {
  const left = erase(node.left);
  const isPlainName = left.type === "Identifier" && (node.left !== left || node.start === left.start);
  return isPlainName ? f.named(node.right, left.name, into) : f.expression(node.right, into);
}

function compoundAssign(f: FunctionLowering, node: AssignmentExpression): Register {
  const { code } = f;
  const target = prepareTarget(f, node.left, [node.right]);
  const old = f.keep(readTarget(f, target), [node.right]);
  const operand = f.expression(node.right);
  const result = directRegister(f, alreadyRead(target), true) ?? code.take();
  const operator = node.operator.slice(0, -1) as keyof typeof binaryOpcodes;
  code.emit(binaryOpcodes[operator], result, old, operand);
  if (f.variables.livingIn(result) === undefined) writeTarget(f, alreadyRead(target), result);
  return result;
}

function logicalAssign(f: FunctionLowering, node: AssignmentExpression, into: Register | undefined): Register {
  const { code } = f;
  const result = into ?? code.take();
  const target = prepareTarget(f, node.left, [node.right]);
  const old = readTarget(f, target);
  if (old !== result) code.emit("Move", result, old);
  const end = new Label();
  const jump = { "&&=": "JumpFalse", "||=": "JumpTrue", "??=": "JumpNotNullish" } as const;
  code.emit(jump[node.operator as keyof typeof jump], result, end);
  right(f, node, result);
  writeTarget(f, alreadyRead(target), result);
  code.bind(end);
  return result;
}
