import type { RunSummary, StepOfRun } from "@cairnjs/schemas/rest";
import { errorTitle, valueText } from "cairnjs/testing/internal";
import type { Output } from "../../output/output.ts";
import { type Cell, tableLines } from "../../output/table.ts";
import { lengthOfTime } from "@cairnjs/schemas/length-of-time";
import { relativeTime } from "../../output/times.ts";

type Style = NonNullable<Cell["style"]>;

const STYLES: Readonly<Record<string, Style>> = {
  succeeded: "green",
  failed: "red",
  cancelled: "yellow",
  lost: "yellow",
  abandoned: "dim",
};

export function statusCell(status: string): Cell {
  const style = STYLES[status];
  return style === undefined ? { text: status } : { text: status, style };
}

/** In the tagged encoding, for people. */
export function shownValue(value: unknown): string {
  return value === undefined ? "" : valueText(JSON.stringify(value));
}

export function shownError(error: unknown): string {
  if (error === undefined) return "";
  try {
    return errorTitle(JSON.stringify(error));
  } catch {
    // It holds something of a class whose codec is the worker's alone.
    return shownValue(error);
  }
}

/** What a run is about, or why it does not go on. */
export function stateText(run: RunSummary, now: number): string {
  const { phase, waitingFor, lastError, runAt } = run;
  if (phase === null) return lastError ?? "";
  const until = Date.parse(runAt) > now ? ` ${relativeTime(runAt, now)}` : "";
  const why = waitingFor === null ? "" : ` for ${waitingFor}`;
  return `${phase}${why}${until}${lastError === null ? "" : `; last error: ${lastError}`}`;
}

export function tookText(from: string | null, to: string | null): string {
  return from === null || to === null ? "" : lengthOfTime(Date.parse(to) - Date.parse(from));
}

export function runLines(output: Output, runs: readonly RunSummary[], now: number): string[] {
  const rows = runs.map((run) => [
    run.id,
    { text: run.type, style: "bold" as const },
    statusCell(run.status),
    relativeTime(run.createdAt, now),
    tookText(run.startedAt, run.endedAt),
    { text: stateText(run, now), style: "dim" as const },
  ]);
  return tableLines(output, ["ID", "TYPE", "STATUS", "STARTED", "TOOK", ""], rows);
}

export function stepLines(output: Output, steps: readonly StepOfRun[]): string[] {
  const rows = steps.map((step) => [
    String(step.number),
    { text: step.node, style: "cyan" as const },
    step.compensation ? `undo ${step.name}` : step.name,
    statusCell(step.superseded ? "superseded" : step.status),
    String(Math.max(1, step.attempts.length)),
    tookText(step.startedAt, step.endedAt),
    stepEnd(step),
  ]);
  return tableLines(output, ["NUMBER", "STEP", "NAME", "STATUS", "TRIES", "TOOK", "RESULT"], rows);
}

function stepEnd(step: StepOfRun): string {
  if ("error" in step) return shownError(step.error);
  return "result" in step ? shownValue(step.result) : "";
}
