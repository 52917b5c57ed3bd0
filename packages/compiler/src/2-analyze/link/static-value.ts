import type { Node } from "oxc-parser";
import { erase } from "../../1-parse/erase.ts";
import type { Names } from "../resolution.ts";
import type { Module } from "./module.ts";

/** A string that is known without running anything: the name of an action. null when it is not. */
export function staticString(node: Node, module: Module, names: Names): string | null {
  const value = staticValue(node, module, names);
  return typeof value === "string" ? value : null;
}

/** Literals, templates and sums of them, constants that hold them, members of constant objects and enums. */
export function staticValue(node: Node, module: Module, names: Names): string | number | null {
  const bare = erase(node);
  switch (bare.type) {
    case "Literal":
      return typeof bare.value === "string" || typeof bare.value === "number" ? bare.value : null;
    case "TemplateLiteral":
      return staticTemplate(bare, module, names);
    case "BinaryExpression":
      return staticBinary(bare, module, names);
    case "UnaryExpression": {
      const value = staticValue(bare.argument, module, names);
      if (typeof value !== "number") return null;
      return bare.operator === "-" ? -value : bare.operator === "+" ? value : bare.operator === "~" ? ~value : null;
    }
    case "Identifier":
    case "MemberExpression":
      return staticName(bare, module, names);
    default:
      return null;
  }
}

function staticTemplate(node: Extract<Node, { type: "TemplateLiteral" }>, module: Module, names: Names): string | null {
  let text = node.quasis[0]?.value.cooked ?? "";
  for (const [index, expression] of node.expressions.entries()) {
    const value = staticValue(expression, module, names);
    if (value === null) return null;
    text += String(value) + (node.quasis[index + 1]?.value.cooked ?? "");
  }
  return text;
}

function staticBinary(
  node: Extract<Node, { type: "BinaryExpression" }>,
  module: Module,
  names: Names,
): string | number | null {
  const left = staticValue(node.left, module, names);
  const right = staticValue(node.right, module, names);
  if (left === null || right === null) return null;
  if (typeof left === "string" || typeof right === "string") {
    return node.operator === "+" ? String(left) + String(right) : null;
  }
  return numericOperators[node.operator]?.(left, right) ?? null;
}

const numericOperators: Partial<Record<string, (left: number, right: number) => number>> = {
  "+": (left, right) => left + right,
  "-": (left, right) => left - right,
  "*": (left, right) => left * right,
  "/": (left, right) => left / right,
  "%": (left, right) => left % right,
  "**": (left, right) => left ** right,
  "<<": (left, right) => left << right,
  ">>": (left, right) => left >> right,
  ">>>": (left, right) => left >>> right,
  "&": (left, right) => left & right,
  "|": (left, right) => left | right,
  "^": (left, right) => left ^ right,
};

function staticName(
  node: Extract<Node, { type: "Identifier" | "MemberExpression" }>,
  module: Module,
  names: Names,
): string | number | null {
  const resolution = names.resolve(module, node);
  if (resolution?.kind === "value") return resolution.value;
  if (resolution?.kind === "global" && resolution.global.binding?.kind === "const") {
    const { declaration, module: home } = resolution.global;
    const isName = declaration.kind === "constant" && declaration.pattern?.type === "Identifier";
    return isName ? staticValue(declaration.init, home, names) : null;
  }
  if (resolution !== null || node.type !== "MemberExpression") return null;
  return staticProperty(node, module, names);
}

function staticProperty(
  node: Extract<Node, { type: "MemberExpression" }>,
  module: Module,
  names: Names,
): string | number | null {
  if (node.computed || node.property.type !== "Identifier") return null;
  const holder = names.resolve(module, erase(node.object));
  if (holder?.kind !== "global" || holder.global.declaration.kind !== "constant") return null;
  const init = erase(holder.global.declaration.init);
  if (init.type !== "ObjectExpression" || holder.global.binding?.kind !== "const") return null;
  const { name } = node.property;
  let found: string | number | null = null;
  for (const property of init.properties) {
    if (property.type !== "Property" || property.computed) return null;
    const key = property.key.type === "Identifier" ? property.key.name : erase(property.key);
    const text = typeof key === "string" ? key : key.type === "Literal" ? String(key.value) : null;
    if (text === name) found = staticValue(property.value, holder.global.module, names);
  }
  return found;
}
