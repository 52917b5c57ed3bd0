import type { AwaitExpression } from "oxc-parser";
import type { Register } from "../../code.ts";
import type { FunctionLowering } from "../../function-lowering.ts";
import { Unlowerable } from "../../unlowerable.ts";

export function lowerAwaitExpression(f: FunctionLowering, node: AwaitExpression, into: Register | undefined): Register {
  if (f.frame.kind === "module") throw new Unlowerable(node, "await at the top level of a module");
  const { code } = f;
  const mark = code.mark();
  const value = f.expression(node.argument);
  code.release(mark);
  const result = into ?? code.take();
  code.emit("Await", result, value);
  return result;
}
