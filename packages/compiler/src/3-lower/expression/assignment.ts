import type { OpcodeName } from "@cairnjs/ir";
import type { AssignmentExpression, UpdateExpression } from "oxc-parser";
import { erase } from "../../1-parse/erase.ts";
import { Label, type Register } from "../code.ts";
import type { FunctionLowering } from "../function-lowering.ts";
import { assignPattern, expressionSource } from "../pattern.ts";
import { directRegister, prepareTarget, readTarget, writeTarget } from "../target.ts";
import { binaryOpcodes } from "./operator.ts";
import { writesLast } from "./writes-last.ts";

export function lowerAssignment(f: FunctionLowering, node: AssignmentExpression, into: Register | undefined): Register {
  const value = assign(f, node, into);
  if (into === undefined || into === value) return value;
  f.code.emit("Move", into, value);
  return into;
}

export function lowerAssignmentEffect(f: FunctionLowering, node: AssignmentExpression): void {
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
  const result = directRegister(f, { ...target, ...alreadyRead }, true) ?? code.take();
  const operator = node.operator.slice(0, -1) as keyof typeof binaryOpcodes;
  code.emit(binaryOpcodes[operator], result, old, operand);
  if (f.variables.livingIn(result) === undefined) writeTarget(f, { ...target, ...alreadyRead }, result);
  return result;
}

/** Reading the variable has checked it. */
const alreadyRead = { checked: false };

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
  writeTarget(f, { ...target, ...alreadyRead }, result);
  code.bind(end);
  return result;
}

export function lowerUpdate(f: FunctionLowering, node: UpdateExpression, into: Register | undefined): Register {
  const { code } = f;
  const opcode: OpcodeName = node.operator === "++" ? "Increment" : "Decrement";
  if (node.prefix) {
    const value = update(f, node, opcode, null);
    if (into === undefined || into === value) return value;
    code.emit("Move", into, value);
    return into;
  }
  const result = into ?? code.take();
  update(f, node, opcode, result);
  return result;
}

export function lowerUpdateEffect(f: FunctionLowering, node: UpdateExpression): void {
  update(f, node, node.operator === "++" ? "Increment" : "Decrement", null);
}

/** With `old`, the number before goes there. Returns where the new one is. */
function update(f: FunctionLowering, node: UpdateExpression, opcode: OpcodeName, old: Register | null): Register {
  const { code } = f;
  const target = prepareTarget(f, node.argument, []);
  const value = readTarget(f, target);
  if (old !== null) code.emit("ToNumeric", old, value);
  const written = { ...target, ...alreadyRead };
  const result = directRegister(f, written, true) ?? code.take();
  code.emit(opcode, result, old ?? value);
  if (f.variables.livingIn(result) === undefined) writeTarget(f, written, result);
  return result;
}
