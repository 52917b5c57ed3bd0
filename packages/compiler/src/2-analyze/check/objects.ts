import type { Node } from "oxc-parser";
import { report } from "../diagnostic.ts";
import { parentOf, type CheckContext, type Visitors } from "./context.ts";
import { staticKeyName, staticMemberName } from "./shape.ts";

/** Properties that are more than a key and a value. */
export const objectVisitors: Visitors = {
  Property(node, context) {
    const name = staticKeyName(node);
    if (node.kind === "get" || node.kind === "set") {
      const kind = node.kind === "get" ? "getter" : "setter";
      report(context, "CAIRN1011", node.key, { kind, name: name ?? "this property" });
    }
    if (name === "__proto__") report(context, "CAIRN1020", node.key);
  },
  MemberExpression(node, context) {
    if (staticMemberName(node) === "__proto__") report(context, "CAIRN1020", node.property);
  },
  Super(node, context) {
    if (!isConstructorCall(node, context)) report(context, "CAIRN1021", node);
  },
};

/** A statement `super(…)` of a constructor itself; where it may stand there is checked with the class. */
function isConstructorCall(node: Node, context: CheckContext): boolean {
  const path: (string | undefined)[] = [];
  let at: Node | undefined = node;
  while (at !== undefined && path.length < 5) {
    at = parentOf(at, context);
    path.push(at?.type);
  }
  const expected = [
    "CallExpression",
    "ExpressionStatement",
    "BlockStatement",
    "FunctionExpression",
    "MethodDefinition",
  ];
  return expected.every((type, index) => path[index] === type);
}
