import type { Expression, Statement } from "oxc-parser";
import { Label } from "../code.ts";
import type { FunctionLowering } from "../function-lowering.ts";

interface Iterations {
  readonly labels: readonly string[];
  readonly test: Expression | null;
  readonly testFirst: boolean;
  readonly next: (() => void) | null;
}

/** The test stands below the body, so that an iteration has one jump. */
export function lowerIterations(
  f: FunctionLowering,
  node: { readonly body: Statement },
  { labels, test, testFirst, next }: Iterations,
): void {
  const { code } = f;
  const top = new Label();
  const again = new Label();
  const testing = new Label();
  const end = new Label();
  if (testFirst && test !== null) code.emit("Jump", testing);
  code.bind(top);
  f.control.within({ labels, breakLabel: end, continueLabel: again, isPlain: true }, () => f.statement(node.body));
  code.bind(again);
  next?.();
  code.bind(testing);
  if (test === null) code.emit("Jump", top);
  else f.condition(test, top, true);
  code.bind(end);
}
