import type { ReturnStatement } from "oxc-parser";
import type { FunctionLowering } from "../../function-lowering.ts";
import { returnThis } from "../../statement/return-this.ts";

export function lowerReturnStatement(f: FunctionLowering, node: ReturnStatement): void {
  if (f.frame.kind === "constructor") returnThis(f, node);
  else if (node.argument === null) f.control.return(null);
  else f.control.return(f.expression(node.argument));
}
