import type { ExportedRun, RunSummary } from "@cairnjs/schemas/rest";
import { LinesFile } from "../../output/lines-file.ts";
import type { Output } from "../../output/output.ts";
import { Progress } from "../../output/progress.ts";
import { collected, type RestClient } from "../../rest/rest-client.ts";
import { UsageMistake } from "../../usage-mistake.ts";
import { filterQuery, type RunFilterFlags } from "./run-filter.ts";

export interface ExportFlags extends RunFilterFlags {
  readonly all?: true;
  readonly limit?: number;
  readonly out?: string;
  readonly json?: true;
}

/** `cairn runs export [ID…]`: one line of JSON a run, to a file or the output. */
export async function exportRuns(
  client: RestClient,
  ids: readonly string[],
  flags: ExportFlags,
  output: Output,
): Promise<number> {
  const query = filterQuery(flags);
  const isFiltered = flags.all === true || Object.values(query).some((value) => value !== undefined);
  if (ids.length === 0 && !isFiltered)
    throw new UsageMistake("give ids of runs, or choose them by --type and others, or --all");
  if (ids.length > 0 && isFiltered) throw new UsageMistake("give ids of runs, or choose them by flags, but not both");
  const chosen = ids.length > 0 ? ids : await chosenIds(client, query, flags.limit);
  const target = flags.out === undefined ? null : await LinesFile.open(flags.out);
  const progress = new Progress(output, "exporting");
  let bytes = 0;
  for (const [index, id] of chosen.entries()) {
    const run = await client.get<ExportedRun>(`/runs/${encodeURIComponent(id)}/export`);
    const line = JSON.stringify(run);
    bytes += line.length + 1;
    if (target === null) output.line(line);
    else await target.write(line);
    progress.show(index + 1, chosen.length);
  }
  progress.end();
  if (target === null) return 0;
  await target.close();
  const told = { file: flags.out, runs: chosen.length, bytes };
  output.line(flags.json === true ? JSON.stringify(told) : `${flags.out}: ${chosen.length} runs`);
  return 0;
}

async function chosenIds(
  client: RestClient,
  query: ReturnType<typeof filterQuery>,
  limit: number | undefined,
): Promise<string[]> {
  return (await collected(client.list<RunSummary>("/runs", query, limit))).map(({ id }) => id);
}
