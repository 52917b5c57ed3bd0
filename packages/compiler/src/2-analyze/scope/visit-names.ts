import type { Node } from "oxc-parser";
import type { Scope } from "./binding.ts";
import type { NodeOf, ScopeVisitors, ScopeWalk } from "./scope-walk.ts";
import { visitTarget } from "./visit-target.ts";

/** Where names are used, and where words stand that look like names and are none. */
export const nameVisitors: ScopeVisitors = {
  Identifier: (walk, node, scope) => walk.tree.refer(node, node.name, scope, "read"),
  ThisExpression: (walk, node, scope) => walk.tree.referThis(node, scope),
  MemberExpression: visitMember,
  Property: visitProperty,
  PropertyDefinition: visitProperty,
  MethodDefinition: visitProperty,
  AssignmentExpression: visitAssignment,
  UpdateExpression: (walk, node, scope) => visitTarget(walk, node.argument, scope, node, "readwrite"),
  VariableDeclarator: visitDeclarator,
  MetaProperty: () => undefined,
};

function visitMember(walk: ScopeWalk, node: NodeOf<"MemberExpression">, scope: Scope): void {
  walk.visit(node.object, scope, node);
  visitKey(walk, node.property, node, scope);
}

function visitProperty(
  walk: ScopeWalk,
  node: NodeOf<"Property" | "PropertyDefinition" | "MethodDefinition">,
  scope: Scope,
): void {
  visitKey(walk, node.key, node, scope);
  if (node.value !== null) walk.visit(node.value, scope, node);
}

function visitKey(walk: ScopeWalk, key: Node, owner: Node & { readonly computed: boolean }, scope: Scope): void {
  walk.tree.parents.set(key, owner);
  if (owner.computed) walk.visit(key, scope, owner);
}

function visitAssignment(walk: ScopeWalk, node: NodeOf<"AssignmentExpression">, scope: Scope): void {
  visitTarget(walk, node.left, scope, node, node.operator === "=" ? "write" : "readwrite");
  walk.visit(node.right, scope, node);
}

function visitDeclarator(walk: ScopeWalk, node: NodeOf<"VariableDeclarator">, scope: Scope): void {
  visitTarget(walk, node.id, scope, node, "init");
  if (node.init !== null) walk.visit(node.init, scope, node);
}
