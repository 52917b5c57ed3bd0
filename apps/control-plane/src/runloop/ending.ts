import type { Effect } from "@cairnjs/vm";
import { changeQueueRow } from "../store/transition.ts";
import { NEXT_ATTEMPT } from "../store/wake-runs.ts";
import { backoffMs, DEFAULT_RETRY } from "./backoff.ts";
import { tellChild } from "./children.ts";
import { errorText, summaryOf } from "./error-text.ts";
import type { HeldRun } from "./held-run.ts";
import { inputIssues } from "./input-check.ts";
import type { Step } from "./step.ts";

type Status = Extract<Effect, { readonly kind: "end" }>["status"];

/** Why a run cannot begin: it was started by SQL, where nobody looked at its input. */
export function failedBeforeStart({ row, version }: HeldRun): string | null {
  if (row.checked) return null;
  const issues = inputIssues(version, row.payload);
  return issues === null ? null : errorText("InvalidInput", issues);
}

/** The run ends, or its next attempt is planned. `status` null: it was deleted, and keeps the status it has; `value` is why. */
export function endRun(step: Step, status: Status | null, value: string | null, at: number): void {
  const { run } = step;
  step.leave();
  dropOpen(step, status === null ? "delete" : "cancel");
  if (status === null) return leaveQueue(step, value, at);
  if (status === "cancelled" && run.pastDeadline) {
    const late = errorText("DeadlineExceeded", "The run did not end before its deadline");
    return end(step, "failed", late, at);
  }
  if (status === "failed" && run.version.kind === "workflow" && run.attempt < run.row.maxAttempts && mayRetry(value!)) {
    return planNextAttempt(step, value!, at);
  }
  return end(step, status, value!, at);
}

/** What contradicts itself, and what does not fit, would do so again. */
function mayRetry(error: string): boolean {
  return !/^\{"\$error":\{"names":\["(Diverged|InvalidInput)"/.test(error);
}

function end(step: Step, status: Status, value: string, at: number): void {
  const { run, transition, after } = step;
  const { id: runId, row } = run;
  const succeeded = status === "succeeded";
  const lastError = succeeded ? null : summaryOf(value);
  const result = succeeded ? value : null;
  const error = succeeded ? null : value;
  const { attempt, startedAt } = run;
  changeQueueRow(transition, { end: { runId, status, result, error, lastError, attempt, startedAt, endedAt: at } });
  transition.events.push({ runId, kind: status, data: error, at });
  if (status === "failed") {
    const failure = JSON.stringify({ type: row.type, version: row.version, attempt: run.attempt, lastError });
    transition.outbox.push({ namespace: row.namespace, runId, type: "cairn.run.failed.v1", data: failure, at });
  }
  if (row.parent !== null) {
    const kind = succeeded ? "result" : "error";
    transition.mail.push({ runId: row.parent, kind, call: row.parentCall, name: null, value });
    after.mailed.push(row.parent);
  }
  after.ended = { runId, status, value };
}

function leaveQueue(step: Step, value: string | null, at: number): void {
  const { run, transition, after } = step;
  const { id: runId, attempt, startedAt, row } = run;
  const reason = value === null ? null : (JSON.parse(value) as string | null);
  const nothing = { status: null, result: null, error: null, lastError: reason };
  changeQueueRow(transition, { end: { runId, ...nothing, attempt, startedAt, endedAt: at } });
  if (row.parent !== null) {
    const why = errorText("RunCancelled", reason === null ? "The run was deleted" : `The run was deleted: ${reason}`);
    transition.mail.push({ runId: row.parent, kind: "error", call: row.parentCall, name: null, value: why });
    after.mailed.push(row.parent);
  }
  after.ended = { runId: run.id, status: "deleted", value: "null" };
}

function planNextAttempt(step: Step, error: string, at: number): void {
  const { run, transition, after, context } = step;
  run.lastError = summaryOf(error);
  const wakeAt = at + backoffMs(DEFAULT_RETRY, run.attempt, context.random);
  const data = JSON.stringify({ attempt: run.attempt, retryAt: wakeAt });
  transition.events.push({ runId: run.id, kind: "retried", data, at });
  if (run.inputsSinceSnapshot > 0) transition.snapshots.push(run.takeSnapshot());
  const { id: runId, lastError } = run;
  const attempt = run.attempt + 1;
  changeQueueRow(transition, {
    park: { runId, wakeAt, phase: "sleeping", waitingFor: NEXT_ATTEMPT, attempt, lastError },
  });
  after.parked = true;
}

/** Open steps of a run that ends from outside; a machine that ends by itself has abandoned them already. */
function dropOpen(step: Step, kind: "cancel" | "delete"): void {
  const { run, after } = step;
  for (const [call, { effect, timer }] of run.open) {
    if (timer !== null) timer.cancelled = true;
    if (effect.kind === "call") after.abort.push({ runId: run.id, call });
    if (effect.kind === "child") tellChild(step, effect, kind, "The run that waited for it has ended");
  }
  run.open.clear();
}
