import type { ArrayExpression, ArrayExpressionElement } from "oxc-parser";
import type { Register } from "../code.ts";
import type { FunctionLowering } from "../function-lowering.ts";
import { iterableText } from "../source-text.ts";

export function lowerArray(f: FunctionLowering, node: ArrayExpression, into: Register | undefined): Register {
  const result = into ?? f.code.take();
  f.code.emit("Array", result);
  pushElements(f, result, node.elements);
  return result;
}

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
