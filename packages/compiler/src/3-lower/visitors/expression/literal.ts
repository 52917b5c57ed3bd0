import type { Expression } from "oxc-parser";
import type { Register } from "../../code.ts";
import { isBigInt, isRegExp, loadLiteral } from "../../expression/literal-value.ts";
import type { FunctionLowering } from "../../function-lowering.ts";

export function lowerLiteral(
  f: FunctionLowering,
  node: Extract<Expression, { type: "Literal" }>,
  into: Register | undefined,
): Register {
  if (isRegExp(node)) {
    const { tables } = f.outside;
    const result = into ?? f.code.take();
    f.code.emit("RegExp", result, tables.string(node.regex.pattern), tables.string(node.regex.flags));
    return result;
  }
  if (isBigInt(node)) {
    const result = into ?? f.code.take();
    f.code.emit("Const", result, f.outside.tables.bigint(String(BigInt(node.bigint))));
    return result;
  }
  return loadLiteral(f, node.value, into);
}

/** Also a directive: `"use strict"`. */
export function lowerLiteralEffect(): void {
  return undefined;
}
