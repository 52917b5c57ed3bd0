import type { LabeledStatement, Statement } from "oxc-parser";
import { Label } from "../../code.ts";
import type { FunctionLowering } from "../../function-lowering.ts";

export function lowerLabeledStatement(f: FunctionLowering, node: LabeledStatement): void {
  f.control.label(node.label.name);
  if (isLoop(node.body) || node.body.type === "LabeledStatement") {
    f.statement(node.body);
    return;
  }
  const end = new Label();
  const target = { labels: f.control.takeLabels(), breakLabel: end, continueLabel: null, isPlain: false };
  f.control.within(target, () => f.statement(node.body));
  f.code.bind(end);
}

function isLoop({ type }: Statement): boolean {
  switch (type) {
    case "ForStatement":
    case "ForInStatement":
    case "ForOfStatement":
    case "WhileStatement":
    case "DoWhileStatement":
      return true;
    default:
      return false;
  }
}
