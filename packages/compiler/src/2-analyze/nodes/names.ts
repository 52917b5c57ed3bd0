import type { CallExpression, Node } from "oxc-parser";
import { erase, isErasedWrapper } from "../../1-parse/erase.ts";
import type { Module } from "../link/module.ts";
import { staticString } from "../link/static-value.ts";
import type { Names } from "../resolution.ts";

/** The last part of a node's id: `charge` for `charge` and `payments.charge`, or what `.with({ id })` says. */
export function referenceName(node: Node, module: Module, names: Names): string {
  return fixedId(node, module, names) ?? lastName(node) ?? "call";
}

export function lastName(node: Node): string | null {
  const bare = erase(node);
  if (bare.type === "Identifier") return bare.name;
  if (bare.type === "ChainExpression") return lastName(bare.expression);
  if (bare.type !== "MemberExpression") return null;
  if (bare.property.type === "Identifier" && !bare.computed) return bare.property.name;
  return lastName(bare.object);
}

/** `charge.with({ id: "first" })(…)`. */
function fixedId(node: Node, module: Module, names: Names): string | null {
  const member = around(node, module);
  if (member?.type !== "MemberExpression" || erase(member.object) !== node || lastName(member) !== "with") return null;
  const call = around(member, module);
  if (call?.type !== "CallExpression" || erase(call.callee) !== member) return null;
  const [first] = call.arguments;
  const options = first === undefined ? null : erase(first);
  if (options?.type !== "ObjectExpression") return null;
  for (const property of options.properties) {
    if (property.type !== "Property" || property.computed) continue;
    if (lastName(property.key) === "id") return staticString(property.value, module, names);
  }
  return null;
}

/** What a node is a part of, but for TypeScript's syntax between them that only types see. */
export function around(node: Node, { scopes: { parents } }: Module): Node | undefined {
  let parent = parents.get(node);
  while (parent !== undefined && isErasedWrapper(parent)) parent = parents.get(parent);
  return parent;
}

/** The part that a function adds to the ids of nodes in it: its name, or `arrow.map` for a callback. */
export function functionPart(node: Node, module: Module): string {
  if ("id" in node && node.id !== null && node.id !== undefined && "name" in node.id) return node.id.name;
  const parent = around(node, module);
  switch (parent?.type) {
    case "VariableDeclarator":
      return lastName(parent.id) ?? "arrow";
    case "AssignmentExpression":
      return lastName(parent.left) ?? "arrow";
    case "Property":
      return propertyName(parent) ?? "arrow";
    case "CallExpression":
    case "NewExpression": {
      const callee = lastName(parent.callee);
      return callee === null ? "arrow" : `arrow.${callee}`;
    }
    default:
      return "arrow";
  }
}

export function propertyName(property: Extract<Node, { type: "Property" }>): string | null {
  if (property.key.type === "Literal") return String(property.key.value);
  return property.computed ? null : lastName(property.key);
}

/** The name of a `step("name", …)`, null when it is not known. */
export function stepName(node: CallExpression, module: Module, names: Names): string | null {
  const [first] = node.arguments;
  return first === undefined || first.type === "SpreadElement" ? null : staticString(first, module, names);
}
