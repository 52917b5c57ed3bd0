import type pg from "pg";
import { commitTransitions } from "../store/commit-transitions.ts";
import { newTransition } from "../store/transition.ts";
import { errorText } from "./error-text.ts";
import type { Arrival, HeldRun } from "./held-run.ts";
import type { Unloadable } from "./loading.ts";
import { Step, type StepContext } from "./step.ts";

/**
 * The step that tells a run that the database refuses what it wrote: a result becomes an error that the body can catch;
 * where there is no result to blame, the run fails.
 */
export function refusedStep(run: HeldRun, refused: Step, error: unknown, context: StepContext): Step {
  const message = `The database refused a value: ${error instanceof Error ? error.message : String(error)}`;
  const told = errorText("NotStorable", message);
  const arrivals = refused.arrivals.map((arrival): Arrival => {
    if (arrival.kind !== "outcome" || arrival.outcome.kind !== "result") return arrival;
    return { kind: "outcome", outcome: { ...arrival.outcome, kind: "error", value: told, retry: null } };
  });
  const changed = arrivals.some((arrival, index) => arrival !== refused.arrivals[index]);
  return changed ? new Step(run, arrivals, context) : Step.failing(run, told, context);
}

/** A run that cannot be loaded waits for an operator: it must not go on, and nothing of it is lost. */
export async function stopUnloadable(
  client: pg.ClientBase,
  owner: string,
  { claimed, error }: Unloadable,
  at: number,
): Promise<void> {
  const transition = newTransition(claimed.id);
  const lastError = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  transition.parked.push({
    runId: claimed.id,
    wakeAt: null,
    phase: "paused",
    waitingFor: "an operator",
    attempt: claimed.attempt,
    lastError,
  });
  transition.events.push({ runId: claimed.id, kind: "stopped", data: JSON.stringify(lastError), at });
  await commitTransitions(client, owner, [transition]);
}
