import type { EndedNotice } from "../runloop/outside.ts";

/** How many runs were started by requests of this process, and how many have ended in it, since it began. */
export class EngineTally {
  startedRuns = 0;
  readonly endedRuns = new Map<EndedNotice["status"], number>(
    (["succeeded", "failed", "cancelled", "deleted"] as const).map((status) => [status, 0]),
  );

  started(count: number): void {
    this.startedRuns += count;
  }

  ended(notices: readonly EndedNotice[]): void {
    for (const { status } of notices) this.endedRuns.set(status, this.endedRuns.get(status)! + 1);
  }
}
