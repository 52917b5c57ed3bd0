import { NoHandlerRegistered, StepChanged } from "cairnjs";
import { declaredAction, declaredWorkflow, type Invocable } from "cairnjs/host";
import type { Dispatch } from "./calls.ts";

/** What runs a call: an action, or a step of the workflow it comes from. */
export function taskOf({ action, type }: Pick<Dispatch, "action" | "type">): Invocable | Error {
  const declared = declaredAction(action);
  if (declared !== undefined) return declared;
  const compiled = declaredWorkflow(type)?.compiled;
  const step = compiled?.steps.get(action);
  if (step !== undefined) return { name: action, handler: step, options: {} };
  return compiled !== undefined && action.startsWith(`${type}/`)
    ? new StepChanged(`The step "${action}" is missing from the code that was loaded`)
    : new NoHandlerRegistered(`There is no action "${action}"`);
}
