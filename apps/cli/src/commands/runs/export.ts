import type { ExportedRun, RunSummary } from "@cairnjs/schemas/rest";
import { counted } from "../../output/counted.ts";
import { LinesFile } from "../../output/lines-file.ts";
import type { Output } from "../../output/output.ts";
import { Progress } from "../../output/progress.ts";
import { Refusal, type RestClient } from "../../rest/rest-client.ts";
import { UsageMistake } from "../../usage-mistake.ts";
import { filterQuery, isFiltered, type RunFilterFlags } from "./run-filter.ts";

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
  const isChosen = flags.all === true || isFiltered(flags);
  if (ids.length === 0 && !isChosen)
    throw new UsageMistake("give ids of runs, or choose them by --type and others, or --all");
  if (ids.length > 0 && isChosen) throw new UsageMistake("give ids of runs, or choose them by flags, but not both");
  const chosen = ids.length > 0 ? ids : await chosenIds(client, query, flags.limit);
  const target = flags.out === undefined ? null : await LinesFile.open(flags.out);
  const told = await writeRuns(client, chosen, ids.length === 0, target, output).catch(async (error: unknown) => {
    await target?.abandon();
    throw error;
  });
  if (target === null) return 0;
  await target.close();
  const text = `${flags.out}: ${counted(told.runs, "run")}`;
  output.line(flags.json === true ? JSON.stringify({ file: flags.out, ...told }) : text);
  return 0;
}

async function writeRuns(
  client: RestClient,
  chosen: readonly string[],
  mayBeGone: boolean,
  target: LinesFile | null,
  output: Output,
): Promise<{ readonly runs: number; readonly bytes: number }> {
  const progress = new Progress(output, "exporting");
  let [runs, bytes] = [0, 0];
  try {
    for (const [index, id] of chosen.entries()) {
      const line = await exportedLine(client, id, mayBeGone);
      if (line !== null) {
        runs += 1;
        bytes += Buffer.byteLength(line) + 1;
        if (target === null) output.line(line);
        else await target.write(line);
      }
      progress.show(index + 1, chosen.length);
    }
  } finally {
    progress.end();
  }
  return { runs, bytes };
}

/** Null: it was there when runs were chosen, and is no more. */
async function exportedLine(client: RestClient, id: string, mayBeGone: boolean): Promise<string | null> {
  try {
    return JSON.stringify(await client.get<ExportedRun>(`/runs/${encodeURIComponent(id)}/export`));
  } catch (error) {
    if (mayBeGone && error instanceof Refusal && error.code === "NotFound") return null;
    throw error;
  }
}

/** Of what is listed, nothing but the ids is kept: there may be millions. */
async function chosenIds(
  client: RestClient,
  query: ReturnType<typeof filterQuery>,
  limit: number | undefined,
): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of client.list<RunSummary>("/runs", query, limit)) ids.push(id);
  return ids;
}
