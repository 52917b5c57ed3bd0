import { isReference } from "../blobs/reference.ts";
import type { Letter } from "../store/mail.ts";
import { mayExpire } from "./expiring.ts";
import type { HeldRun, OpenStep } from "./held-run.ts";
import type { CallOutcome, Dispatch } from "./outside.ts";
import { spanOf } from "./span-of.ts";
import { waitsForTurn } from "./slots.ts";

/** Open calls of one run that are dispatched; further ones wait for these. */
const DISPATCHED_MAX = 1_000;

/** Who dispatches, and when. */
interface Dispatcher {
  readonly incarnation: string;
  readonly now: number;
}

function dispatchOf(run: HeldRun, open: OpenStep, { incarnation, now }: Dispatcher): Dispatch {
  const { effect, attempt } = open;
  if (effect.kind !== "call") throw new Error(`${effect.kind} is nothing to dispatch`);
  const { namespace, type, version, priority } = run.row;
  const { action, args, options } = effect;
  open.dispatchedAt = now;
  run.hasCalled = true;
  return {
    incarnation,
    runId: run.id,
    namespace,
    call: effect.id,
    attempt,
    action,
    args,
    options,
    priority,
    type,
    version,
    deadline: run.deadline,
    traceparent: spanOf(run.row),
  };
}

/** What answers a try that was given up does not answer the one that took its place. */
function answers({ kind, call, value }: Letter, { effect, attempt }: OpenStep): boolean {
  if (kind !== "outcome" || call !== effect.id || value === null || isReference(value)) return false;
  const outcome = JSON.parse(value) as CallOutcome;
  if (effect.kind !== "call" || outcome.attempt <= (effect.tried ?? 0)) return false;
  return outcome.kind === "result" || outcome.attempt >= attempt;
}

/** Whether someone may be running a call of it. */
export function hasCallsOut({ open }: HeldRun): boolean {
  for (const { effect, dispatchedAt } of open.values()) {
    if (effect.kind === "call" && dispatchedAt !== null) return true;
  }
  return false;
}

/** Those of its calls that wait and may be made now. */
export function nextCalls(run: HeldRun, by: Dispatcher): Dispatch[] {
  if (run.waiting.length === 0) return [];
  const calls: Dispatch[] = [];
  let dispatched = 0;
  for (const { dispatchedAt } of run.open.values()) if (dispatchedAt !== null) dispatched += 1;
  while (run.waiting.length > 0 && dispatched < DISPATCHED_MAX) {
    const open = run.waiting.shift()!;
    if (run.open.get(open.effect.id) !== open) continue;
    dispatched += 1;
    calls.push(dispatchOf(run, open, by));
  }
  return calls;
}

/**
 * What is open in a run that was claimed: calls that someone may be running, and what is due later. Calls that nobody can
 * have made wait for others to end, or, if their actions are limited or the run may expire, have to ask for their turn.
 */
export function openCalls(
  run: HeldRun,
  letters: readonly Letter[],
  by: Dispatcher,
  isLimited: (action: string) => boolean,
): { readonly calls: readonly Dispatch[]; readonly timers: readonly OpenStep[]; readonly asking: readonly OpenStep[] } {
  const calls: Dispatch[] = [];
  const timers: OpenStep[] = [];
  const asking: OpenStep[] = [];
  for (const open of run.open.values()) {
    const isDue = open.dueAt === null || open.dueAt <= by.now;
    if (open.effect.kind !== "call" || !isDue) {
      if (open.dueAt !== null) timers.push(open);
      continue;
    }
    open.dueAt = null;
    if (waitsForTurn(open)) continue;
    // Its outcome was in the mail.
    if (letters.some((letter) => answers(letter, open))) open.dispatchedAt = by.now;
    else if (run.callsOut && calls.length < DISPATCHED_MAX) calls.push(dispatchOf(run, open, by));
    else if ((open.slot === null && isLimited(open.effect.action)) || mayExpire(run, open)) asking.push(open);
    else run.waiting.push(open);
  }
  return { calls, timers, asking };
}
