import type { Node } from "oxc-parser";
import { report } from "../diagnostic.ts";
import { parentOf, type CheckContext, type Visitors } from "./context.ts";

/** `this` and the other names that a function is given by the way it is called. */
export const thisVisitors: Visitors = {
  ThisExpression(node, context) {
    if (!hasOwnThis(node, context)) report(context, "CAIRN1007", node, outsideMethod);
  },
  Identifier(node, context) {
    if (node.name !== "arguments" || !context.module.scopes.references.has(node)) return undefined;
    report(context, "CAIRN1008", node);
    return "skip";
  },
  MetaProperty(node, context) {
    if (node.meta.name === "new") report(context, "CAIRN1015", node);
    else if (context.evaluated === null) report(context, "CAIRN1016", node);
    else report(context, "CAIRN3005", node, { name: context.evaluated, source: "import.meta" });
  },
};

const outsideMethod = {
  where: "outside a method of an object",
  instead: "pass the object as a parameter, or write the function as a method: `{ total() { return this.price; } }`",
};

/** In a method of an object literal or in an error class, arrows between them not counted. */
function hasOwnThis(node: Node, context: CheckContext): boolean {
  for (let at = parentOf(node, context); at !== undefined; at = parentOf(at, context)) {
    if (at.type === "PropertyDefinition") return true;
    if (at.type === "FunctionDeclaration") return false;
    if (at.type === "FunctionExpression") {
      const owner = parentOf(at, context);
      if (owner?.type !== "Property") return owner?.type === "MethodDefinition";
      return owner.method || owner.kind !== "init";
    }
  }
  return false;
}
