import type { BigIntLiteral, Expression, Node, RegExpLiteral } from "oxc-parser";
import type { Register } from "../code.ts";
import type { FunctionLowering } from "../function-lowering.ts";

export type LiteralValue = string | number | boolean | null;

type LiteralNode = Extract<Expression, { type: "Literal" }>;

export function isRegExp(node: LiteralNode): node is RegExpLiteral {
  return "regex" in node;
}

export function isBigInt(node: LiteralNode): node is BigIntLiteral {
  return "bigint" in node;
}

/** The value of a literal, a negative number included; undefined for anything else. */
export function literalOf(node: Node): LiteralValue | undefined {
  if (node.type === "UnaryExpression" && node.operator === "-") {
    const value = literalOf(node.argument);
    return typeof value === "number" ? -value : undefined;
  }
  if (node.type !== "Literal" || isRegExp(node) || isBigInt(node)) return undefined;
  return node.value;
}

export function loadLiteral(f: FunctionLowering, value: LiteralValue, into?: Register): Register {
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
