import type { Node } from "oxc-parser";
import { report } from "../diagnostic.ts";
import { constantValue } from "./constant-value.ts";
import { resolutionOf, sinkOf, textOf, type CheckContext, type NodeOf, type Visitors } from "./context.ts";
import { callText, isWorkflow, promiseSource, takesData } from "./promise-calls.ts";
import { bare, isFunction } from "./shape.ts";

/** `compensate(action, ...args)`: what is given to it where the source shows that it is no action. */
export const compensationVisitors: Visitors = {
  CallExpression(node, context) {
    if (!isCompensate(node.callee, context)) return;
    const [first] = node.arguments;
    if (first?.type === "SpreadElement") return;
    const given = first === undefined ? "nothing" : otherThanAction(first, context);
    if (given !== null) report(context, "CAIRN5012", first ?? node, { given, instead: insteadOf(first, context) });
  },
};

export function isCompensate(callee: Node, context: CheckContext): boolean {
  const resolution = resolutionOf(bare(callee), context);
  return resolution?.kind === "durable" && resolution.durable === "compensate";
}

/** null for an action, and for what only the run can tell. */
function otherThanAction(written: Node, context: CheckContext): string | null {
  if (promiseSource(written, context) !== null)
    return `the promise of ${callText(written, context)}, which runs at once`;
  const { node, place } = constantValue(written, context);
  if (isFunction(node)) return "a function";
  if (isWorkflow(node, place)) return "a workflow";
  if (node.type === "ObjectExpression" || node.type === "ArrayExpression") return "an object";
  if (node.type === "Literal" || node.type === "TemplateLiteral")
    return textOf(node, sinkOf(place.module, context.diagnostics));
  const resolution = resolutionOf(node, place);
  const isOther = resolution?.kind === "durable" && resolution.durable !== "action";
  return isOther || resolution?.kind === "primitive" ? textOf(written, context) : null;
}

/** `compensate(refund, id)` for `compensate(refund(id))` and `compensate(() => refund(id))`. */
function insteadOf(first: Node | undefined, context: CheckContext): string {
  const call = first === undefined ? null : onlyCall(first);
  const isAction = call !== null && takesData(call.callee, context) && !isWorkflow(call.callee, context);
  if (!isAction) return "compensate(refund, orderId)";
  return `compensate(${[call.callee, ...call.arguments].map((part) => textOf(part, context)).join(", ")})`;
}

/** The call that this is, or that is all that this function does. */
function onlyCall(node: Node): NodeOf<"CallExpression"> | null {
  const inner = bare(node);
  switch (inner.type) {
    case "CallExpression":
      return inner;
    case "AwaitExpression":
      return onlyCall(inner.argument);
    case "ArrowFunctionExpression":
    case "FunctionExpression":
      return inner.body === null ? null : onlyCall(inner.body);
    case "BlockStatement": {
      const [statement, another] = inner.body;
      return statement === undefined || another !== undefined ? null : onlyCall(statement);
    }
    case "ExpressionStatement":
      return onlyCall(inner.expression);
    case "ReturnStatement":
      return inner.argument === null ? null : onlyCall(inner.argument);
    default:
      return null;
  }
}
