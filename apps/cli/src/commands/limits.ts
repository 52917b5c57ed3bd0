import type { LimitSummary } from "@cairnjs/schemas/rest";
import type { Output } from "../output/output.ts";
import { tableLines } from "../output/table.ts";
import { exactLength } from "@cairnjs/schemas/length-of-time";
import { collected, type RestClient } from "../rest/rest-client.ts";

/** `cairn limits [NAME]`: what limits actions, who has slots, and who waits. */
export async function limitsCommand(
  client: RestClient,
  name: string | undefined,
  flags: { readonly json?: true },
  output: Output,
): Promise<number> {
  const limits = await collected(client.list<LimitSummary>("/limits", { name }));
  if (flags.json === true) output.line(JSON.stringify({ limits }));
  else if (limits.length === 0) output.note("nothing is limited");
  else for (const line of limitLines(output, limits)) output.line(line);
  return 0;
}

const TITLES = ["ACTION", "KEY", "AT ONE TIME", "RATE", "OPEN", "WAITING"];

function limitLines(output: Output, limits: readonly LimitSummary[]): string[] {
  const rows = limits.flatMap(({ name, concurrency, rate, open, waiting, keys }) => [
    [
      { text: name, style: "bold" as const },
      "",
      concurrency === null ? "" : String(concurrency),
      rate === null ? "" : `${rate.limit} in ${exactLength(rate.perMs)}`,
      String(open),
      String(waiting),
    ],
    ...keys
      .filter(({ key }) => key !== "")
      .map((each) => ["", each.key, "", "", String(each.open), String(each.waiting)]),
  ]);
  return tableLines(output, TITLES, rows);
}
