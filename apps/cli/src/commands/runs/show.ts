import type { RunDetails, StepOfRun } from "@cairnjs/schemas/rest";
import type { Output } from "../../output/output.ts";
import { tellAll } from "../../output/table.ts";
import { relativeTime } from "../../output/times.ts";
import { collected, type RestClient } from "../../rest/rest-client.ts";
import { shownError, shownValue, stateText, statusCell, stepLines } from "./run-texts.ts";

export interface ShowFlags {
  /** By `--no-steps`. */
  readonly steps: boolean;
  readonly json?: true;
}

/** `cairn runs show ID`: what it is, and what it has done. */
export async function showRun(client: RestClient, id: string, flags: ShowFlags, output: Output): Promise<number> {
  const path = `/runs/${encodeURIComponent(id)}`;
  const run = await client.get<RunDetails>(path);
  const steps = flags.steps ? await collected(client.list<StepOfRun>(`${path}/steps`)) : null;
  if (flags.json === true) {
    output.line(JSON.stringify({ ...run, ...(steps === null ? {} : { steps }) }));
    return 0;
  }
  tellRun(run, output);
  if (steps === null || steps.length === 0) return 0;
  output.line();
  for (const line of stepLines(output, steps)) output.line(line);
  return 0;
}

function tellRun(run: RunDetails, output: Output): void {
  const now = Date.now();
  const { text, style } = statusCell(run.status);
  const state = stateText(run, now);
  tellAll(output, [
    ["run", `${run.id}  ${output.paint("bold", run.type)}  ${output.paint("dim", `version ${run.version}`)}`],
    ["status", `${style === undefined ? text : output.paint(style, text)}${state === "" ? "" : `  ${state}`}`],
    ["attempt", `${run.attempt} of ${run.maxAttempts}`],
    ["started", relativeTime(run.createdAt, now)],
    ["ended", relativeTime(run.endedAt, now)],
    ["deadline", relativeTime(run.deadline, now)],
    ["deleted", `${relativeTime(run.deletedAt, now)}${run.deleteReason === null ? "" : `: ${run.deleteReason}`}`],
    ["tags", run.tags.join(", ")],
    ["parent", run.parent ?? ""],
    ["held by", run.leasedBy ?? ""],
    ["input", shownValue(run.payload)],
    ["result", "result" in run ? shownValue(run.result) : ""],
    ["error", "error" in run ? shownError(run.error) : ""],
  ]);
}
