import type { BreakStatement } from "oxc-parser";
import type { FunctionLowering } from "../../function-lowering.ts";

export function lowerBreakStatement(f: FunctionLowering, node: BreakStatement): void {
  f.control.break(node.label?.name ?? null);
}
