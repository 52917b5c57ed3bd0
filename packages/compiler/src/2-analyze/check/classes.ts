import type { Class, Function, Node, Statement } from "oxc-parser";
import { builtinAt } from "@cairnjs/ir";
import { erase, isTypeOnly } from "../../1-parse/erase.ts";
import { report } from "../diagnostic.ts";
import { parentOf, resolutionOf, type CheckContext, type NodeOf, type Visitors } from "./context.ts";
import { staticKeyName } from "./shape.ts";

/** Classes: only error classes at the top level of a module, of fields and a plain constructor. */
export const classVisitors: Visitors = {
  ClassDeclaration: checkClass,
  ClassExpression: checkClass,
  MethodDefinition(node, context) {
    const name = classNameAround(node, context);
    if (node.kind === "constructor") {
      checkConstructor(node.value, name, context);
      return undefined;
    }
    if (node.value.body === null) return "skip";
    const kinds = { get: "getter", set: "setter", method: "method" } as const;
    const member = `${node.static ? "a static" : "the"} ${kinds[node.kind]} ${memberName(node, context)}`;
    report(context, "CAIRN1005", node.key, { name, member });
    return "skip";
  },
  PropertyDefinition(node, context) {
    if (node.declare === true) return "skip";
    const name = classNameAround(node, context);
    let member: string | null = null;
    if (node.static) member = `the static field ${memberName(node, context)}`;
    else if (node.key.type === "PrivateIdentifier") member = `the private field ${memberName(node, context)}`;
    else if (staticKeyName(node) === null) member = "a field with a computed name";
    else if (staticKeyName(node) === "__proto__") report(context, "CAIRN1020", node.key);
    if (member === null) return undefined;
    report(context, "CAIRN1005", node.key, { name, member });
    return "skip";
  },
  AccessorProperty(node, context) {
    const name = classNameAround(node, context);
    report(context, "CAIRN1005", node.key, { name, member: `the accessor ${memberName(node, context)}` });
  },
  StaticBlock(node, context) {
    report(context, "CAIRN1005", node, { name: classNameAround(node, context), member: "a static block" });
  },
};

function checkClass(node: Class, context: CheckContext): "skip" | void {
  const name = node.id?.name ?? "(anonymous)";
  if (context.unit.node !== node || context.unit.role !== "class") {
    report(context, "CAIRN1003", node.id ?? node, { name });
    return "skip";
  }
  if (node.superClass !== null && isErrorClass(node.superClass, context)) return undefined;
  report(context, "CAIRN1004", node.id ?? node, { name });
  return "skip";
}

/** A parent declared in a module is a unit of its own and is checked there. */
function isErrorClass(parent: Node, context: CheckContext): boolean {
  const resolution = resolutionOf(erase(parent), context);
  if (resolution?.kind === "global") return resolution.global.what === "class";
  if (resolution?.kind !== "intrinsic") return false;
  return resolution.path === "Error" || builtinAt(resolution.path)?.parent === "Error";
}

function checkConstructor(constructor: Function, name: string, context: CheckContext): void {
  if (constructor.body === null) return;
  const statements = constructor.body.body.filter(
    (statement) => !isTypeOnly(statement) && !("directive" in statement && typeof statement.directive === "string"),
  );
  let hasSuper = false;
  for (const [index, statement] of (statements as Statement[]).entries()) {
    if (index > 0 && isFieldAssignment(statement)) continue;
    if (!hasSuper && isSuperCall(statement)) {
      hasSuper = true;
      continue;
    }
    report(context, "CAIRN1006", statement, { name });
    context.settled.add(statement);
  }
  if (!hasSuper) report(context, "CAIRN1006", constructor, { name });
}

function isSuperCall(statement: Statement): boolean {
  if (statement.type !== "ExpressionStatement") return false;
  const call = erase(statement.expression);
  return call.type === "CallExpression" && call.callee.type === "Super";
}

function isFieldAssignment(statement: Statement): boolean {
  if (statement.type !== "ExpressionStatement") return false;
  const assignment = erase(statement.expression);
  if (assignment.type !== "AssignmentExpression" || assignment.operator !== "=") return false;
  const target: Node = erase(assignment.left);
  if (target.type !== "MemberExpression" || target.computed) return false;
  return erase(target.object).type === "ThisExpression" && target.property.type === "Identifier";
}

function classNameAround(node: Node, context: CheckContext): string {
  for (let at = parentOf(node, context); at !== undefined; at = parentOf(at, context)) {
    if (at.type === "ClassDeclaration" || at.type === "ClassExpression") return at.id?.name ?? "";
  }
  return "";
}

function memberName(
  node: NodeOf<"MethodDefinition" | "PropertyDefinition" | "AccessorProperty">,
  context: CheckContext,
): string {
  return context.source.slice(node.key.start, node.key.end);
}
