import { callNatively } from "./action.ts";
import { copyOf } from "./copy.ts";
import { requireName } from "./definition.ts";
import { refused } from "./durable-promise.ts";
import { IN_MEMORY } from "./sealing.ts";
import { frozenHandler } from "./frozen-captures.ts";

/** An inline action: the arrow may do anything; what it uses of the body is passed to it by value. */
export function step<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
// Hooks write calls of three arguments, which nobody else is to do: they have no signature that people see.
export function step(name: string, work: () => Promise<unknown>, captures?: () => unknown): Promise<unknown> {
  requireName(name, "step");
  if (typeof work !== "function") {
    throw new TypeError(
      "step() takes a name and an async arrow. What has options, such as retry or timeout, is declared as an action.",
    );
  }
  if (captures !== undefined) return liftedStep(name, work, captures);
  return callNatively({ kind: "action", name, options: {}, handler: () => work() }, []);
}

/** What a hook makes of it: the arrow, lifted out of the body, and what it captures there. */
export function liftedStep<Captures, Result>(
  name: string,
  lifted: (captures: Captures) => Promise<Result>,
  captures: () => Captures,
): Promise<Result> {
  let copy: Captures;
  try {
    // No root: paths begin with the names of the captured variables.
    copy = copyOf(captures(), "", IN_MEMORY);
  } catch (error) {
    return refused(error);
  }
  // As on the engine, where the arrow gets copies that the body would never see a change of.
  return callNatively({ kind: "action", name, options: {}, handler: () => frozenHandler(lifted)(copy) }, []);
}
