import type { Node } from "oxc-parser";
import { isErasedWrapper } from "../../1-parse/erase.ts";
import type { Reference, Scope } from "./binding.ts";
import type { ScopeWalk } from "./scope-walk.ts";

/** What a value is given to: a name, a property, or a pattern of these. */
export function visitTarget(
  walk: ScopeWalk,
  node: Node,
  scope: Scope,
  parent: Node,
  access: Reference["access"],
): void {
  walk.tree.parents.set(node, parent);
  switch (node.type) {
    case "Identifier":
      walk.tree.refer(node, node.name, scope, access);
      break;
    case "ArrayPattern":
      for (const element of node.elements) if (element !== null) visitTarget(walk, element, scope, node, access);
      break;
    case "ObjectPattern":
      for (const property of node.properties) visitTarget(walk, property, scope, node, access);
      break;
    case "Property":
      walk.tree.parents.set(node.key, node);
      if (node.computed) walk.visit(node.key, scope, node);
      visitTarget(walk, node.value, scope, node, access);
      break;
    case "AssignmentPattern":
      visitTarget(walk, node.left, scope, node, access);
      walk.visit(node.right, scope, node);
      break;
    case "RestElement":
      visitTarget(walk, node.argument, scope, node, access);
      break;
    case "TSParameterProperty":
      visitTarget(walk, node.parameter, scope, node, access);
      break;
    default:
      if (isErasedWrapper(node)) visitTarget(walk, node.expression, scope, node, access);
      else walk.visit(node, scope, parent);
  }
}
