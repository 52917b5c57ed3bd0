import type { RunSummary } from "@cairnjs/schemas/rest";
import type { Output } from "../../output/output.ts";
import { collected, type RestClient } from "../../rest/rest-client.ts";
import { filterQuery, type RunFilterFlags } from "./run-filter.ts";
import { runLines } from "./run-texts.ts";

export interface ListFlags extends RunFilterFlags {
  readonly limit: number;
  readonly oldest?: true;
  readonly json?: true;
}

/** `cairn runs list`: the newest first, or the oldest. */
export async function listRuns(client: RestClient, flags: ListFlags, output: Output): Promise<number> {
  const query = { ...filterQuery(flags), ...(flags.oldest === true ? { sort: "createdAt" } : {}) };
  const runs = await collected(client.list<RunSummary>("/runs", query, flags.limit));
  if (flags.json === true) output.line(JSON.stringify({ runs }));
  else if (runs.length === 0) output.note("there are no such runs");
  else for (const line of runLines(output, runs, Date.now())) output.line(line);
  return 0;
}
