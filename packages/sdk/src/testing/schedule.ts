import type { Chance } from "./chance.ts";
import { type ChildStep, dueTime, type LocalRun, type OpenStep } from "./local-run.ts";

/** What happens next: a step ends or is tried, or virtual time goes on and its timer rings. */
export interface Next {
  readonly step: OpenStep;
  readonly how: "finish" | "timer";
}

/** Signals left to be sent, by name. */
export type SignalQueue = ReadonlyMap<string, readonly string[]>;

/**
 * Steps end in the order they were started; a child goes as far as it can when its turn comes. Only when nothing
 * else can end does time go on, to the timer that is due first, of several the oldest.
 */
export function nextInOrder(roots: readonly LocalRun[], signals: SignalQueue, limit: number): Next | null {
  for (const root of roots) {
    const step = firstToFinish(root, signals);
    if (step !== null) return { step, how: "finish" };
  }
  return nextTimer(roots, limit);
}

/** Whatever could end next may; the first timer is one of these. */
export function nextByChance(
  roots: readonly LocalRun[],
  signals: SignalQueue,
  limit: number,
  chance: Chance,
): Next | null {
  const choices: Next[] = [];
  for (const step of stepsOf(roots)) if (canFinish(step, signals)) choices.push({ step, how: "finish" });
  const timer = nextTimer(roots, limit);
  if (timer !== null) choices.push(timer);
  return choices[chance.below(choices.length)] ?? null;
}

function firstToFinish(run: LocalRun, signals: SignalQueue): OpenStep | null {
  for (const step of run.open.values()) {
    if (canFinish(step, signals)) return step;
    const inner = step.kind === "child" && isAttached(step) ? firstToFinish(step.child, signals) : null;
    if (inner !== null) return inner;
  }
  return null;
}

function canFinish(step: OpenStep, signals: SignalQueue): boolean {
  switch (step.kind) {
    case "call":
      return !step.held && step.later === null;
    case "child":
      return !isAttached(step) || step.child.ended !== null;
    case "wait":
      return (signals.get(step.effect.signal)?.length ?? 0) > 0 && isFirstWait(step);
    case "sleep":
      return false;
  }
}

/** The machine gives a signal to the wait that came first. */
function isFirstWait(step: OpenStep & { kind: "wait" }): boolean {
  for (const other of step.run.open.values()) {
    if (other.kind === "wait" && other.effect.signal === step.effect.signal) return other === step;
  }
  return false;
}

/** The one that is due first, if it is by `limit`. */
function nextTimer(roots: readonly LocalRun[], limit: number): Next | null {
  let first: OpenStep | null = null;
  let firstDue = Number.POSITIVE_INFINITY;
  for (const step of stepsOf(roots)) {
    const due = dueTime(step);
    if (due === null) continue;
    if (due < firstDue || (due === firstDue && first !== null && step.number < first.number)) {
      first = step;
      firstDue = due;
    }
  }
  return first === null || firstDue > limit ? null : { step: first, how: "timer" };
}

/** Open steps of the runs and of the children that they wait for. */
export function* stepsOf(runs: readonly LocalRun[]): Generator<OpenStep> {
  for (const run of runs) {
    for (const step of run.open.values()) {
      yield step;
      if (step.kind === "child" && isAttached(step)) yield* stepsOf([step.child]);
    }
  }
}

function isAttached(step: ChildStep): step is ChildStep & { child: LocalRun } {
  return step.child !== null && !step.effect.detached;
}
