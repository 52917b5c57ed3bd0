import type { Node } from "oxc-parser";
import type { Register } from "../../code.ts";
import { lowerResolution } from "../../expression/resolved-name.ts";
import type { FunctionLowering } from "../../function-lowering.ts";
import { Unlowerable } from "../../unlowerable.ts";

export function lowerIdentifier(f: FunctionLowering, node: Node, into: Register | undefined): Register {
  const resolution = f.outside.resolve(f.module, node);
  if (resolution === null) throw new Unlowerable(node);
  return lowerResolution(f, node, resolution, into);
}
