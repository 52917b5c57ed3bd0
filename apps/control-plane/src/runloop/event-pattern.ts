import { isPatternFor } from "../name-pattern.ts";

const OWN = "cairn.";

/** Whether a pattern is for events of a type, as SQL's `cairn.is_for` says too. */
export function isFor(pattern: string, type: string): boolean {
  if (!isPatternFor(pattern, type)) return false;
  // What Cairn itself tells is much, and for those who ask for it by name.
  return pattern.startsWith(OWN) || !type.startsWith(OWN);
}
