import type { ArrowFunctionExpression } from "oxc-parser";
import type { Register } from "../../code.ts";
import { lowerClosure } from "../../expression/closure.ts";
import type { FunctionLowering } from "../../function-lowering.ts";

export function lowerArrowFunctionExpression(
  f: FunctionLowering,
  node: ArrowFunctionExpression,
  into: Register | undefined,
): Register {
  return lowerClosure(f, node, into);
}
