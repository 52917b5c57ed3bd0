import type { HeldRun, OpenStep } from "./held-run.ts";
import type { Dispatch } from "./outside.ts";

/** Open calls of one run that are dispatched; further ones wait for these. */
const DISPATCHED_MAX = 1_000;

function dispatchOf(run: HeldRun, open: OpenStep, now: number): Dispatch {
  const { effect, attempt } = open;
  if (effect.kind !== "call") throw new Error(`${effect.kind} is nothing to dispatch`);
  const { namespace, type, version, priority } = run.row;
  const { action, args, options } = effect;
  open.dispatchedAt = now;
  return { runId: run.id, namespace, call: effect.id, attempt, action, args, options, priority, type, version };
}

/** Those of its calls that wait and may be made now. */
export function nextCalls(run: HeldRun, now: number): Dispatch[] {
  if (run.waiting.length === 0) return [];
  const calls: Dispatch[] = [];
  let dispatched = 0;
  for (const { dispatchedAt } of run.open.values()) if (dispatchedAt !== null) dispatched += 1;
  while (run.waiting.length > 0 && dispatched < DISPATCHED_MAX) {
    const open = run.waiting.shift()!;
    if (run.open.get(open.effect.id) !== open) continue;
    dispatched += 1;
    calls.push(dispatchOf(run, open, now));
  }
  return calls;
}

/** What is open in a run that was claimed and not answered: calls that someone may be running, and what is due later. */
export function openCalls(
  run: HeldRun,
  answered: ReadonlySet<string | null>,
  now: number,
): { readonly calls: readonly Dispatch[]; readonly timers: readonly OpenStep[] } {
  const calls: Dispatch[] = [];
  const timers: OpenStep[] = [];
  for (const open of run.open.values()) {
    if (answered.has(open.effect.id)) continue;
    const mayRun = run.callsOut && (open.dueAt === null || open.dueAt <= now);
    if (open.effect.kind === "call" && mayRun) {
      open.dueAt = null;
      calls.push(dispatchOf(run, open, now));
    } else if (open.dueAt !== null) timers.push(open);
  }
  return { calls, timers };
}
