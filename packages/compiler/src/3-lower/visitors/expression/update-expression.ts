import type { OpcodeName } from "@cairnjs/ir";
import type { UpdateExpression } from "oxc-parser";
import type { Register } from "../../code.ts";
import type { FunctionLowering } from "../../function-lowering.ts";
import { alreadyRead, directRegister, prepareTarget, readTarget, writeTarget } from "../../target.ts";

export function lowerUpdateExpression(
  f: FunctionLowering,
  node: UpdateExpression,
  into: Register | undefined,
): Register {
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

export function lowerUpdateExpressionEffect(f: FunctionLowering, node: UpdateExpression): void {
  update(f, node, node.operator === "++" ? "Increment" : "Decrement", null);
}

/** With `old`, the number before goes there. Returns where the new one is. */
function update(f: FunctionLowering, node: UpdateExpression, opcode: OpcodeName, old: Register | null): Register {
  const { code } = f;
  const target = prepareTarget(f, node.argument, []);
  const value = readTarget(f, target);
  if (old !== null) code.emit("ToNumeric", old, value);
  const written = alreadyRead(target);
  const result = directRegister(f, written, true) ?? code.take();
  code.emit(opcode, result, old ?? value);
  if (f.variables.livingIn(result) === undefined) writeTarget(f, written, result);
  return result;
}
