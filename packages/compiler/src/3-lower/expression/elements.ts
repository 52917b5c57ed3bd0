import type { ArrayExpressionElement } from "oxc-parser";
import type { Register } from "../code.ts";
import type { FunctionLowering } from "../function-lowering.ts";
import { iterableText } from "../source-text.ts";

/** The elements of an array literal, or arguments of which one is spread, go to the end of an array. */
export function pushElements(f: FunctionLowering, array: Register, elements: readonly ArrayExpressionElement[]): void {
  const { code, outside } = f;
  for (const element of elements) {
    const mark = code.mark();
    if (element === null) {
      code.emit("PushHole", array);
    } else if (element.type === "SpreadElement") {
      const value = f.expression(element.argument);
      code.text(outside.tables.string(iterableText(element.argument)));
      code.emit("PushSpread", array, value);
    } else {
      code.emit("Push", array, f.expression(element));
    }
    code.release(mark);
  }
}
