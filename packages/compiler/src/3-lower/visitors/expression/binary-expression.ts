import type { BinaryExpression } from "oxc-parser";
import type { Register } from "../../code.ts";
import { binaryOpcodes } from "../../expression/binary-opcodes.ts";
import type { FunctionLowering } from "../../function-lowering.ts";

export function lowerBinaryExpression(
  f: FunctionLowering,
  node: BinaryExpression,
  into: Register | undefined,
): Register {
  const { code } = f;
  const mark = code.mark();
  const left = f.operand(node.left, [node.right]);
  const right = f.expression(node.right);
  code.release(mark);
  const result = into ?? code.take();
  code.emit(binaryOpcodes[node.operator], result, left, right);
  return result;
}
