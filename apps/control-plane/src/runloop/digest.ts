import { hash } from "node:crypto";
import type { Effect } from "@cairnjs/vm";

/** Of the effects that an input had, in hex. Loading a run compares: a machine that now does otherwise must not go on. */
export function digestOf(effects: readonly Effect[]): string {
  return hash("sha256", JSON.stringify(effects)).slice(0, 16);
}
