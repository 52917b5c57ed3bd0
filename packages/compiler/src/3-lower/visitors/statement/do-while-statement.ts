import type { DoWhileStatement } from "oxc-parser";
import type { FunctionLowering } from "../../function-lowering.ts";
import { lowerIterations } from "../../statement/iterations.ts";

export function lowerDoWhileStatement(f: FunctionLowering, node: DoWhileStatement): void {
  const labels = f.control.takeLabels();
  f.literals.around(node, () => lowerIterations(f, node, { labels, test: node.test, testFirst: false, next: null }));
}
