import type { Node } from "oxc-parser";
import type { FunctionLowering } from "../function-lowering.ts";
import { Unlowerable } from "../unlowerable.ts";

/** The result of a constructor is the object that `super(…)` has made. */
export function returnThis(f: FunctionLowering, node: Node): void {
  if (node.type === "ReturnStatement" && node.argument !== null) throw new Unlowerable(node);
  const self = f.code.take();
  f.code.emit("This", self);
  f.control.return(self);
}
