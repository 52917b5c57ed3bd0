import type { Action } from "./action.ts";
import { perform } from "./attempts.ts";
import { encodeCopy } from "./copy.ts";
import { definitionOf } from "./definition.ts";
import { IN_MEMORY } from "./sealing.ts";
import { currentRun, type NativeRun } from "./run-context.ts";

/**
 * Registers an action that undoes what was done. When the run ends failed or cancelled, what was registered runs,
 * newest first. Nothing to await.
 */
export function compensate<Args extends unknown[]>(action: Action<Args, unknown>, ...args: Args): void {
  const definition = definitionOf(action);
  if (definition?.kind !== "action") throw new TypeError("compensate() takes an action and its arguments");
  const run = currentRun("compensate");
  run.compensations.push({ action: definition, args: encodeCopy(args, "arguments", IN_MEMORY) });
}

/** One at a time; one that fails does not keep the others from running. */
export async function runCompensations({ compensations }: NativeRun): Promise<void> {
  for (let next = compensations.pop(); next !== undefined; next = compensations.pop()) {
    await perform(next.action, next.args);
  }
}
