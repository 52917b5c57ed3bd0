import type { ArrowFunctionExpression, Function, Node, ParamPattern } from "oxc-parser";
import { erase } from "../../1-parse/erase.ts";

/** The expression without type syntax and without the mark of where an optional chain ends. */
export function bare(node: Node): Node {
  const inner: Node = erase(node);
  return inner.type === "ChainExpression" ? bare(inner.expression) : inner;
}

/** The name of a member that stands in the source: `a.b`, `a["b"]`. */
export function staticMemberName(node: Node): string | null {
  if (node.type !== "MemberExpression") return null;
  if (!node.computed) return node.property.type === "Identifier" ? node.property.name : null;
  return literalText(node.property);
}

/** The name of a key that stands in the source, in object literals, patterns and classes. */
export function staticKeyName(node: { readonly computed: boolean; readonly key: Node }): string | null {
  if (!node.computed && node.key.type === "Identifier") return node.key.name;
  return literalText(node.key);
}

function literalText(node: Node): string | null {
  const inner = erase(node);
  if (inner.type === "Literal" && typeof inner.value === "string") return inner.value;
  if (inner.type === "TemplateLiteral" && inner.expressions.length === 0) return inner.quasis[0]?.value.cooked ?? null;
  return null;
}

export type FunctionNode = Function | ArrowFunctionExpression;

export function isFunction(node: Node): node is FunctionNode {
  switch (node.type) {
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ArrowFunctionExpression":
      return true;
    default:
      return false;
  }
}

/** Parameters that exist at run time. */
export function realParameters(node: FunctionNode): ParamPattern[] {
  return node.params.filter((parameter) => !(parameter.type === "Identifier" && parameter.name === "this"));
}

/** The expressions of which one is the value of this one. */
export function valueLeaves(node: Node): Node[] {
  const inner = bare(node);
  switch (inner.type) {
    case "ConditionalExpression":
      return [...valueLeaves(inner.consequent), ...valueLeaves(inner.alternate)];
    case "LogicalExpression":
      return valueLeaves(inner.right);
    case "SequenceExpression": {
      const last = inner.expressions.at(-1);
      return last === undefined ? [] : valueLeaves(last);
    }
    default:
      return [inner];
  }
}
