import type { WhileStatement } from "oxc-parser";
import type { FunctionLowering } from "../../function-lowering.ts";
import { lowerIterations } from "../../statement/iterations.ts";

export function lowerWhileStatement(f: FunctionLowering, node: WhileStatement): void {
  const labels = f.control.takeLabels();
  f.literals.around(node, () => lowerIterations(f, node, { labels, test: node.test, testFirst: true, next: null }));
}
