import type { Node } from "oxc-parser";
import { report } from "../diagnostic.ts";
import { isCompensate } from "./compensations.ts";
import { constantValue } from "./constant-value.ts";
import { resolutionOf, textOf, type CheckContext, type Visitors } from "./context.ts";
import { promiseSource, takesData } from "./promise-calls.ts";
import { holdsPromises } from "./promise-lists.ts";
import { isFunction } from "./shape.ts";

/** Arguments of actions and workflows, and of what is recorded, that the source shows cannot be stored. Inside of them, only the run tells. */
export const callArgumentVisitors: Visitors = {
  CallExpression(node, context) {
    const isRegistered = isCompensate(node.callee, context);
    if (!isRegistered && !takesData(node.callee, context) && !isRecorded(node.callee, context)) return;
    for (const argument of isRegistered ? node.arguments.slice(1) : node.arguments) {
      const found = unstorable(argument, context);
      if (found !== null) report(context, "CAIRN3017", argument, { callee: textOf(node.callee, context), ...found });
    }
  },
};

/** `emit` and `progress`. */
function isRecorded(callee: Node, context: CheckContext): boolean {
  const { node, place } = constantValue(callee, context);
  const resolution = resolutionOf(node, place);
  return resolution?.kind === "primitive" && (resolution.name === "emit" || resolution.name === "progress");
}

interface Unstorable {
  readonly kind: string;
  readonly instead: string;
}

function unstorable(argument: Node, context: CheckContext): Unstorable | null {
  if (promiseSource(argument, context) !== null) {
    return { kind: "a promise", instead: "write `await` in front of it" };
  }
  if (holdsPromises(argument, context)) {
    return { kind: "a list of promises", instead: "give their results: `await Promise.all(…)`" };
  }
  const { node, place } = constantValue(argument, context);
  if (isFunction(node))
    return { kind: "a function", instead: "write the function beside the action and pass only the data it works on" };
  if (node.type === "Literal" && "regex" in node) {
    return { kind: "a regular expression", instead: "pass its source as a string and make it in the action" };
  }
  const resolution = resolutionOf(node, place);
  const isDeclared = resolution?.kind === "durable" && resolution.declaration !== null;
  return isDeclared
    ? { kind: "an action, workflow or signal", instead: "call it here and pass its result, or pass its name" }
    : null;
}
