import type { RunEventKind } from "@cairnjs/schemas";
import { isOrder, type Letter, turnsRun } from "../store/mail.ts";
import type { Point } from "./checkpoint.ts";
import { endRun, leaveDeleted } from "./ending.ts";
import { errorText } from "./error-text.ts";
import type { Arrival, HeldRun } from "./held-run.ts";
import { valueIssue } from "./input-check.ts";
import type { CallOutcome } from "./outside.ts";
import { recordEvent } from "./run-event.ts";
import { takeGrant } from "./slots.ts";
import type { Step } from "./step.ts";
import { takeOutcome } from "./tries.ts";
import {
  beginAgain,
  forkFrom,
  type ForkOrder,
  goOn,
  keptCompensations,
  pointOf,
  refusalNow,
  rollBack,
  type RollbackOrder,
} from "./turning.ts";

/** What a run does with a letter, which it has read then. */
export function takeLetter(step: Step, letter: Letter): void {
  const { run, transition, context } = step;
  const at = context.now();
  transition.readMail.push({ runId: run.id, id: letter.id });
  const event = (kind: RunEventKind): void => recordEvent(step, kind, letter.value, at);
  switch (letter.kind) {
    case "signal":
      return takeSignal(step, letter.name!, letter.value!, at);
    case "result":
    case "error":
      return answerOfChild(step, letter, letter.kind);
    case "outcome":
      return takeOutcome(step, JSON.parse(letter.value!) as CallOutcome);
    case "granted":
      return takeGrant(step, letter.call!, JSON.parse(letter.value!) as number);
    case "cancel":
      return cancel(step, letter.value === null ? null : (JSON.parse(letter.value) as string));
    case "pause":
      run.isPaused = true;
      return event("paused");
    case "resume":
      run.isPaused = false;
      return event("resumed");
    case "retry":
      goOn(step);
      // What has come to its end begins again by itself.
      return step.give({ kind: "undo", at, keep: 0, next: beginAgain(run.machine.inputNumber + 1) });
    case "rollback":
      return takeRollback(step, JSON.parse(letter.value!) as RollbackOrder);
    case "fork":
      return forkFrom(step, JSON.parse(letter.value!) as ForkOrder, step.checkpoint!);
    case "delete":
      return leaveDeleted(step, letter.value === null ? null : (JSON.parse(letter.value) as string | null), at);
  }
}

/** Another child may stand behind the call since the run was rolled back. */
function answerOfChild(step: Step, { call, sender, value }: Letter, kind: "result" | "error"): void {
  const effect = step.run.open.get(call!)?.effect;
  if (effect?.kind === "child" && effect.runId === sender) step.answer(call!, kind, value!);
}

/** Whether a run takes it while it is paused: what ends it, and what resumes it. */
export function isTakenWhilePaused(arrival: Arrival): boolean {
  if (arrival.kind === "letter") return isOrder(arrival.letter) && !turnsRun(arrival.letter);
  return arrival.kind === "deadline";
}

/** Where a run is to go on from by an order that has arrived, if it is one: that must be known before it is taken. */
export function pointWanted(run: HeldRun, arrival: Arrival): Point | null {
  if (arrival.kind !== "letter") return null;
  const { kind, value } = arrival.letter;
  if (kind === "rollback") return pointOf(run, JSON.parse(value!) as RollbackOrder);
  return kind === "fork" ? { runId: run.row.forkedFrom!, number: run.row.forkedNumber! } : null;
}

/** Null: nobody has said why. */
export function cancel(step: Step, why: string | null): void {
  const { run, context } = step;
  const { phase, outcome } = run.machine;
  const reason = why ?? "cancelled";
  const at = context.now();
  const record = (): void => recordEvent(step, "cancelling", why === null ? null : JSON.stringify(why), at);
  run.isPaused = false;
  // Before it begins, or between two attempts, there is nothing to be told.
  if (phase === "new" || phase === "ended") {
    record();
    return endRun(step, "cancelled", errorText("RunCancelled", reason), at);
  }
  if (phase === "running" || outcome?.status === "undone") {
    step.give({ kind: "cancel", at, reason });
    step.mark("cancelling");
  }
  record();
}

/** By SQL, anything can be sent: what is no value is not for the body. */
function takeSignal(step: Step, name: string, value: string, at: number): void {
  const issue = valueIssue(value);
  if (issue !== null) return noteUndelivered(step, name, value, issue);
  step.give({ kind: "signal", at, name, value });
  recordEvent(step, "signalled", value, at);
}

export function noteUndelivered(step: Step, name: string, value: string, reason: string | null): void {
  const data = `{"kind":"signal","name":${JSON.stringify(name)},"value":${value},"reason":${JSON.stringify(reason)}}`;
  recordEvent(step, "undelivered", data, step.context.now());
}

/** It was to live again, and cannot: it has the end again that it had. */
function putBack(step: Step): void {
  step.leave();
  step.transition.putBack.push({ runId: step.run.id });
  step.after.parked = true;
  step.after.putBack = true;
}

function takeRollback(step: Step, order: RollbackOrder): void {
  const { run, context } = step;
  const isLive = run.isUnderWay;
  const refusal = step.turnRefusal ?? refusalNow(run, order, step.checkpoint!);
  if (refusal !== null) {
    const data = JSON.stringify({ to: order.to, reason: refusal });
    recordEvent(step, "rollback refused", data, context.now());
    return run.row.formerStatus === null ? undefined : putBack(step);
  }
  if (!order.compensate || !isLive) return rollBack(step, order, step.checkpoint!);
  const keep = keptCompensations(step.checkpoint!);
  // It is looked at once more when that is done: there may be signals that have come in the meantime.
  step.checkpoint = null;
  step.give({ kind: "undo", at: context.now(), keep, next: JSON.stringify(order) });
}
