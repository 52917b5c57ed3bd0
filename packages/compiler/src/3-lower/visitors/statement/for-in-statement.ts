import type { ForInStatement } from "oxc-parser";
import type { FunctionLowering } from "../../function-lowering.ts";
import { lowerEach } from "../../statement/each.ts";

export function lowerForInStatement(f: FunctionLowering, node: ForInStatement): void {
  lowerEach(f, node, "ForIn", "NextKey");
}
