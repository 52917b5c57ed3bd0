import type { Node } from "oxc-parser";
import { builtinPath } from "./builtin-path.ts";
import { constantValue } from "./constant-value.ts";
import { resolutionOf, type CheckContext, type NameContext } from "./context.ts";
import { callbackCall, callText, promiseSource } from "./promise-calls.ts";
import { bare, isFunction, staticMemberName } from "./shape.ts";

/** Whether it makes a list of promises: `[charge(a), charge(b)]`, `items.map(charge)`, `Array.from(items, charge)`. */
export function holdsPromises(node: Node, place: NameContext): boolean {
  const list = bare(node);
  if (list.type === "ArrayExpression") {
    return list.elements.some((element) => element !== null && promiseSource(element, place) !== null);
  }
  if (list.type !== "CallExpression") return false;
  const callback = list.arguments[callbackIndex(list.callee, place)];
  return callback !== undefined && callbackCall(callback, place) !== null;
}

/** A call that gives a promise or a list of them, as a message has it, and how its results are waited for. */
export function promisesOf(call: Node, context: CheckContext): { call: string; gives: string; awaited: string } {
  const text = callText(call, context);
  return holdsPromises(call, context)
    ? { call: text, gives: "a list of promises", awaited: `Promise.all(${text})` }
    : { call: text, gives: "a promise", awaited: text };
}

function callbackIndex(callee: Node, place: NameContext): number {
  if (builtinPath(callee, place) === "Array.from") return 1;
  const method = staticMemberName(bare(callee));
  return (method === "map" || method === "flatMap") && !isOwnFunction(callee, place) ? 0 : -1;
}

/** A function of the program that happens to have the name of a list's method may await its callback. */
export function isOwnFunction(callee: Node, context: NameContext): boolean {
  const { node, place } = constantValue(callee, context);
  return isFunction(node) || resolutionOf(node, place) !== null;
}
