import type { IfStatement, Statement } from "oxc-parser";
import { Label } from "../../code.ts";
import type { FunctionLowering } from "../../function-lowering.ts";

/** A chain of `else if` is followed without recursion, as people write long ones. */
export function lowerIfStatement(f: FunctionLowering, first: IfStatement): void {
  const { code } = f;
  const end = new Label();
  for (let node: Statement | null = first; node !== null;) {
    if (node.type !== "IfStatement") {
      f.statement(node);
      break;
    }
    const mark = code.mark();
    const otherwise = new Label();
    code.at(node.start);
    f.condition(node.test, otherwise, false);
    f.statement(node.consequent);
    code.release(mark);
    if (node.alternate !== null) code.emit("Jump", end);
    code.bind(otherwise);
    node = node.alternate;
  }
  code.bind(end);
}
