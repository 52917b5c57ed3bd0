import type { Effect } from "@cairnjs/vm";
import { childRunId } from "../ids.ts";

/** What a run waits for, as it was issued: a snapshot of the machine alone does not tell arguments and times. */
export type OpenEffect = Extract<Effect, { readonly kind: "call" | "sleep" | "wait" }> | OpenChild;

export type OpenChild = Extract<Effect, { readonly kind: "child" }> & { readonly runId: string };

/** The effect of an input taken `at` a time, as it is kept while it is open; null for one that is nothing to wait for. */
export function openEffect(effect: Effect, runId: string, at: number): OpenEffect | null {
  switch (effect.kind) {
    case "call":
    case "sleep":
    case "wait":
      return effect;
    case "child":
      return { ...effect, runId: childRunId(at, runId, effect.id) };
    default:
      return null;
  }
}

/** Keeps up with what is open while inputs are taken; `answered` is the call that the input was for. */
export function trackOpen(
  open: Map<string, OpenEffect>,
  effects: readonly Effect[],
  taken: { readonly runId: string; readonly call: string | null; readonly at: number },
): void {
  if (taken.call !== null) open.delete(taken.call);
  for (const effect of effects) {
    const opened = openEffect(effect, taken.runId, taken.at);
    if (opened !== null) open.set(opened.id, opened);
    else if (effect.kind === "taken") open.delete(effect.wait);
    else if (effect.kind === "abandon") open.delete(effect.call);
  }
}
