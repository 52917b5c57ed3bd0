import { deliver, type Input, type Machine } from "@cairnjs/vm";
import type { Checkpoint, Point } from "./checkpoint.ts";
import { tellChild } from "./children.ts";
import { digestOf } from "./digest.ts";
import { type HeldRun, newOpenStep } from "./held-run.ts";
import { type OpenEffect, openEffect } from "./open-effects.ts";
import { runInfo } from "./replay.ts";
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
}

/** What a letter says with which a fork begins. */
export interface ForkOrder {
  /** Whether it undoes what the original was to undo. */
  readonly compensations: boolean;
  readonly keepChance: boolean;
}

/** What the machine is told when an operator wants the run to begin again. */
export const BEGIN_AGAIN = JSON.stringify({ again: true });

/** What was wanted once everything was undone: a state to return to, or null to begin again. */
export function wantedNext(next: string): RollbackOrder | null {
  return next === BEGIN_AGAIN ? null : (JSON.parse(next) as RollbackOrder);
}

export function pointOf({ id: runId }: HeldRun, { to: number }: RollbackOrder): Point {
  return { runId, number };
}

/** How many of the compensations stay, if the rest is undone to get to a state. */
export function keptCompensations({ machine, sameAttempt }: Checkpoint): number {
  return sameAttempt ? machine.compensations.length : 0;
}

/**
 * Takes a run back. What was open in that state and is not any more is done again: calls get another try, children are
 * started anew. What was opened since is given up. Signals taken since are taken again, before all others.
 */
export function rollBack(step: Step, { to, keepChance }: RollbackOrder, checkpoint: Checkpoint): void {
  const { run, transition, context } = step;
  const from = run.machine.inputNumber;
  const taken = transition.history.filter(({ kind }) => kind === "signal");
  const at = Math.max(context.now(), run.machine.at);
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
  for (const { name, value } of [...checkpoint.signals, ...taken]) {
    step.add({ kind: "again", name: name!, value: value! });
  }
  transition.events.push({ runId: run.id, kind: "rolled back", data: JSON.stringify({ to, from }), at });
  step.mark();
}

/**
 * Begins with the state of another run. What is open in it, and was answered in the original, gets the same answer; the
 * rest is done as far as the fork may.
 */
export function forkFrom(step: Step, { compensations, keepChance }: ForkOrder, checkpoint: Checkpoint): void {
  const { run, transition, context } = step;
  const { machine, open, answers, point } = checkpoint;
  const at = Math.max(context.now(), machine.at);
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
  transition.events.push({ runId: run.id, kind: "started", data: null, at });
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
    if (effect.kind === "call") after.abort.push({ runId: run.id, call });
    if (effect.kind === "child") tellChild(step, effect, "cancel", "The run that waited for it was rolled back");
  }
}

/** Tries that it had before have numbers, and do not count. */
function triedBefore(effect: OpenEffect, { tries }: Checkpoint): OpenEffect {
  const tried = tries.get(effect.id);
  return effect.kind === "call" && tried !== undefined ? { ...effect, tried } : effect;
}
