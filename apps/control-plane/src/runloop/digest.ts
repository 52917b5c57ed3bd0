import { createHash } from "node:crypto";
import type { Effect } from "@cairnjs/vm";

/** Of the effects that an input had, in hex. Loading a run compares: a machine that now does otherwise must not go on. */
export function digestOf(effects: readonly Effect[]): string {
  return createHash("sha256").update(JSON.stringify(effects)).digest("hex").slice(0, 16);
}
