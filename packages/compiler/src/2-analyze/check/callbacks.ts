import type { Node } from "oxc-parser";
import { report } from "../diagnostic.ts";
import type { CheckContext, NodeOf, Visitors } from "./context.ts";
import { callbackCall, callText } from "./promise-calls.ts";
import { isOwnFunction } from "./promise-lists.ts";
import { bare, isFunction, staticMemberName } from "./shape.ts";

/** Callbacks that give promises to methods of lists which do not wait for them. */
export const callbackVisitors: Visitors = {
  CallExpression(node, context) {
    const method = staticMemberName(bare(node.callee));
    if (method === null || !Object.hasOwn(uses, method) || isOwnFunction(node.callee, context)) return;
    const [callback] = node.arguments;
    if (callback === undefined || callback.type === "SpreadElement") return;
    const call = callbackCall(callback, context);
    if (call !== null) reportCallback(node, method, call, context);
  },
};

type Use = "nothing" | "condition" | "order";

/** What each method makes of what its callback gives. */
const uses: Readonly<Record<string, Use>> = {
  forEach: "nothing",
  filter: "condition",
  some: "condition",
  every: "condition",
  find: "condition",
  findIndex: "condition",
  findLast: "condition",
  findLastIndex: "condition",
  sort: "order",
  toSorted: "order",
};

function reportCallback(node: NodeOf<"CallExpression">, method: string, call: Node, context: CheckContext): void {
  const text = isFunction(bare(call)) ? "its async callback" : callText(call, context);
  if (uses[method] === "nothing") {
    report(context, "CAIRN4004", node, { call: text });
  } else if (uses[method] === "condition") {
    const effect = "which is always true";
    const use = `\`items.${method}((_, index) => answers[index])\``;
    const instead = `\`const answers = await Promise.all(items.map(…))\`, then ${use}`;
    report(context, "CAIRN4005", node, { method, call: text, effect, instead });
  } else {
    const effect = "which says nothing about the order";
    const instead = "`const keys = await Promise.all(items.map(…))`, then sort by the keys";
    report(context, "CAIRN4005", node, { method, call: text, effect, instead });
  }
}
