import type { Node } from "oxc-parser";
import { children } from "../../1-parse/children.ts";
import { constantValue } from "./constant-value.ts";
import { resolutionOf, textOf, type CheckContext, type NameContext } from "./context.ts";
import { bare, isFunction, staticMemberName, valueLeaves } from "./shape.ts";

/** Whose promise a call gives: something durable's, or that of an async function of the program. */
export type PromiseSource = "durable" | "async";

/** Whether the expression is itself the call of an action, workflow, durable primitive or async helper. */
export function promiseSource(node: Node, place: NameContext): PromiseSource | null {
  const call = bare(node);
  return call.type === "CallExpression" ? sourceOfCalling(call.callee, place) : null;
}

/** `charge(…)`: the call in a message. */
export function callText(node: Node, context: CheckContext): string {
  const call = bare(node);
  if (call.type !== "CallExpression") return textOf(call, context);
  const callee = isFunction(bare(call.callee)) ? "(async () => …)" : textOf(call.callee, context);
  return `${callee}(${call.arguments.length === 0 ? "" : "…"})`;
}

/** Where a callback makes a promise: itself when it is async or durable, or a call that it returns. */
export function callbackCall(callback: Node, place: NameContext): Node | null {
  const inner = bare(callback);
  if (sourceOfCalling(inner, place) !== null) return inner;
  if (!isFunction(inner) || inner.body === null) return null;
  const returned = inner.body.type === "BlockStatement" ? returnedBy(inner.body) : [inner.body];
  return returned.flatMap(valueLeaves).find((leaf) => promiseSource(leaf, place) !== null) ?? null;
}

/** What the statements of a function return; not those of functions inside it. */
export function returnedBy(node: Node): Node[] {
  if (isFunction(node)) return [];
  if (node.type === "ReturnStatement") return node.argument === null ? [] : [node.argument];
  return children(node).flatMap(returnedBy);
}

/** The promise that calling this expression gives. */
export function sourceOfCalling(callee: Node, place: NameContext): PromiseSource | null {
  const { node, place: where } = constantValue(callee, place);
  if (isFunction(node)) return node.async && !node.generator ? "async" : null;
  const resolution = resolutionOf(node, where);
  if (resolution?.kind === "durable") {
    const { durable } = resolution;
    return durable === "action" || durable === "workflow" || durable === "sleep" ? "durable" : null;
  }
  if (resolution?.kind === "primitive") {
    return resolution.name === "mapLimit" || resolution.name === "step" ? "durable" : null;
  }
  if (node.type === "CallExpression") return sourceOfMadeFunction(node.callee, where);
  if (node.type !== "MemberExpression") return null;
  return sourceOfMethod(node.object, staticMemberName(node), where);
}

/** `charge.with(…)` gives the action again; in a table, `action(…)` and `workflow(…)` themselves. */
function sourceOfMadeFunction(maker: Node, place: NameContext): PromiseSource | null {
  const callee = bare(maker);
  const resolution = resolutionOf(callee, place);
  if (resolution?.kind === "primitive") {
    return resolution.name === "action" || resolution.name === "workflow" ? "durable" : null;
  }
  if (callee.type !== "MemberExpression" || staticMemberName(callee) !== "with") return null;
  return sourceOfCalling(callee.object, place) === "durable" ? "durable" : null;
}

function sourceOfMethod(object: Node, name: string | null, place: NameContext): PromiseSource | null {
  if (name === "call" || name === "apply") return sourceOfCalling(object, place);
  if (name === "start") return isWorkflow(object, place) ? "durable" : null;
  return name === "wait" && isSignal(object, place) ? "durable" : null;
}

export function isWorkflow(object: Node, place: NameContext): boolean {
  const { node, place: where } = constantValue(object, place);
  const resolution = resolutionOf(node, where);
  if (resolution?.kind === "durable") return resolution.durable === "workflow";
  const callee = node.type === "CallExpression" ? bare(node.callee) : null;
  if (callee?.type !== "MemberExpression" || staticMemberName(callee) !== "with") return false;
  return isWorkflow(callee.object, where);
}

/** Whether it is a signal that is declared somewhere, or `signal("approved")` itself. */
export function isSignal(object: Node, place: NameContext): boolean {
  const { node, place: where } = constantValue(object, place);
  const named = node.type === "CallExpression" ? bare(node.callee) : node;
  const resolution = resolutionOf(named, where);
  return resolution?.kind === "durable" && resolution.durable === "signal";
}

/** Whether it is an action or workflow, or one with other options: `charge.with({ … })`. */
export function takesData(callee: Node, place: NameContext): boolean {
  const { node, place: where } = constantValue(callee, place);
  const resolution = resolutionOf(node, where);
  if (resolution?.kind === "durable") return resolution.durable === "action" || resolution.durable === "workflow";
  const inner = node.type === "CallExpression" ? bare(node.callee) : null;
  if (inner?.type !== "MemberExpression" || staticMemberName(inner) !== "with") return false;
  return takesData(inner.object, where);
}
