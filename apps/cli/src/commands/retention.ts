import type { RetentionPath, RetentionPreviewed, RetentionSummary } from "@cairnjs/schemas/rest";
import { confirm } from "../output/confirm.ts";
import type { Output } from "../output/output.ts";
import { tableLines } from "../output/table.ts";
import { relativeTime } from "../output/times.ts";
import { collected, type RestClient } from "../rest/rest-client.ts";

interface Flags {
  readonly json?: true;
}

interface Changing extends Flags {
  readonly yes?: true;
}

function pathOf(what: string, type: string): string {
  return `/retention/${encodeURIComponent(what)}/${encodeURIComponent(type)}`;
}

/** `cairn retention list`: rules, and what holds where there are none. */
export async function listRetention(client: RestClient, flags: Flags, output: Output): Promise<number> {
  const rules = await collected(client.list<RetentionSummary>("/retention"));
  if (flags.json === true) {
    output.line(JSON.stringify({ rules }));
    return 0;
  }
  const now = Date.now();
  const rows = rules.map(({ what, type, keep, changedAt }) => [
    { text: what, style: "bold" as const },
    type,
    keep,
    changedAt === null ? { text: "as usual", style: "dim" as const } : relativeTime(changedAt, now),
  ]);
  for (const line of tableLines(output, ["WHAT", "TYPE", "KEPT", "SET"], rows)) output.line(line);
  return 0;
}

/** `cairn retention set WHAT TYPE KEEP`. What is over then is removed: that is asked for. */
export async function setRetention(
  client: RestClient,
  rule: { readonly what: string; readonly type: string; readonly keep: string },
  flags: Changing,
  output: Output,
): Promise<number> {
  const { what, type, keep } = rule;
  if (keep !== "forever") {
    await confirm(`remove ${what} of ${type} that are older than ${keep}, from now on?`, flags.yes === true);
  }
  const set = await client.put<RetentionSummary>(pathOf(what, type), { keep });
  output.line(flags.json === true ? JSON.stringify(set) : `${set.what} of ${set.type}: kept ${keptText(set.keep)}`);
  return 0;
}

function keptText(keep: string): string {
  return keep === "forever" ? "forever" : `for ${keep}`;
}

/** `cairn retention remove WHAT TYPE`: what holds without it may be shorter. */
export async function removeRetention(
  client: RestClient,
  what: string,
  type: string,
  flags: Changing,
  output: Output,
): Promise<number> {
  await confirm(`keep ${what} of ${type} as long as is usual?`, flags.yes === true);
  const removed = await client.delete<RetentionPath>(pathOf(what, type));
  output.line(flags.json === true ? JSON.stringify(removed) : `${removed.what} of ${removed.type}: as usual`);
  return 0;
}

/** `cairn retention preview`: what would be removed now. */
export async function previewRetention(client: RestClient, flags: Flags, output: Output): Promise<number> {
  const preview = await client.get<RetentionPreviewed>("/retention/preview");
  if (flags.json === true) {
    output.line(JSON.stringify(preview));
    return 0;
  }
  const { types, outbox } = preview;
  if (types.length + outbox.length === 0) output.note("nothing is over");
  if (types.length > 0) {
    const rows = types.map(({ type, runs, events }) => [
      { text: type, style: "bold" as const },
      String(runs),
      String(events),
    ]);
    for (const line of tableLines(output, ["TYPE", "RUNS", "EVENTS"], rows)) output.line(line);
  }
  if (outbox.length > 0) {
    if (types.length > 0) output.line();
    const rows = outbox.map(({ type, events }) => [{ text: type, style: "bold" as const }, String(events)]);
    for (const line of tableLines(output, ["TYPE", "PUBLISHED"], rows)) output.line(line);
  }
  return 0;
}
