import type { Node } from "oxc-parser";
import { report } from "../diagnostic.ts";
import { builtinPath } from "./builtin-path.ts";
import type { CheckContext, Visitors } from "./context.ts";
import { promiseSource } from "./promise-calls.ts";
import { holdsPromises, promisesOf } from "./promise-lists.ts";
import { bare, staticMemberName, valueLeaves } from "./shape.ts";

/** Calls whose promise nobody keeps. */
export const discardVisitors: Visitors = {
  ExpressionStatement(node, context) {
    checkDiscarded(node.expression, context);
  },
  ForStatement(node, context) {
    if (node.init !== null && node.init.type !== "VariableDeclaration") checkDiscarded(node.init, context);
    if (node.update !== null) checkDiscarded(node.update, context);
  },
  SequenceExpression(node, context) {
    for (const expression of node.expressions.slice(0, -1)) checkDiscarded(expression, context);
  },
  UnaryExpression(node, context) {
    if (node.operator !== "void") return;
    for (const leaf of valueLeaves(node.argument)) {
      const call = floatingCall(leaf, context);
      if (call !== null) report(context, "CAIRN4003", node, discarded(call, context));
    }
  },
};

function discarded(call: Node, context: CheckContext): { call: string; what: string; awaited: string } {
  const { gives: _gives, ...about } = promisesOf(call, context);
  const what = holdsPromises(call, context) ? `list of promises that ${about.call} gives` : `promise of ${about.call}`;
  return { ...about, what };
}

function checkDiscarded(node: Node, context: CheckContext): void {
  for (const leaf of valueLeaves(node)) {
    const call = floatingCall(leaf, context);
    if (call !== null) report(context, "CAIRN4002", leaf, discarded(call, context));
  }
}

/**
 * The call whose promise is lost when this expression's value is: the call itself; one with `then` or `finally`
 * behind it and nothing for its error; `Promise.all` or `map` of such calls. What async helpers give may be chained
 * freely, since only their own promise is meant.
 */
function floatingCall(node: Node, context: CheckContext): Node | null {
  if (promiseSource(node, context) !== null) return node;
  const call = bare(node);
  if (call.type !== "CallExpression") return null;
  if (isCombinator(builtinPath(call.callee, context))) {
    const [list] = call.arguments;
    return list !== undefined && holdsPromises(list, context) ? call : null;
  }
  if (holdsPromises(call, context)) return call;
  const callee = bare(call.callee);
  const name = staticMemberName(callee);
  if (callee.type !== "MemberExpression" || (name !== "then" && name !== "finally")) return null;
  if (name === "then" && call.arguments.length > 1) return null;
  return floatingDurable(callee.object, context);
}

function floatingDurable(node: Node, context: CheckContext): Node | null {
  if (promiseSource(node, context) === "durable") return node;
  const call = bare(node);
  return call.type === "CallExpression" && promiseSource(call, context) === null ? floatingCall(call, context) : null;
}

function isCombinator(path: string | null): boolean {
  return path !== null && /^Promise\.(?:all|allSettled|any|race)$/.test(path);
}
