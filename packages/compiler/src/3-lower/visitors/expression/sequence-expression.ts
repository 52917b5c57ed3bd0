import type { SequenceExpression } from "oxc-parser";
import type { Register } from "../../code.ts";
import type { FunctionLowering } from "../../function-lowering.ts";

export function lowerSequenceExpression(
  f: FunctionLowering,
  node: SequenceExpression,
  into: Register | undefined,
): Register {
  const last = node.expressions.at(-1);
  if (last === undefined) throw new Error("An empty sequence");
  for (const expression of node.expressions.slice(0, -1)) f.effect(expression);
  return f.expression(last, into);
}

export function lowerSequenceExpressionEffect(f: FunctionLowering, node: SequenceExpression): void {
  for (const expression of node.expressions) f.effect(expression);
}
