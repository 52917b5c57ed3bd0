import { callNatively } from "./action.ts";
import { requireName } from "./definition.ts";

/** An inline action: the arrow may do anything; what it uses of the body is passed to it by value. */
export function step<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  requireName(name, "step");
  if (typeof work !== "function") throw new TypeError("step() takes a name and an async arrow");
  return callNatively({ kind: "action", name, options: {}, handler: work }, []);
}
