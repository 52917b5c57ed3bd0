import { deliver, type Input, type Machine } from "@cairnjs/vm";
import type { Checkpoint, Point } from "./checkpoint.ts";
import { tellChild } from "./children.ts";
import { digestOf } from "./digest.ts";
import type { HistoryRow } from "../store/load-runs.ts";
import { type Arrival, type HeldRun, newOpenStep } from "./held-run.ts";
import { type OpenEffect, openEffect } from "./open-effects.ts";
import { runInfo } from "./replay.ts";
import { recordEvent } from "./run-event.ts";
import { releaseSlot } from "./slots.ts";
import type { Step } from "./step.ts";

/** What a letter says that takes a run back. */
export interface RollbackOrder {
  /** The number of the input after which it had the state that it returns to. */
  readonly to: number;
  /** Whether what was to be undone since is undone first. */
  readonly compensate: boolean;
  /** Whether chance takes the same course as before. */
  readonly keepChance: boolean;
  /** Whether it goes back although something was undone that the state takes for done. */
  readonly despiteCompensations: boolean;
  /** How many inputs the run had taken when all this was looked at. */
  readonly checkedAt: number;
}

/** What a letter says with which a fork begins. */
export interface ForkOrder {
  /** Whether it undoes what the original was to undo. */
  readonly compensations: boolean;
  readonly keepChance: boolean;
}

/** What the machine is told when an operator wants the run to begin again, by the input after this one. */
export function beginAgain(after: number): string {
  return JSON.stringify({ after });
}

/** What was wanted once everything was undone: a state to return to, or to begin again. */
export function wantedNext(next: string): RollbackOrder | { readonly after: number } {
  return JSON.parse(next) as RollbackOrder | { readonly after: number };
}

/** Those of some inputs that are signals, to be taken once more. */
export function takenAgain(inputs: readonly Pick<HistoryRow, "kind" | "name" | "value">[]): Arrival[] {
  return inputs.flatMap(({ kind, name, value }) =>
    kind === "signal" ? [{ kind: "again" as const, name: name!, value: value! }] : [],
  );
}

export function pointOf({ id: runId }: HeldRun, { to: number }: RollbackOrder): Point {
  return { runId, number };
}

/** How many of the compensations stay, if the rest is undone to get to a state. */
export function keptCompensations({ machine, sameAttempt }: Checkpoint): number {
  return sameAttempt ? machine.compensations.length : 0;
}

/** Why a run that has gone on since it was asked for does not return to a state any more; null if it does. */
export function refusalNow({ machine, row }: HeldRun, order: RollbackOrder, checkpoint: Checkpoint): string | null {
  if (!checkpoint.isCurrent) return "Superseded: the run was rolled back to before it in the meantime";
  const kept = checkpoint.machine.compensations.length;
  if (machine.inputNumber === order.checkedAt || order.despiteCompensations || kept === 0) return null;
  // Success undoes nothing.
  if (row.formerStatus === "succeeded" && checkpoint.sameAttempt) return null;
  if (checkpoint.sameAttempt && machine.phase !== "ended" && machine.compensations.length >= kept) return null;
  return "CompensationsRan: what the state takes for done was undone in the meantime";
}

/**
 * Takes a run back. What was open in that state and is not any more is done again: calls get another try, children are
 * started anew. What was opened since is given up. Signals taken since are taken again, before all others.
 */
export function rollBack(step: Step, { to, keepChance }: RollbackOrder, checkpoint: Checkpoint): void {
  const { run, transition, context } = step;
  const from = run.machine.inputNumber;
  const signals = takenAgain([...checkpoint.signals, ...transition.history]);
  const at = run.notedAt(context.now());
  const seed = keepChance ? null : `${run.id}/${from + 1}`;
  giveUp(step, checkpoint.open);
  const again = [...checkpoint.open.values()]
    .filter(({ id }) => !run.open.has(id))
    .map((effect) => triedBefore(effect, checkpoint));
  checkpoint.machine.inputNumber = from;
  turn(
    step,
    checkpoint.machine,
    { kind: "reseed", at, seed },
    { kind: "rollback", value: JSON.stringify({ to, keepChance }) },
    again,
  );
  for (const effect of again) step.redo(effect);
  run.lastError = null;
  step.addFirst(signals);
  goOn(step);
  recordEvent(step, "rolled back", JSON.stringify({ to, from }), at);
  if (from > to) recordEvent(step, "superseded", JSON.stringify({ from: to + 1, to: from }), at);
  step.mark();
}

/** Whatever end the run had come to, or was coming to since its deadline has passed, is no longer its own. */
export function goOn({ run, transition, context }: Step): void {
  const dropsDeadline = run.deadline !== null && run.deadline <= context.now();
  if (dropsDeadline) run.deadline = null;
  run.pastDeadline = false;
  transition.turned.push({ runId: run.id, dropsDeadline });
}

/**
 * Begins with the state of another run. What is open in it, and was answered in the original, gets the same answer; the
 * rest is done as far as the fork may.
 */
export function forkFrom(step: Step, { compensations, keepChance }: ForkOrder, checkpoint: Checkpoint): void {
  const { run, context } = step;
  const { machine, open, answers, point } = checkpoint;
  const at = run.notedAt(Math.max(context.now(), machine.at));
  const { attempt, startedAt } = machine.info!;
  const info = runInfo(run.row, attempt, startedAt);
  const seed = keepChance ? null : run.id;
  const answered = new Map(answers.map((each) => [each.call!, each]));
  const value = JSON.stringify({ from: point.runId, number: point.number });
  turn(step, machine, { kind: "fork", at, seed, info, compensations }, { kind: "fork", value }, [...open.values()]);
  run.attempt = attempt;
  for (const effect of open.values()) if (!answered.has(effect.id)) step.redo(effect);
  for (const { call, kind, value: said } of answered.values()) {
    step.add(
      kind === "error" ? { kind: "refusal", call: call!, error: said! } : { kind: "answer", call: call!, value: said! },
    );
  }
  recordEvent(step, "started", null, at);
  step.mark();
}

/** The run has another state: an input of its history like any other, with a snapshot, so that nobody looks further back. */
function turn(
  step: Step,
  machine: Machine,
  input: Extract<Input, { readonly kind: "reseed" | "fork" }>,
  row: { readonly kind: "rollback" | "fork"; readonly value: string },
  opened: readonly OpenEffect[],
): void {
  const { run, transition } = step;
  const delivery = deliver(machine, input);
  if (!delivery.done) throw new Error("To take another course takes no time");
  run.machine = machine;
  const { inputNumber: number, at } = machine;
  for (const effect of opened) run.open.set(effect.id, newOpenStep(openEffect(effect, run.id, at, number)!));
  const nothing = { call: null, node: null, name: null, attempt: null, action: null, worker: null, startedAt: null };
  transition.history.push({ runId: run.id, number, ...row, at, digest: digestOf(delivery.effects), ...nothing });
  transition.snapshots.push(run.takeFullSnapshot());
}

/** What is open now, and was not then. */
function giveUp(step: Step, then: ReadonlyMap<string, OpenEffect>): void {
  const { run, after } = step;
  for (const [call, open] of run.open) {
    const { effect, timer } = open;
    if (then.has(call)) continue;
    timer?.cancel();
    releaseSlot(step, open);
    run.open.delete(call);
    run.unserved.delete(call);
    if (effect.kind === "call") after.abort.push({ runId: run.id, call });
    if (effect.kind === "child") tellChild(step, effect, "cancel", "The run that waited for it was rolled back");
  }
}

/** Tries that it had before have numbers, and do not count. */
function triedBefore(effect: OpenEffect, { tries }: Checkpoint): OpenEffect {
  return effect.kind === "call" ? { ...effect, tried: tries.get(effect.id) ?? 1 } : effect;
}
