import type { CodeUnit } from "../heap/function.ts";
import { instructionSizes } from "../machine/returns.ts";

const known = new WeakMap<CodeUnit, ReadonlySet<number>>();

/** Positions at which an instruction begins. */
export function instructionStarts(unit: CodeUnit): ReadonlySet<number> {
  const before = known.get(unit);
  if (before !== undefined) return before;
  const starts = new Set<number>();
  for (let at = 0; at < unit.code.length; at += instructionSizes[unit.code[at]!]!) starts.add(at);
  known.set(unit, starts);
  return starts;
}
