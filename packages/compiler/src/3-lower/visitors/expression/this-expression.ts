import type { Node } from "oxc-parser";
import type { Register } from "../../code.ts";
import type { FunctionLowering } from "../../function-lowering.ts";
import { Unlowerable } from "../../unlowerable.ts";

export function lowerThisExpression(f: FunctionLowering, node: Node, into: Register | undefined): Register {
  const reference = f.module.scopes.references.get(node);
  if (reference?.binding != null) return f.variables.load(reference.binding, false, into);
  if (f.frame.kind === "arrow" || f.frame.kind === "module") throw new Unlowerable(node);
  const result = into ?? f.code.take();
  f.code.emit("This", result);
  return result;
}
