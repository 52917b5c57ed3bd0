import type { Expression } from "oxc-parser";
import { erase } from "../../1-parse/erase.ts";
import { Label } from "../code.ts";
import type { FunctionLowering } from "../function-lowering.ts";
import { literalOf } from "./literal-value.ts";

/** Jumps on the truth of an expression, without making a boolean where none is needed. */
export function lowerCondition(f: FunctionLowering, node: Expression, label: Label, when: boolean): void {
  const { code } = f;
  switch (node.type) {
    case "Literal": {
      const literal = literalOf(node);
      if (literal === undefined) break;
      if (Boolean(literal) === when) code.emit("Jump", label);
      return;
    }
    case "UnaryExpression":
      if (node.operator !== "!") break;
      f.condition(node.argument, label, !when);
      return;
    case "LogicalExpression":
      if (node.operator === "??") break;
      lowerBoth(f, node.left, node.right, label, { when, both: (node.operator === "&&") === when });
      return;
    case "SequenceExpression": {
      const last = node.expressions.at(-1);
      if (last === undefined) break;
      for (const expression of node.expressions.slice(0, -1)) f.effect(expression);
      f.condition(last, label, when);
      return;
    }
    case "BinaryExpression":
      if (lowerNullTest(f, node, label, when)) return;
      break;
  }
  code.emit(when ? "JumpTrue" : "JumpFalse", f.expression(node), label);
}

/** `a && b` jumps when both are true, or when one is false; `a || b` the other way round. */
function lowerBoth(
  f: FunctionLowering,
  left: Expression,
  right: Expression,
  label: Label,
  { when, both }: { when: boolean; both: boolean },
): void {
  if (!both) {
    f.condition(left, label, when);
    f.condition(right, label, when);
    return;
  }
  const skip = new Label();
  f.condition(left, skip, !when);
  f.condition(right, label, when);
  f.code.bind(skip);
}

type BinaryNode = Extract<Expression, { type: "BinaryExpression" }>;

/** `x == null`, `x === undefined` and their opposites have jumps of their own. */
function lowerNullTest(f: FunctionLowering, node: BinaryNode, label: Label, when: boolean): boolean {
  const { operator } = node;
  if (operator !== "==" && operator !== "!=" && operator !== "===" && operator !== "!==") return false;
  const right = erase(node.right);
  const isUndefined = right.type === "Identifier" && isUndefinedName(f, right);
  const isNull = right.type === "Literal" && literalOf(right) === null;
  const isLoose = operator === "==" || operator === "!=";
  if (!(isUndefined || (isNull && isLoose))) return false;
  const jumpsOnMatch = (operator === "==" || operator === "===") === when;
  const value = f.expression(node.left);
  if (isLoose) f.code.emit(jumpsOnMatch ? "JumpNullish" : "JumpNotNullish", value, label);
  else f.code.emit(jumpsOnMatch ? "JumpUndefined" : "JumpNotUndefined", value, label);
  return true;
}

function isUndefinedName(f: FunctionLowering, node: Expression): boolean {
  const resolution = f.outside.resolve(f.module, node);
  return resolution?.kind === "intrinsic" && resolution.path === "undefined";
}
