import type { Node } from "oxc-parser";
import { report } from "../diagnostic.ts";
import type { Resolution } from "../resolution.ts";
import type { Binding } from "../scope/binding.ts";
import { parentOf, resolutionOf, type CheckContext, type NameContext, type Visitors } from "./context.ts";
import { rootIdentifier } from "./names.ts";
import { isErasedWrapper } from "../../1-parse/erase.ts";

/** What stands outside the body is fixed: no variable there may change, and none may be changed from inside. */
export const moduleVariableVisitors: Visitors = {
  Identifier(node, context) {
    const reference = context.module.scopes.references.get(node);
    const binding = reference?.binding;
    if (reference === undefined || binding === null || binding === undefined) return undefined;
    if (binding.scope.kind !== "module" || reference.access === "init") return undefined;
    const { name } = node;
    if (reference.access !== "read") {
      report(context, "CAIRN3002", node, { name });
      return "skip";
    }
    const resolution = resolutionOf(node, context);
    if (runsAtOnce(node, context)) checkOrder(node, binding, resolution, context);
    const isValue = resolution?.kind === "global" || resolution?.kind === "durable";
    if (!isValue || (binding.kind !== "let" && binding.kind !== "var")) return undefined;
    report(context, "CAIRN3001", node, { name, kind: binding.kind });
    return "skip";
  },
  MemberExpression(node, context) {
    if (!isWritten(node, context)) return undefined;
    const root = rootIdentifier(node);
    const resolution = root === null ? null : resolutionOf(root, context);
    if (root === null || resolution === null) return undefined;
    if (resolution.kind === "intrinsic") {
      report(context, "CAIRN2024", node, { path: context.source.slice(node.start, node.end) });
      return "skip";
    }
    if (resolution.kind !== "global" && resolution.kind !== "durable" && resolution.kind !== "namespace")
      return undefined;
    report(context, "CAIRN3003", node, { name: root.name });
    return "skip";
  },
};

/** Whether the code runs while the module is loaded: initialisers, and what a class extends. */
function runsAtOnce(node: Node, { evaluated, unit }: CheckContext): boolean {
  return evaluated !== null || (unit.node.type === "ClassDeclaration" && unit.node.superClass === node);
}

/** A constant below is not there yet, and Node.js would not load the file. */
function checkOrder(node: Node, binding: Binding, resolution: Resolution | null, context: CheckContext): void {
  const { unit } = context;
  if (resolution?.kind !== "global" || resolution.global === unit.global) return;
  const { global } = resolution;
  const hasOrder =
    binding.kind === "const" || binding.kind === "let" || binding.kind === "class" || binding.kind === "enum";
  if (hasOrder && node.start < binding.readyAfter) report(context, "CAIRN3015", node, { name: binding.name });
  else if (unit.global !== null && global.what !== "helper") {
    context.uses.push({ from: unit.global, to: global, node, sink: context });
  }
}

/** Whether the expression is the target of an assignment, `++`, `--`, `delete` or a destructuring. */
export function isWritten(node: Node, context: NameContext): boolean {
  const parent = parentOf(node, context);
  if (parent === undefined) return false;
  if (isErasedWrapper(parent) || parent.type === "ChainExpression") return isWritten(parent, context);
  switch (parent.type) {
    case "AssignmentExpression":
    case "ForInStatement":
    case "ForOfStatement":
      return parent.left === node;
    case "AssignmentPattern":
      return parent.left === node;
    case "UpdateExpression":
      return true;
    case "UnaryExpression":
      return parent.operator === "delete";
    case "Property":
      return parent.value === node && parentOf(parent, context)?.type === "ObjectPattern";
    case "ArrayPattern":
    case "RestElement":
      return true;
    default:
      return false;
  }
}
