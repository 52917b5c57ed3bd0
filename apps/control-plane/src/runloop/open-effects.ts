import type { Effect } from "@cairnjs/vm";
import { childRunId } from "../ids.ts";

/** What a run waits for, as it was issued: a snapshot of the machine alone does not tell arguments and times. */
export type OpenEffect = OpenCall | OpenChild | Extract<Effect, { readonly kind: "sleep" | "wait" }>;

type OpenCall = Extract<Effect, { readonly kind: "call" }> & {
  /** How many tries it had before the run was rolled back to where it is open: they count no more. */
  readonly tried?: number;
};

export type OpenChild = Extract<Effect, { readonly kind: "child" }> & { readonly runId: string };

/** The effect of an input, as it is kept while it is open; null for one that is nothing to wait for. */
export function openEffect(effect: Effect, runId: string, at: number, number: number): OpenEffect | null {
  switch (effect.kind) {
    case "call":
    case "sleep":
    case "wait":
      return effect;
    case "child":
      return { ...effect, runId: childRunId(at, runId, effect.id, number) };
    default:
      return null;
  }
}

/** Keeps up with what is open while inputs are taken; `answered` is the call that the input was for. */
export function trackOpen(
  open: Map<string, OpenEffect>,
  effects: readonly Effect[],
  taken: { readonly runId: string; readonly call: string | null; readonly at: number; readonly number: number },
): void {
  if (taken.call !== null) open.delete(taken.call);
  for (const effect of effects) {
    const opened = openEffect(effect, taken.runId, taken.at, taken.number);
    if (opened !== null) open.set(opened.id, opened);
    else if (effect.kind === "taken") open.delete(effect.wait);
    else if (effect.kind === "abandon") open.delete(effect.call);
  }
}
