import { backoffMs } from "./backoff.ts";
import { errorText, summaryOf } from "./error-text.ts";
import type { OpenStep } from "./held-run.ts";
import type { CallOutcome } from "./outside.ts";
import { recordEvent } from "./run-event.ts";
import { releaseSlot, requestCall } from "./slots.ts";
import type { Step } from "./step.ts";

/** Tries of one call whose worker was lost, before it fails. */
const LOST_MAX = 10;

/** A try has ended: the answer of the call, or another try later. */
export function takeOutcome(step: Step, outcome: CallOutcome): void {
  const { run, after, context, transition } = step;
  const { call, attempt, worker, value } = outcome;
  const open = run.open.get(call);
  after.acknowledge.push({ runId: run.id, call, attempt });
  if (open === undefined || open.effect.kind !== "call") return;
  // Of before the run was rolled back: the call is made again.
  if (attempt <= (open.effect.tried ?? 0)) return;
  const endedAt = context.now();
  const { action, node } = open.effect;
  const tried = { attempt, action, worker, startedAt: endedAt - outcome.durationMs };
  if (outcome.kind === "result") {
    // It was given up as lost, and is not: the try that took its place is no longer wanted.
    if (attempt < open.attempt && open.dispatchedAt !== null) giveUp(step, open);
    return step.answer(call, "result", value, tried);
  }
  // It was counted before, or its try was given up: another one is under way, or planned.
  if (attempt < open.attempt) return;
  // A job is tried as often as its run says; the policy says when.
  const isJob = run.version.kind === "action";
  const hasMore = (attempts: number): boolean =>
    isJob ? run.attempt < run.row.maxAttempts : open.failed + 1 < attempts;
  const again = outcome.retry !== null && hasMore(outcome.retry.attempts);
  const retryAt = again ? endedAt + backoffMs(outcome.retry, open.failed + 1, context.random) : null;
  transition.attempts.push({ runId: run.id, call, node, ...tried, endedAt, outcome: "failed", error: value, retryAt });
  if (retryAt === null) return step.answer(call, "error", value);
  open.failed += 1;
  open.attempt += 1;
  open.dispatchedAt = null;
  open.dueAt = retryAt;
  releaseSlot(step, open);
  after.timers.push(open);
  run.lastError = summaryOf(value);
  if (isJob) run.attempt += 1;
  step.mark();
  const data = JSON.stringify({ call, action, attempt: open.attempt, retryAt });
  recordEvent(step, "retried", data, endedAt);
}

/** Whoever ran the try is gone: another one at once, which counts against a limit of its own. */
export function loseTry(step: Step, call: string, attempt: number): void {
  const open = step.run.open.get(call);
  if (open === undefined || open.effect.kind !== "call") return;
  // It has been heard of in the meantime, and the next one is under way, or planned.
  if (attempt !== open.attempt) return;
  recordLost(step, open);
  open.lost += 1;
  if (open.lost >= LOST_MAX) {
    const message = `Whoever ran ${open.effect.action} was lost ${LOST_MAX} times`;
    return step.answer(call, "error", errorText("ActionLost", message));
  }
  open.attempt += 1;
  open.dispatchedAt = null;
  requestCall(step, open);
}

function giveUp(step: Step, open: OpenStep): void {
  recordLost(step, open);
  step.after.abort.push({ runId: step.run.id, call: open.effect.id });
}

function recordLost({ run, context, transition }: Step, { effect, attempt }: OpenStep): void {
  if (effect.kind !== "call") return;
  const { id: call, node, action } = effect;
  const at = context.now();
  const tried = { runId: run.id, call, attempt, node, action, worker: null, startedAt: at, endedAt: at };
  transition.attempts.push({ ...tried, outcome: "lost", error: null, retryAt: null });
}
