import { HELD_BACK, type OutgoingEvent, type SinkOutcome, type SingleSink } from "./event-sink.ts";
import type { Health } from "./health.ts";

/** Events that one subscriber is sent at a time, from one shard. */
const CONCURRENCY = 8;

/**
 * Sends events one by one: those of a run one after the other, runs beside each other. What follows one that was not taken is held
 * back, and everything that was not begun once the subscriber is found to be down, or the patience of others is at its end.
 */
export async function sendInRunOrder(
  sink: SingleSink,
  events: readonly OutgoingEvent[],
  health: Pick<Health, "record" | "goesOn" | "keepsWaiting">,
  patienceMs: number,
): Promise<SinkOutcome[]> {
  const outcomes = events.map(() => HELD_BACK);
  const byRun = new Map<string, number[]>();
  events.forEach(({ runId }, index) => {
    const indexes = byRun.get(runId);
    if (indexes === undefined) byRun.set(runId, [index]);
    else indexes.push(index);
  });
  const runs = byRun.values();
  const until = performance.now() + patienceMs;
  const work = async (): Promise<void> => {
    for (const indexes of runs) {
      for (const index of indexes) {
        if (!health.goesOn) return;
        const before = performance.now();
        if (before > until) return health.keepsWaiting();
        const sent = await sink.send(events[index]!);
        const outcome = health.record(sent, events[index]!.runId, performance.now() - before);
        outcomes[index] = outcome;
        if (!outcome.taken) break;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, byRun.size) }, work));
  return outcomes;
}
