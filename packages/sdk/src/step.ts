import { callNatively } from "./action.ts";
import { requireName } from "./definition.ts";
import { frozenHandler } from "./frozen-captures.ts";

/** An inline action: the arrow may do anything; what it uses of the body is passed to it by value. */
export function step<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
/** What the transform makes of it: the arrow is lifted out of the body and takes what it captured. */
export function step<Result>(
  name: string,
  lifted: (captures: unknown) => Promise<Result>,
  captures: () => object,
): Promise<Result>;
export function step<Result>(
  name: string,
  work: (captures?: unknown) => Promise<Result>,
  captures?: () => object,
): Promise<Result> {
  requireName(name, "step");
  if (typeof work !== "function") throw new TypeError("step() takes a name and an async arrow");
  const [handler, args] = captures === undefined ? [work, []] : [frozenHandler(work), [captures()]];
  return callNatively({ kind: "action", name, options: {}, handler }, args);
}
