import type { ExpressionStatement } from "oxc-parser";
import type { FunctionLowering } from "../../function-lowering.ts";

export function lowerExpressionStatement(f: FunctionLowering, node: ExpressionStatement): void {
  f.effect(node.expression);
}
