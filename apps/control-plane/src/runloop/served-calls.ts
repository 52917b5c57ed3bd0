import type { HeldRun, OpenStep } from "./held-run.ts";

/** Calls of a run that were given back since no worker could run them, and that one may run who serves these segments. */
export function callsServedBy(run: HeldRun, segments: readonly string[]): OpenStep[] {
  const isServed = ({ effect }: OpenStep): boolean =>
    effect.kind === "call" && segments.some((segment) => beginsWith(effect.action, segment));
  const waiting = Array.from(run.unserved.keys(), (call) => run.open.get(call));
  return waiting.filter((open) => open !== undefined && open.timer !== null && isServed(open)) as OpenStep[];
}

/** An empty one is for all; a workflow whose steps a worker has ends with a slash. */
function beginsWith(action: string, segment: string): boolean {
  if (segment === "" || segment === action) return true;
  return action.startsWith(segment.endsWith("/") ? segment : `${segment}.`);
}
