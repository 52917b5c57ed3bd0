import type { Node } from "oxc-parser";
import { report } from "../diagnostic.ts";
import { constantValue } from "./constant-value.ts";
import { textOf, type CheckContext, type Visitors } from "./context.ts";
import { callText, isSignal, isWorkflow, sourceOfCalling, takesData } from "./promise-calls.ts";
import { holdsPromises } from "./promise-lists.ts";
import { isFunction, valueLeaves } from "./shape.ts";

/** `await` in front of what is no promise, where one was meant: it gives the value back and waits for nothing. */
export const awaitedVisitors: Visitors = {
  AwaitExpression(node, context) {
    for (const leaf of valueLeaves(node.argument)) checkAwaited(leaf, context);
  },
};

function checkAwaited(leaf: Node, context: CheckContext): void {
  const { node, place } = constantValue(leaf, context);
  if (holdsPromises(node, place)) {
    report(context, "CAIRN4006", leaf, { list: callText(leaf, context) });
  } else if (isSignal(leaf, context)) {
    const name = textOf(leaf, context);
    report(context, "CAIRN4008", leaf, { name, kind: "a signal", instead: `${name}.wait()` });
  } else if (sourceOfCalling(leaf, context) !== null) {
    const name = isFunction(leaf) ? "(async () => …)" : textOf(leaf, context);
    report(context, "CAIRN4008", leaf, { name, kind: kindOf(leaf, context), instead: `${name}(…)` });
  }
}

function kindOf(leaf: Node, context: CheckContext): string {
  if (isWorkflow(leaf, context)) return "a workflow";
  return takesData(leaf, context) ? "an action" : "a function";
}
