import { ALERT_TYPES, RUN_EVENTS, type RunEventKind, toldType } from "@cairnjs/schemas";
import type { NewChild } from "../store/transition.ts";
import { spanOf } from "./span-of.ts";
import type { Step } from "./step.ts";

/** Types of events for others, by the kind of event that they tell of. */
const TOLD: ReadonlyMap<RunEventKind, string> = new Map(
  RUN_EVENTS.flatMap((each) => ("told" in each ? [[each.kind, toldType(each.told)] as const] : [])),
);

/** Something has happened to the run: an event of it, in the transaction of the change, and one for others if someone wants it. */
export function recordEvent(step: Step, kind: RunEventKind, data: string | null, at: number): void {
  const { run, transition, context } = step;
  transition.events.push({ runId: run.id, kind, data, at: run.notedAt(at), afterInput: run.lastInput });
  if (context.tellsNobody()) return;
  const type = TOLD.get(kind);
  if (type !== undefined && context.isWanted(run.row.namespace, type)) tell(step, type, aboutRun(step), at);
}

/** That a run was started, if someone wants to know. */
export function tellOfChild(step: Step, child: Pick<NewChild, "id" | "type" | "version" | "traceparent">): void {
  const { run, context, transition, after } = step;
  const { namespace } = run.row;
  const type = TOLD.get("created")!;
  if (context.tellsNobody() || !context.isWanted(namespace, type)) return;
  const data = JSON.stringify({ type: child.type, version: child.version, attempt: 1, lastError: null });
  transition.outbox.push({ namespace, runId: child.id, type, data, traceparent: spanOf(child), at: context.now() });
  after.published = true;
}

/** Why a run has failed for good, for those who look after it. */
export type FailureReason = "exhausted" | "no_handler_registered" | "deadline" | "not_retryable";

/** That a run has failed is always told, and an alert if someone wants it. */
export function recordFailure(step: Step, error: string, reason: FailureReason, lastError: string, at: number): void {
  const { run, transition, context } = step;
  transition.events.push({
    runId: run.id,
    kind: "failed",
    data: error,
    at: run.notedAt(at),
    afterInput: run.lastInput,
  });
  const { type, version, namespace } = run.row;
  const data = JSON.stringify({ type, version, attempt: run.attempt, lastError, reason });
  tell(step, toldType("failed"), data, at);
  const alert =
    reason === "exhausted" ? ALERT_TYPES.exhausted : reason === "no_handler_registered" ? ALERT_TYPES.noHandler : null;
  if (alert !== null && context.isWanted(namespace, alert)) tell(step, alert, data, at);
}

/** An event for others. Whoever publishes it is woken only if someone waits for it. */
export function tell({ run, transition, context, after }: Step, type: string, data: string, at: number): void {
  const { namespace } = run.row;
  transition.outbox.push({ namespace, runId: run.id, type, data, traceparent: spanOf(run.row), at });
  after.published ||= context.isWanted(namespace, type);
}

function aboutRun({ run }: Step): string {
  const { type, version } = run.row;
  return JSON.stringify({ type, version, attempt: run.attempt, lastError: run.lastError });
}
