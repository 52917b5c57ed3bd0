import type { CallExpression } from "oxc-parser";
import type { Register } from "../../code.ts";
import { lowerArguments } from "../../expression/arguments.ts";
import { lowerCallee } from "../../expression/callee.ts";
import { emitCall } from "../../expression/emit-call.ts";
import { leaveChain } from "../../expression/optional-chain.ts";
import type { FunctionLowering } from "../../function-lowering.ts";
import { sourceText } from "../../source-text.ts";

export function lowerCallExpression(f: FunctionLowering, node: CallExpression, into: Register | undefined): Register {
  const special = f.outside.special(f, node, into);
  if (special !== null) return special;
  if (node.callee.type === "Super") return lowerSuper(f, node, into);
  const { code } = f;
  const mark = code.mark();
  const { callee, self } = lowerCallee(f, node.callee, node.arguments);
  if (node.optional) leaveChain(f, callee);
  return emitCall(f, { callee, self, text: sourceText(node.callee), mark }, node.arguments, into);
}

/** In the constructor of an error class. Fields are set as soon as the parent has made the object. */
function lowerSuper(f: FunctionLowering, node: CallExpression, into: Register | undefined): Register {
  const { code } = f;
  const mark = code.mark();
  const passed = lowerArguments(f, node.arguments);
  code.release(mark);
  const result = into ?? code.take();
  if ("array" in passed) code.emit("SuperSpread", result, passed.array);
  else code.emit("Super", result, passed.first, passed.count);
  f.afterSuper?.();
  return result;
}
