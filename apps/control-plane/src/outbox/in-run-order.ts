import { HELD_BACK, type OutgoingEvent, type SinkOutcome, type SingleSink } from "./event-sink.ts";
import type { Health } from "./health.ts";

/** Events that one subscriber is sent at a time, from one shard. */
const CONCURRENCY = 8;

/**
 * Sends events one by one: those of a run one after the other, runs beside each other. What follows one that was not taken is held
 * back, and everything that was not begun once the subscriber is found to be down.
 */
export async function sendInRunOrder(
  sink: SingleSink,
  events: readonly OutgoingEvent[],
  health: Pick<Health, "record" | "goesOn">,
): Promise<SinkOutcome[]> {
  const outcomes = events.map(() => HELD_BACK);
  const byRun = new Map<string, number[]>();
  events.forEach(({ runId }, index) => {
    const indexes = byRun.get(runId);
    if (indexes === undefined) byRun.set(runId, [index]);
    else indexes.push(index);
  });
  const runs = byRun.values();
  const work = async (): Promise<void> => {
    for (const indexes of runs) {
      for (const index of indexes) {
        if (!health.goesOn) return;
        const before = performance.now();
        const outcome = await sink.send(events[index]!);
        outcomes[index] = outcome;
        health.record(outcome, events[index]!.runId, performance.now() - before);
        if (!outcome.taken) break;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, byRun.size) }, work));
  return outcomes;
}
