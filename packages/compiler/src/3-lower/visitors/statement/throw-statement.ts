import type { ThrowStatement } from "oxc-parser";
import type { FunctionLowering } from "../../function-lowering.ts";

export function lowerThrowStatement(f: FunctionLowering, node: ThrowStatement): void {
  f.code.emit("Throw", f.expression(node.argument));
}
