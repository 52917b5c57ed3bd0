import type { BigIntLiteral, Expression, Node, RegExpLiteral } from "oxc-parser";
import type { Register } from "../code.ts";
import type { FunctionLowering } from "../function-lowering.ts";

export type Literal = string | number | boolean | null;

type LiteralNode = Extract<Expression, { type: "Literal" }>;

export function lowerLiteral(f: FunctionLowering, node: LiteralNode, into: Register | undefined): Register {
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

function isRegExp(node: LiteralNode): node is RegExpLiteral {
  return "regex" in node;
}

function isBigInt(node: LiteralNode): node is BigIntLiteral {
  return "bigint" in node;
}

/** The value of a literal, a negative number included; undefined for anything else. */
export function literalOf(node: Node): Literal | undefined {
  if (node.type === "UnaryExpression" && node.operator === "-") {
    const value = literalOf(node.argument);
    return typeof value === "number" ? -value : undefined;
  }
  if (node.type !== "Literal" || isRegExp(node) || isBigInt(node)) return undefined;
  return node.value;
}

export function loadLiteral(f: FunctionLowering, value: Literal, into?: Register): Register {
  const pinned = Object.is(value, -0) ? undefined : f.literals.find(value);
  if (pinned !== undefined && into === undefined) return pinned;
  const { code, outside } = f;
  const result = into ?? code.take();
  if (value === null) code.emit("Null", result);
  else if (typeof value === "boolean") code.emit(value ? "True" : "False", result);
  else if (typeof value === "string") code.emit("Const", result, outside.tables.string(value));
  else if (Object.is(value | 0, value)) code.emit("Int", result, value);
  else code.emit("Const", result, outside.tables.number(value));
  return result;
}
