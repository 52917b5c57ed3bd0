import type { WorkerSummary } from "@cairnjs/schemas/rest";
import type { Output } from "../output/output.ts";
import { tableLines } from "../output/table.ts";
import { relativeTime } from "../output/times.ts";
import { collected, type RestClient } from "../rest/rest-client.ts";

/** `cairn workers`: who runs calls. */
export async function workersCommand(
  client: RestClient,
  flags: { readonly json?: true },
  output: Output,
): Promise<number> {
  const workers = await collected(client.list<WorkerSummary>("/workers"));
  if (flags.json === true) output.line(JSON.stringify({ workers }));
  else if (workers.length === 0) output.note("there are no workers");
  else for (const line of workerLines(output, workers, Date.now())) output.line(line);
  return 0;
}

const TITLES = ["WORKER", "CONTROL PLANE", "PREFIXES", "ACTIONS", "CALLS", "PER SECOND", "P50", "P95", "P99", "SEEN"];

function workerLines(output: Output, workers: readonly WorkerSummary[], now: number): string[] {
  const rows = workers.map((worker) => [
    { text: worker.worker, style: "bold" as const },
    worker.pool,
    worker.prefixes.map((prefix) => (prefix === "" ? "*" : prefix)).join(","),
    String(worker.actions.filter((name) => !name.endsWith("/")).length),
    `${worker.inFlight}/${worker.capacity}`,
    worker.actionsPerSecond.toFixed(1),
    ...[worker.latencyP50Ms, worker.latencyP95Ms, worker.latencyP99Ms].map(latency),
    relativeTime(worker.lastSeen, now),
  ]);
  return tableLines(output, TITLES, rows);
}

function latency(ms: number | null): string {
  return ms === null ? "" : `${ms < 10 ? ms.toFixed(1) : ms.toFixed(0)} ms`;
}
