import type { LogicalExpression } from "oxc-parser";
import { Label, type Register } from "../../code.ts";
import type { FunctionLowering } from "../../function-lowering.ts";

export function lowerLogicalExpression(
  f: FunctionLowering,
  node: LogicalExpression,
  into: Register | undefined,
): Register {
  const result = into ?? f.code.take();
  const end = new Label();
  f.expression(node.left, result);
  const jump = { "&&": "JumpFalse", "||": "JumpTrue", "??": "JumpNotNullish" } as const;
  f.code.emit(jump[node.operator], result, end);
  f.expression(node.right, result);
  f.code.bind(end);
  return result;
}

export function lowerLogicalExpressionEffect(f: FunctionLowering, node: LogicalExpression): void {
  const end = new Label();
  if (node.operator === "??") {
    const mark = f.code.mark();
    f.code.emit("JumpNotNullish", f.expression(node.left), end);
    f.code.release(mark);
  } else {
    f.condition(node.left, end, node.operator === "||");
  }
  f.effect(node.right);
  f.code.bind(end);
}
