import type { ArrayExpression } from "oxc-parser";
import type { Register } from "../../code.ts";
import { pushElements } from "../../expression/elements.ts";
import type { FunctionLowering } from "../../function-lowering.ts";

export function lowerArrayExpression(f: FunctionLowering, node: ArrayExpression, into: Register | undefined): Register {
  const result = into ?? f.code.take();
  f.code.emit("Array", result);
  pushElements(f, result, node.elements);
  return result;
}
