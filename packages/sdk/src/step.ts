import { callNatively } from "./action.ts";
import { copyOf } from "./copy.ts";
import { requireName } from "./definition.ts";
import { refused } from "./durable-promise.ts";
import { frozenHandler } from "./frozen-captures.ts";

/** An inline action: the arrow may do anything; what it uses of the body is passed to it by value. */
export function step<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
/** What a hook makes of it: the arrow, lifted out of the body, and what it captures there. */
export function step<Captures, Result>(
  name: string,
  lifted: (captures: Captures) => Promise<Result>,
  captures: () => Captures,
): Promise<Result>;
export function step(
  name: string,
  work: (captures: unknown) => Promise<unknown>,
  captures?: () => unknown,
): Promise<unknown> {
  requireName(name, "step");
  if (typeof work !== "function") throw new TypeError("step() takes a name and an async arrow");
  const action = { kind: "action", name, options: {} } as const;
  if (captures === undefined) return callNatively({ ...action, handler: () => work(undefined) }, []);
  let copy: unknown;
  try {
    // No root: paths begin with the names of the captured variables.
    copy = copyOf(captures(), "");
  } catch (error) {
    return refused(error);
  }
  // As on the engine, where the arrow gets copies that the body would never see a change of.
  return callNatively({ ...action, handler: () => frozenHandler(work)(copy) }, []);
}
