import type { BulkAction, BulkRunsAnswer, BulkRunsBody } from "@cairnjs/schemas/rest";
import { confirm } from "../../output/confirm.ts";
import { counted } from "../../output/counted.ts";
import type { Output } from "../../output/output.ts";
import { Progress } from "../../output/progress.ts";
import type { RestClient } from "../../rest/rest-client.ts";
import { jsonOf } from "../flag-values.ts";
import { filterBody, type RunFilterFlags } from "./run-filter.ts";
import { runLines } from "./run-texts.ts";

export interface BulkFlags extends RunFilterFlags {
  readonly dryRun?: true;
  readonly yes?: true;
  readonly json?: true;
  readonly reason?: string;
  /** Of a signal. */
  readonly value?: string;
}

interface Sum {
  matched: number;
  done: number;
  readonly refused: Map<string, BulkRunsAnswer["refused"][number]>;
}

/** `cairn runs cancel --status failed`: for all runs that the flags choose. 1 if one of them refuses it. */
export async function orderMany(
  client: RestClient,
  action: BulkAction,
  flags: BulkFlags,
  output: Output,
  name?: string,
  asks: (question: string, isSure: boolean) => Promise<void> = confirm,
): Promise<number> {
  const { reason, value } = flags;
  const body: BulkRunsBody = {
    action,
    filter: filterBody(flags),
    ...(reason === undefined ? {} : { reason }),
    ...(name === undefined ? {} : { name }),
    ...(value === undefined ? {} : { value: jsonOf("--value", value) }),
  };
  const count = (): Promise<BulkRunsAnswer> => client.post("/runs/bulk", { ...body, dryRun: true });
  if (flags.dryRun === true) return tellDry(await count(), action, flags, output);
  let total: number | null = null;
  // Who says yes beforehand is not asked, and nothing is counted for him.
  if (flags.yes !== true) {
    const dry = await count();
    if (dry.done > 0 || dry.next !== null) await asks(questionOf(action, dry), false);
    if (dry.next === null) total = dry.matched;
  }
  const sum = await doAll(client, body, total, output);
  const refused = [...sum.refused.values()];
  const { matched, done } = sum;
  if (flags.json === true) output.line(JSON.stringify({ matched, done, refused }));
  else {
    output.line(`${action} asked for: ${counted(done, "run")} of ${matched}`);
    for (const { code, count, detail } of refused)
      output.problem(`${counted(count, "run")} refused: ${code}: ${detail}`);
  }
  return refused.length === 0 ? 0 : 1;
}

/** Page by page. The key is the command's own: a page that is asked for again is done once. */
async function doAll(client: RestClient, body: BulkRunsBody, total: number | null, output: Output): Promise<Sum> {
  const sum: Sum = { matched: 0, done: 0, refused: new Map() };
  const headers = { "idempotency-key": crypto.randomUUID() };
  const progress = new Progress(output, body.action);
  try {
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page: BulkRunsAnswer = await client.post(
        "/runs/bulk",
        { ...body, ...(cursor === undefined ? {} : { cursor }) },
        headers,
      );
      sum.matched += page.matched;
      sum.done += page.done;
      for (const refusal of page.refused) {
        const count = (sum.refused.get(refusal.code)?.count ?? 0) + refusal.count;
        sum.refused.set(refusal.code, { ...(sum.refused.get(refusal.code) ?? refusal), count });
      }
      progress.show(sum.matched, total);
      cursor = page.next;
    }
  } finally {
    progress.end();
  }
  return sum;
}

function tellDry(dry: BulkRunsAnswer, action: BulkAction, flags: BulkFlags, output: Output): number {
  const { matched, done, refused, sample, next } = dry;
  if (flags.json === true) output.line(JSON.stringify({ matched, done, refused, isAll: next === null, sample }));
  else {
    output.line(`${action} would be asked for: ${atLeast(dry)} of ${matched}`);
    for (const { code, count, detail } of refused)
      output.line(`${counted(count, "run")} would refuse it: ${code}: ${detail}`);
    if (sample.length > 0) for (const line of runLines(output, sample, Date.now())) output.line(line);
    if (matched > sample.length) output.line(`… and ${matched - sample.length} others`);
  }
  return 0;
}

/** A count ends after some time, so that those behind it may be done although none of those before it is. */
function questionOf(action: BulkAction, dry: BulkRunsAnswer): string {
  if (dry.done > 0) return `${action} ${atLeast(dry)}?`;
  const none =
    dry.matched === 0 ? "none was found so far" : `${counted(dry.matched, "run")} counted, and all refuse it`;
  return `${none}, but there may be more: ${action} those?`;
}

function atLeast({ done, next }: BulkRunsAnswer): string {
  return `${next === null ? "" : "at least "}${counted(done, "run")}`;
}
