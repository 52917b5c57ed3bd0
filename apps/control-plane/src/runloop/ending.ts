import { DEFAULT_RETRY, type TraceLine } from "@cairnjs/ir";
import type { Effect } from "@cairnjs/vm";
import { changeQueueRow } from "../store/transition.ts";
import { NEXT_ATTEMPT } from "../store/wake-runs.ts";
import { backoffMs } from "./backoff.ts";
import { tellChild } from "./children.ts";
import { hasCallsOut } from "./dispatching.ts";
import { errorText, NO_HANDLER, summaryOf } from "./error-text.ts";
import type { HeldRun } from "./held-run.ts";
import { inputIssues } from "./input-check.ts";
import type { TracedRun } from "./outside.ts";
import { deadlineOf } from "./parking.ts";
import { type FailureReason, recordEvent, recordFailure } from "./run-event.ts";
import { releaseSlot } from "./slots.ts";
import type { Step } from "./step.ts";

type Status = Extract<Effect, { readonly kind: "end" }>["status"];

/** Why a run cannot begin: it was started by SQL, where nobody looked at its input. */
export function failedBeforeStart({ row, version }: HeldRun): string | null {
  if (row.checked) return null;
  const issues = inputIssues(version, row.payload);
  return issues === null ? null : errorText("InvalidInput", issues);
}

/** The run ends, or its next attempt is planned. */
export function endRun(step: Step, status: Status, value: string, at: number, trace: readonly TraceLine[] = []): void {
  const { run } = step;
  step.leave();
  dropOpen(step, "cancel");
  if (status === "cancelled" && run.pastDeadline) {
    const late = errorText("DeadlineExceeded", "The run did not end before its deadline");
    return end(step, "failed", late, at);
  }
  if (status === "failed" && run.version.kind === "workflow" && run.attempt < run.row.maxAttempts && mayRetry(value)) {
    return planNextAttempt(step, value, at);
  }
  return end(step, status, value, at, trace);
}

/** The machine is not asked, and there is no other attempt: whatever made it fail would do so again. */
export function failForGood(step: Step, error: string, at: number): void {
  step.leave();
  dropOpen(step, "cancel");
  end(step, "failed", error, at);
}

function reasonOf(run: HeldRun, error: string, lastError: string): FailureReason {
  if (lastError === NO_HANDLER) return "no_handler_registered";
  if (run.pastDeadline) return "deadline";
  return mayRetry(error) && run.attempt >= run.row.maxAttempts ? "exhausted" : "not_retryable";
}

/** What contradicts itself, and what does not fit, would do so again. */
function mayRetry(error: string): boolean {
  return !/^\{"\$error":\{"names":\["(Diverged|InvalidInput)"/.test(error);
}

function end(step: Step, status: Status, value: string, time: number, lines: readonly TraceLine[] = []): void {
  const { run, transition, after } = step;
  const at = run.notedAt(time);
  const { id: runId } = run;
  const succeeded = status === "succeeded";
  const lastError = succeeded ? null : summaryOf(value);
  const result = succeeded ? value : null;
  const error = succeeded ? null : value;
  const trace = lines.length === 0 ? null : JSON.stringify(lines);
  const { attempt, startedAt } = run;
  changeQueueRow(transition, {
    end: {
      runId,
      status,
      result,
      error,
      trace,
      lastError,
      attempt,
      startedAt,
      endedAt: at,
      deleteReason: null,
      afterInput: null,
    },
  });
  run.lastError = lastError;
  if (status === "failed") recordFailure(step, value, reasonOf(run, value, lastError!), lastError!, at);
  else recordEvent(step, status, error, at);
  tellParent(step, succeeded ? "result" : "error", value);
  after.ended = { runId, type: run.row.type, status, value, trace, traced: tracedRun(run, at) };
}

function tracedRun({ row, attempt, startedAt, lastError }: HeldRun, endedAt: number): TracedRun | null {
  const { traceparent, namespace, version } = row;
  if (traceparent === null) return null;
  return { traceparent, namespace, version, attempt, startedAt: startedAt ?? endedAt, endedAt, error: lastError };
}

/** A deleted run keeps the status it has, and is never executed again. */
export function leaveDeleted(step: Step, reason: string | null, at: number): void {
  const { run, transition, after } = step;
  const { id: runId, attempt, startedAt, lastError, pastDeadline } = run;
  const phase = run.isPaused ? "paused" : "ready";
  const callsOut = run.isWithoutState || hasCallsOut(run);
  step.leave();
  dropOpen(step, "delete");
  transition.left.push({ runId, phase, attempt, lastError, pastDeadline, callsOut });
  const nothing = { status: null, result: null, error: null, trace: null, lastError: null };
  const { lastInput: afterInput } = run;
  changeQueueRow(transition, {
    end: { runId, ...nothing, attempt, startedAt, endedAt: at, deleteReason: reason, afterInput },
  });
  tellParent(step, "error", errorText("RunCancelled", `The run ${runId} was deleted`));
  const traced = tracedRun(run, at);
  after.ended = { runId, type: run.row.type, status: "deleted", value: "null", trace: null, traced };
}

function tellParent({ run, transition, after }: Step, kind: "result" | "error", value: string): void {
  const { parent, parentCall } = run.row;
  if (parent === null) return;
  transition.mail.push({ runId: parent, kind, call: parentCall, name: null, sender: run.id, value });
  after.mailed.push(parent);
}

function planNextAttempt(step: Step, error: string, at: number): void {
  const { run, transition, after, context } = step;
  run.lastError = summaryOf(error);
  const retryAt = at + backoffMs(DEFAULT_RETRY, run.attempt, context.random);
  // There is no other attempt after the deadline: whoever claims it then ends it.
  const wakeAt = Math.min(retryAt, deadlineOf(run) ?? Number.POSITIVE_INFINITY);
  const data = JSON.stringify({ attempt: run.attempt, retryAt });
  recordEvent(step, "retried", data, at);
  if (run.inputsSinceSnapshot > 0) transition.snapshots.push(run.takeSnapshot());
  const { id: runId, lastError, pastDeadline } = run;
  const attempt = run.attempt + 1;
  changeQueueRow(transition, {
    park: {
      runId,
      wakeAt,
      phase: "sleeping",
      waitingFor: NEXT_ATTEMPT,
      attempt,
      lastError,
      pastDeadline,
      callsOut: false,
    },
  });
  after.parked = true;
}

/** Open steps of a run that ends from outside; a machine that ends by itself has abandoned them already. */
function dropOpen(step: Step, kind: "cancel" | "delete"): void {
  const { run, after } = step;
  if (run.isWithoutState) step.transition.released.push({ runId: run.id, call: null });
  for (const [call, open] of run.open) {
    const { effect, timer } = open;
    timer?.cancel();
    releaseSlot(step, open);
    if (effect.kind === "call") after.abort.push({ runId: run.id, call });
    if (effect.kind === "child") tellChild(step, effect, kind, "The run that waited for it has ended");
  }
  run.open.clear();
}
