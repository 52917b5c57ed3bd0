import type { NewExpression } from "oxc-parser";
import type { Register } from "../../code.ts";
import { lowerArguments } from "../../expression/arguments.ts";
import type { FunctionLowering } from "../../function-lowering.ts";
import { sourceText } from "../../source-text.ts";

export function lowerNewExpression(f: FunctionLowering, node: NewExpression, into: Register | undefined): Register {
  const { code, outside } = f;
  const mark = code.mark();
  const callee = f.operand(node.callee, node.arguments);
  const passed = lowerArguments(f, node.arguments);
  code.release(mark);
  const result = into ?? code.take();
  code.text(outside.tables.string(sourceText(node.callee)));
  if ("array" in passed) code.emit("NewSpread", result, callee, passed.array);
  else code.emit("New", result, callee, passed.first, passed.count);
  return result;
}
