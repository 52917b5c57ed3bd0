import type { ForOfStatement } from "oxc-parser";
import type { FunctionLowering } from "../../function-lowering.ts";
import { lowerEach } from "../../statement/each.ts";
import { Unlowerable } from "../../unlowerable.ts";

export function lowerForOfStatement(f: FunctionLowering, node: ForOfStatement): void {
  if (node.await) throw new Unlowerable(node, "for await");
  lowerEach(f, node, "Iterate", "Next");
}
