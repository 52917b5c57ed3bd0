import type { HeldRun, OpenStep } from "./held-run.ts";
import type { TryId } from "./outside.ts";

/** Whether a job begins with this try. */
export function beginsJob({ version, attempt }: HeldRun, open: OpenStep): boolean {
  return version.kind === "action" && attempt === 1 && open.effect.kind === "call" && open.attempt === 1;
}

/** Whether the run may expire as long as this try has not begun. */
export function mayExpire(run: HeldRun, open: OpenStep): boolean {
  return run.row.expiresAt !== null && beginsJob(run, open);
}

/** The try that someone has, and by which the run begins in time, if somebody has begun it. */
export function triesToBegin(run: HeldRun): TryId[] {
  const open = [...run.open.values()].filter((each) => each.dispatchedAt !== null && mayExpire(run, each));
  return open.map(({ effect, attempt }) => ({ runId: run.id, call: effect.id, attempt }));
}
