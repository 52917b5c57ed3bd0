import type { TemplateLiteral } from "oxc-parser";
import type { Register } from "../../code.ts";
import type { FunctionLowering } from "../../function-lowering.ts";
import { loadLiteral } from "../../expression/literal-value.ts";

/** Each part becomes a string before the next one is evaluated. */
export function lowerTemplateLiteral(f: FunctionLowering, node: TemplateLiteral, into: Register | undefined): Register {
  const { code } = f;
  const [first] = node.quasis;
  if (node.expressions.length === 0) return loadLiteral(f, first?.value.cooked ?? "", into);
  const mark = code.mark();
  const start = mark;
  let count = 0;
  for (const [index, quasi] of node.quasis.entries()) {
    const text = quasi.value.cooked ?? "";
    if (text !== "") {
      loadLiteral(f, text, code.take());
      count += 1;
    }
    const expression = node.expressions[index];
    if (expression === undefined) continue;
    const part = code.take();
    const inner = code.mark();
    code.emit("ToString", part, f.expression(expression));
    code.release(inner);
    count += 1;
  }
  code.release(mark);
  const result = into ?? code.take();
  if (count > 1) code.emit("Concat", result, start, count);
  else if (result !== start) code.emit("Move", result, start);
  return result;
}
