import type { Node } from "oxc-parser";
import type { Binding, Reference, Scope } from "./binding.ts";

/**
 * Whether a use of the name may run before its initialisation. Within one entry of a scope code runs forward,
 * except that a `switch` can jump over a declaration and a hoisted function can be called before it.
 */
export function mayBeUninitialised(reference: Reference, binding: Binding): boolean {
  if (binding.readyAfter === 0) return false;
  if (binding.scope.kind === "switch") return true;
  const { start, end } = reference.node;
  const inPattern = start >= binding.readyInPattern && end <= binding.patternEnd;
  if (start < binding.readyAfter && !inPattern) return true;
  for (let at: Scope | null = reference.scope; at !== null && at !== binding.scope; at = at.parent) {
    if (at.kind === "parameters" && at.node.type === "FunctionDeclaration") return true;
  }
  return false;
}

/** `var` of the name of a parameter, function or catch clause declares nothing new: its initialiser assigns. */
export function accessOf(
  node: Node,
  access: Reference["access"],
  binding: Binding | null,
  parents: ReadonlyMap<Node, Node>,
): Reference["access"] {
  if (access !== "init" || binding === null || binding.kind === "var") return access;
  let at: Node | undefined = node;
  while (at !== undefined && at.type !== "VariableDeclarator") {
    if (at.type === "CatchClause" || at.type.includes("Function")) return access;
    at = parents.get(at);
  }
  const statement = at === undefined ? undefined : parents.get(at);
  return statement?.type === "VariableDeclaration" && statement.kind === "var" ? "write" : access;
}
