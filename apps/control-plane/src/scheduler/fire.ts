import { StartSpan } from "../library/start-span.ts";
import { type Fired, type FiredRun, fireSchedules, type Firing } from "../store/fire-schedules.ts";
import type { Queryable } from "../store/statement.ts";

/** Starts runs of schedules, in the trace of whoever wants them, or in traces of their own. */
export async function fire(client: Queryable, firings: readonly Firing[], runs: readonly FiredRun[]): Promise<Fired[]> {
  const spans = runs.map(({ namespace, type }) => new StartSpan({ namespace, type, traceparent: undefined }));
  const traced = runs.map((run, index) => ({ ...run, traceparent: spans[index]!.traceparent }));
  const fired = await fireSchedules(client, firings, traced);
  const started = new Set(fired.flatMap(({ runIds }) => runIds));
  // Those that were not started, since somebody else was first or a run lives, are never ended: nobody hears of them.
  runs.forEach(({ id }, index) => {
    if (started.has(id)) spans[index]!.started(id, false);
  });
  return fired;
}
