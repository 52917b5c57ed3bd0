import type { Node } from "oxc-parser";
import { report } from "../diagnostic.ts";
import { builtinPath } from "./builtin-path.ts";
import { parentOf, type CheckContext, type NodeOf, type Visitors } from "./context.ts";
import { callText, promiseSource, returnedBy } from "./promise-calls.ts";
import { holdsPromises, promisesOf } from "./promise-lists.ts";
import { isFunction, staticMemberName, valueLeaves } from "./shape.ts";

/** Calls whose promise is used as if it were the result. */
export const awaitVisitors: Visitors = {
  IfStatement: checkTest,
  WhileStatement: checkTest,
  DoWhileStatement: checkTest,
  ConditionalExpression: checkTest,
  ForStatement(node, context) {
    if (node.test !== null) requireAwait(node.test, "a condition", context);
  },
  LogicalExpression(node, context) {
    requireAwait(node.left, "a condition", context);
  },
  UnaryExpression(node, context) {
    if (node.operator === "!") requireAwait(node.argument, "a condition", context);
    const isArithmetic = node.operator === "-" || node.operator === "+" || node.operator === "~";
    if (isArithmetic) requireAwait(node.argument, `an operand of \`${node.operator}\``, context);
  },
  BinaryExpression(node, context) {
    const isOfPromise = node.operator === "instanceof" && builtinPath(node.right, context) === "Promise";
    if (isOfPromise) return;
    requireAwait(node.left, `an operand of \`${node.operator}\``, context);
    requireAwait(node.right, `an operand of \`${node.operator}\``, context);
  },
  AssignmentExpression(node, context) {
    if (isPattern(node.left)) requireAwait(node.right, "an object that is taken apart", context);
    const keepsValue = ["=", "&&=", "||=", "??="].includes(node.operator);
    if (!keepsValue) requireAwait(node.right, `an operand of \`${node.operator}\``, context);
  },
  VariableDeclarator(node, context) {
    if (node.init !== null && isPattern(node.id)) requireAwait(node.init, "an object that is taken apart", context);
  },
  TemplateLiteral(node, context) {
    for (const expression of node.expressions) requireAwait(expression, "part of a text", context);
  },
  MemberExpression(node, context) {
    if (node.computed) requireAwait(node.property, "a property name", context);
    const name = staticMemberName(node);
    if (name === "then" || name === "catch" || name === "finally") return;
    requireAwait(node.object, name === null ? "an object" : `an object with the property \`${name}\``, context);
  },
  CallExpression(node, context) {
    requireAwait(node.callee, "a function", context);
    const path = builtinPath(node.callee, context);
    if (path?.startsWith("console.") !== true) return;
    for (const argument of node.arguments) requireAwait(argument, `an argument of ${path}`, context);
  },
  ReturnStatement(node, context) {
    if (node.argument !== null && functionAround(node, context) === context.unit.node)
      checkResult(node.argument, context);
  },
  ArrowFunctionExpression(node, context) {
    if (node === context.unit.node && node.body.type !== "BlockStatement") checkResult(node.body, context);
  },
  ForOfStatement(node, context) {
    requireAwait(node.right, "a list", context);
  },
  ForInStatement(node, context) {
    requireAwait(node.right, "an object", context);
  },
  SpreadElement(node, context) {
    requireAwait(node.argument, "a list or object that is spread", context);
  },
  SwitchStatement(node, context) {
    requireAwait(node.discriminant, "the value of a switch", context);
  },
  TryStatement(node, context) {
    if (node.handler !== null || node.finalizer !== null) checkReturns(node.block, context);
  },
  SwitchCase(node, context) {
    if (node.test !== null) requireAwait(node.test, "the value of a case", context);
  },
};

type Tested = NodeOf<"IfStatement" | "WhileStatement" | "DoWhileStatement" | "ConditionalExpression">;

function checkTest(node: Tested, context: CheckContext): void {
  requireAwait(node.test, "a condition", context);
}

/** `return load()` leaves the `try` before the promise is settled, so that its `catch` never sees the error. */
function checkReturns(block: Node, context: CheckContext): void {
  for (const returned of returnedBy(block)) {
    for (const leaf of valueLeaves(returned)) {
      if (promiseSource(leaf, context) !== null) report(context, "CAIRN4007", leaf, { call: callText(leaf, context) });
    }
  }
}

/** What a body returns is stored: the promise itself is awaited by `return`, those in a list or an object are not. */
function checkResult(result: Node, context: CheckContext): void {
  if (context.unit.role !== "body") return;
  for (const leaf of valueLeaves(result)) {
    if (leaf.type === "ArrayExpression") {
      for (const element of leaf.elements) if (element !== null) requireAwait(element, IN_RESULT, context);
    } else if (leaf.type === "ObjectExpression") {
      for (const each of leaf.properties) if (each.type === "Property") requireAwait(each.value, IN_RESULT, context);
    } else if (holdsPromises(leaf, context)) {
      report(context, "CAIRN4001", leaf, { ...promisesOf(leaf, context), place: "the workflow's result" });
    }
  }
}

const IN_RESULT = "part of the workflow's result";

function functionAround(node: Node, context: CheckContext): Node | undefined {
  let at = parentOf(node, context);
  while (at !== undefined && !isFunction(at)) at = parentOf(at, context);
  return at;
}

function requireAwait(node: Node, place: string, context: CheckContext): void {
  for (const leaf of valueLeaves(node)) {
    if (promiseSource(leaf, context) !== null) {
      report(context, "CAIRN4001", leaf, { ...promisesOf(leaf, context), place });
    }
  }
}

function isPattern(node: Node): boolean {
  return node.type === "ObjectPattern" || node.type === "ArrayPattern";
}
