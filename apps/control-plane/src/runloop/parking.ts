import { changeQueueRow, type Phase } from "../store/transition.ts";
import { hasCallsOut } from "./dispatching.ts";
import type { HeldRun, OpenStep } from "./held-run.ts";
import { recordEvent } from "./run-event.ts";
import { releaseWaiting, waitsForTurn } from "./slots.ts";
import type { Step } from "./step.ts";

/** A run that goes on within this time stays in memory: parking costs a snapshot, a wake-up and a claim. */
export const LINGER_MS = 1_000;

/** What a run waits for that must not go on. */
export const AN_OPERATOR = "an operator";

/** Lets go of a run that has nothing to do for a while, or is paused. */
export function parkIfIdle(step: Step): void {
  const { run, transition, after, context } = step;
  const { isPaused } = run;
  if (!isPaused && !isIdle(step)) return;
  step.leave();
  if (isPaused) releaseWaiting(step);
  if (run.inputsSinceSnapshot > 0) transition.snapshots.push(run.takeSnapshot());
  const wakeAt = isPaused ? deadlineOf(run) : nextWake(run);
  const { phase, waitingFor } = isPaused ? { phase: "paused" as const, waitingFor: null } : waiting(run);
  const callsOut = hasCallsOut(run);
  const { id: runId, attempt, lastError, pastDeadline } = run;
  const due = wakeAt === null ? null : Math.max(wakeAt, context.now());
  changeQueueRow(transition, {
    park: { runId, wakeAt: due, phase, waitingFor, attempt, lastError, pastDeadline, callsOut },
  });
  after.parked = true;
}

/** The run must not go on, and nothing of it is lost: an operator mends what is wrong, and resumes it. */
export function parkForOperator(step: Step, lastError: string): void {
  const { run, transition, after, context, leftover } = step;
  const at = context.now();
  step.leave();
  releaseWaiting(step);
  run.lastError = lastError;
  if (run.inputsSinceSnapshot > 0) transition.snapshots.push(run.takeSnapshot());
  const { id: runId, attempt, pastDeadline } = run;
  const why = { phase: "paused" as const, waitingFor: AN_OPERATOR };
  const callsOut = hasCallsOut(run);
  changeQueueRow(transition, {
    park: { runId, wakeAt: deadlineOf(run), ...why, attempt, lastError, pastDeadline, callsOut },
  });
  // They have had their effect: left there, they would wake it again and again.
  for (const arrival of leftover) {
    if (arrival.kind === "letter" && arrival.letter.kind === "resume") {
      transition.readMail.push({ runId, id: arrival.letter.id });
    }
  }
  recordEvent(step, "stopped", JSON.stringify(lastError), at);
  after.parked = true;
}

function isIdle({ run, context, arrivals }: Step): boolean {
  // To be loaded again for each megabyte of mail would take a large run far longer than reading it.
  if (run.hasMoreMail) return false;
  const now = context.now();
  // Children often end soon, and many at once: their parent is let go when nothing has come for a while.
  const isPressed = context.isPressed();
  const patient = isPressed || arrivals.some(({ kind }) => kind === "idle");
  for (const open of run.open.values()) {
    if (isUnderWay(open)) return false;
    if (waitsForOthers(open) && !patient) return false;
  }
  const wakeAt = nextWake(run);
  return (
    (run.open.size > 0 || run.machine.phase === "running") &&
    (wakeAt === null || wakeAt - now > (isPressed ? 0 : LINGER_MS))
  );
}

/** Whether it may be let go of when nothing comes for a while. */
export function mayBeLetGo(run: HeldRun): boolean {
  let waits = false;
  for (const open of run.open.values()) {
    if (isUnderWay(open)) return false;
    waits ||= waitsForOthers(open);
  }
  return waits;
}

/** Whether someone runs it, or is about to. */
function isUnderWay(open: OpenStep): boolean {
  return open.effect.kind === "call" && open.dueAt === null && !waitsForTurn(open);
}

/** Whether it goes on when another run does something: perhaps soon. */
function waitsForOthers(open: OpenStep): boolean {
  return open.effect.kind === "child" || waitsForTurn(open);
}

/** Whether it stays only because it may go on soon. */
export function lingers(run: HeldRun): boolean {
  if (run.busy || run.open.size === 0) return false;
  for (const open of run.open.values()) if (isUnderWay(open)) return false;
  return true;
}

/** Whether it can still be cancelled: what is being compensated has failed, or was cancelled, unless it is to go on then. */
function hasDeadline({ machine }: HeldRun): boolean {
  return machine.phase !== "compensating" || machine.outcome?.status === "undone";
}

/** When the run is to be cancelled, if it still can be. */
export function deadlineOf(run: HeldRun): number | null {
  return run.pastDeadline || !hasDeadline(run) ? null : run.deadline;
}

function nextWake(run: HeldRun): number | null {
  let next = deadlineOf(run) ?? Number.POSITIVE_INFINITY;
  for (const { dueAt } of run.open.values()) if (dueAt !== null && dueAt < next) next = dueAt;
  return next === Number.POSITIVE_INFINITY ? null : next;
}

/** What people are told about a run that waits. */
function waiting(run: HeldRun): { readonly phase: Phase; readonly waitingFor: string | null } {
  const steps = [...run.open.values()];
  const first = steps.find(({ effect }) => effect.kind !== "sleep") ?? steps[0];
  if (first === undefined) return { phase: "waiting", waitingFor: "nothing: no step is open" };
  const phase =
    run.machine.phase === "compensating" ? "compensating" : first.effect.kind === "sleep" ? "sleeping" : "waiting";
  return { phase, waitingFor: run.unserved.get(first.effect.id) ?? whatFor(first) };
}

function whatFor(open: OpenStep): string {
  const { effect } = open;
  switch (effect.kind) {
    case "call":
      if (waitsForTurn(open)) return `its turn: ${effect.action} is limited`;
      return `the next try of ${effect.action}`;
    case "child":
      return `the run ${effect.runId} of ${effect.workflow}`;
    case "sleep":
      return `the time to come: ${effect.node}`;
    case "wait":
      return `the signal ${effect.signal}`;
  }
}
