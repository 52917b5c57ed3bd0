import { BlobError } from "../blobs/blob-store.ts";
import { commitTransitions } from "../store/commit-transitions.ts";
import { type LimitGroup, limitedCallsOf } from "../store/limits.ts";
import { endsRun, type Letter, turnsRun } from "../store/mail.ts";
import { newTransition } from "../store/transition.ts";
import { errorText, shortened } from "./error-text.ts";
import type { Arrival, HeldRun, OpenStep } from "./held-run.ts";
import type { Unloadable } from "./loading.ts";
import { AN_OPERATOR } from "./parking.ts";
import { Step, type StepContext } from "./step.ts";
import type { Queryable } from "../store/statement.ts";

/**
 * The step that tells a run that the database refuses what one arrival caused: a result becomes an error that the body can
 * catch; where there is no result to blame, the run fails.
 */
export function refusedStep(run: HeldRun, arrival: Arrival | undefined, error: unknown, context: StepContext): Step {
  const message = `The database refused a value: ${error instanceof Error ? error.message : String(error)}`;
  const told = errorText("NotStorable", message);
  if (arrival?.kind !== "outcome" || arrival.outcome.kind !== "result") return Step.failing(run, told, context);
  const outcome = { ...arrival.outcome, kind: "error" as const, value: told, retry: null };
  return new Step(run, [{ kind: "outcome", outcome }], context);
}

/**
 * What a run that was loaded again takes over from its former self, whose last step was refused: what has arrived, and
 * which calls are under way. Returns the open steps whose timers are to be set.
 */
export function takeOverFrom(former: HeldRun, run: HeldRun, arrivals: readonly Arrival[]): OpenStep[] {
  run.arrivals = [...arrivals, ...former.arrivals];
  run.letterBytes = former.letterBytes;
  run.hasMoreMail = former.hasMoreMail;
  run.suspects = former.suspects;
  run.letterBytes = former.letterBytes;
  run.waiting = former.waiting.flatMap(({ effect }) => run.open.get(effect.id) ?? []);
  const answered = new Set(run.arrivals.map(callOf));
  for (const [call, step] of run.open) {
    step.dispatchedAt = former.open.get(call)?.dispatchedAt ?? null;
    if (step.effect.kind === "call" && (step.dispatchedAt !== null || answered.has(call))) step.dueAt = null;
  }
  return [...run.open.values()].filter(({ effect, dueAt }) => dueAt !== null && !answered.has(effect.id));
}

function callOf(arrival: Arrival): string | null {
  switch (arrival.kind) {
    case "outcome":
      return arrival.outcome.call;
    case "timer":
    case "stranger":
      return arrival.call;
    case "letter":
      return arrival.letter.call;
    default:
      return null;
  }
}

/** Before a run is held alone, and while it is. */
const QUARANTINE_FROM = 2;
const CRASHES_ALONE_MAX = 5;
export const CRASHES_MAX = QUARANTINE_FROM + CRASHES_ALONE_MAX;

/** The step that fails a run whose owners went down with it. What it waits for is not known, but for its children. */
export function crashedStep(run: HeldRun, children: readonly string[], context: StepContext): Step {
  const message = `Whoever held the run went down ${CRASHES_ALONE_MAX} times while it held nothing else`;
  const step = Step.failing(run, errorText("CrashLimit", message), context);
  tellChildren(step, children, "cancel");
  return step;
}

/** Of a run whose state is not known, and so not which of them it waits for. */
export function tellChildren(step: Step, children: readonly string[], kind: "cancel" | "delete"): void {
  const value = JSON.stringify("The run that waited for it has ended");
  for (const runId of children) step.transition.mail.push({ runId, kind, call: null, name: null, value });
  step.after.mailed.push(...children);
}

/**
 * A run that cannot be loaded waits for an operator: it must not go on, and nothing of it is lost. It keeps no slots but those of
 * calls that someone may be running; returns whose there may be others for.
 */
export async function stopUnloadable(
  client: Queryable,
  owner: string,
  { claimed, error }: Unloadable,
  letters: readonly Letter[],
  at: number,
): Promise<LimitGroup[]> {
  const transition = newTransition(claimed.id);
  const limited = await limitedCallsOf(client, [claimed.id]);
  const released = limited.filter(({ granted }) => !granted || !claimed.callsOut);
  transition.released.push(...released.map(({ runId, call }) => ({ runId, call })));
  const name = error instanceof BlobError ? error.code : error instanceof Error ? error.name : "Error";
  const lastError = shortened(`${name}: ${error instanceof Error ? error.message : String(error)}`);
  transition.parked.push({
    runId: claimed.id,
    wakeAt: null,
    phase: "paused",
    waitingFor: AN_OPERATOR,
    attempt: claimed.attempt,
    lastError,
    pastDeadline: claimed.pastDeadline,
    callsOut: claimed.callsOut,
  });
  // They have had their effect: left there, they would wake it again and again, or be taken long after.
  const read = letters.filter((letter) => letter.kind === "resume" || endsRun(letter) || turnsRun(letter));
  transition.readMail.push(...read.map(({ runId, id }) => ({ runId, id })));
  transition.events.push({ runId: claimed.id, kind: "stopped", data: JSON.stringify(lastError), at, afterInput: null });
  await commitTransitions(client, owner, [transition]);
  return released;
}
