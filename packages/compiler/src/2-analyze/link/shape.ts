import type { MemberExpression, Node } from "oxc-parser";
import { erase } from "../../1-parse/erase.ts";
import type { Module } from "./module.ts";

/** The name of a property access, `a.b` or `a["b"]`; null when only the run can tell. */
export function memberName(node: MemberExpression): string | null {
  if (!node.computed) return node.property.type === "Identifier" ? node.property.name : null;
  const key = erase(node.property);
  return key.type === "Literal" && typeof key.value === "string" ? key.value : null;
}

export function isFunction({ type }: Node): boolean {
  return type === "ArrowFunctionExpression" || type === "FunctionExpression";
}

/** Outside of every function. */
export function isAtModuleLevel(module: Module, node: Node): boolean {
  for (let at = module.scopes.parents.get(node); at !== undefined; at = module.scopes.parents.get(at)) {
    if (isFunction(at) || at.type === "FunctionDeclaration") return false;
  }
  return true;
}
