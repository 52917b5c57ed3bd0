import type { LimitGroup } from "../store/limits.ts";
import { errorText } from "./error-text.ts";
import { beginsJob } from "./expiring.ts";
import type { HeldRun, OpenStep } from "./held-run.ts";
import { InvalidLimitKey } from "./limit-keys.ts";
import type { KnownLimit } from "./known-limits.ts";
import type { Step } from "./step.ts";

/** Whether it must not be dispatched until it is its turn. */
export function waitsForTurn({ slot }: OpenStep): boolean {
  return slot !== null && !slot.granted;
}

/** The call is to be made: once this is committed, or, if its action is limited, when its turn has come. */
export function requestCall(step: Step, open: OpenStep): void {
  const { run, transition, after, context } = step;
  const { effect, attempt } = open;
  if (effect.kind !== "call") throw new Error(`${effect.kind} is no call`);
  const limit = context.limitOf(run.row.namespace, effect.action);
  if (limit === null || open.slot?.granted === true) return dispatch(step, open);
  const keys = keysOf(limit, effect.args);
  if (keys instanceof InvalidLimitKey) {
    return step.add({
      kind: "refusal",
      call: effect.id,
      error: errorText(keys.name, `${effect.action}: ${keys.message}`),
    });
  }
  forgetRows(step, effect.id);
  const { namespace, priority } = run.row;
  const group = { namespace, action: effect.action, key: keys.key };
  open.slot = { attempt, key: keys.key, granted: false };
  transition.limited.push({ runId: run.id, call: effect.id, attempt, ...group, rateKey: keys.rateKey, priority });
  after.limited.push(group);
}

/** A job begins with this; one that has waited too long for its turn, or for a worker, does not. */
function dispatch(step: Step, open: OpenStep): void {
  if (beginsJob(step.run, open) && step.isTooLate) return step.expire();
  step.after.dispatch.push(open);
}

function keysOf(
  { concurrencyKey, rateKey }: KnownLimit,
  args: string,
): { readonly key: string; readonly rateKey: string } | InvalidLimitKey {
  try {
    return { key: concurrencyKey(args), rateKey: rateKey(args) };
  } catch (error) {
    if (error instanceof InvalidLimitKey) return error;
    throw error;
  }
}

/** The call is open no more, or its next try comes later: others may have its slot, or its place. */
export function releaseSlot(step: Step, open: OpenStep): void {
  const { slot, effect } = open;
  if (slot === null || effect.kind !== "call") return;
  open.slot = null;
  forgetRows(step, effect.id);
  step.transition.released.push({ runId: step.run.id, call: effect.id });
  step.after.limited.push(groupOf(step.run, effect.action, slot.key));
}

/** A run that is paused, or stopped, keeps nobody waiting: its calls that are not dispatched will ask again. */
export function releaseWaiting(step: Step): void {
  for (const open of step.run.open.values()) if (open.dispatchedAt === null) releaseSlot(step, open);
}

/** It is the call's turn. Whoever was told before, or waits with another try, is not meant. */
export function takeGrant(step: Step, call: string, attempt: number): void {
  const open = step.run.open.get(call);
  if (open === undefined || open.slot === null || open.slot.granted || open.slot.attempt !== attempt) return;
  open.slot.granted = true;
  dispatch(step, open);
}

/** A statement may change a row once. */
function forgetRows({ transition }: Step, call: string): void {
  for (const rows of [transition.peek("limited"), transition.peek("released")]) {
    const index = rows?.findIndex((row) => row.call === call) ?? -1;
    if (index !== -1) rows!.splice(index, 1);
  }
}

function groupOf({ row }: HeldRun, action: string, key: string): LimitGroup {
  return { namespace: row.namespace, action, key };
}
