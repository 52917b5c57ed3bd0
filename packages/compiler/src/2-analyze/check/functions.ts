import type { Node } from "oxc-parser";
import { report } from "../diagnostic.ts";
import { parentOf, resolutionOf, type CheckContext, type Visitors } from "./context.ts";
import { bare, isFunction, type FunctionNode } from "./shape.ts";

/** Kinds of functions, and what may be constructed. */
export const functionVisitors: Visitors = {
  FunctionDeclaration: checkGenerator,
  FunctionExpression: checkGenerator,
  NewExpression(node, context) {
    const callee = bare(node.callee);
    const name = plainFunctionName(callee, context);
    if (name === null) return undefined;
    report(context, "CAIRN1027", node, { name });
    return "skip";
  },
};

function checkGenerator(node: FunctionNode, context: CheckContext): void {
  if (!node.generator) return;
  const parent = parentOf(node, context);
  report(context, "CAIRN1009", node.id ?? (parent?.type === "Property" ? parent.key : node));
}

/** The name of a callee that is surely a function and no class; a variable may hold an error class. */
function plainFunctionName(callee: Node, context: CheckContext): string | null {
  if (isFunction(callee)) return "This expression";
  const resolution = resolutionOf(callee, context);
  const text = context.source.slice(callee.start, callee.end);
  if (resolution?.kind === "durable") return text;
  if (resolution?.kind === "global") return resolution.global.what === "helper" ? text : null;
  if (resolution?.kind !== "local") return null;
  const { kind, declaration } = resolution.binding;
  if (kind === "function" || kind === "self") return text;
  if (kind !== "const" || declaration.type !== "VariableDeclarator" || declaration.id.type !== "Identifier")
    return null;
  return declaration.init !== null && isFunction(bare(declaration.init)) ? text : null;
}
