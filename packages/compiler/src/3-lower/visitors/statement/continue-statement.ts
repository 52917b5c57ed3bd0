import type { ContinueStatement } from "oxc-parser";
import type { FunctionLowering } from "../../function-lowering.ts";

export function lowerContinueStatement(f: FunctionLowering, node: ContinueStatement): void {
  f.control.continue(node.label?.name ?? null);
}
