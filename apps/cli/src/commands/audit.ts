import type { AuditEntry, AuditSummary, TimelineEntry, WaitToken } from "@cairnjs/schemas/rest";
import type { Output } from "../output/output.ts";
import { tableLines } from "../output/table.ts";
import { relativeTime } from "../output/times.ts";
import { collected, type RestClient } from "../rest/rest-client.ts";
import { jsonOf, lengthOf, momentOf } from "./flag-values.ts";

interface Flags {
  readonly json?: true;
}

export interface AuditFlags extends Flags {
  readonly who?: string;
  readonly action?: string;
  readonly run?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit: number;
}

/** `cairn audit list`: who did what, the newest first. */
export async function listAudit(client: RestClient, flags: AuditFlags, output: Output): Promise<number> {
  const { who, action, run: runId } = flags;
  const times = { since: momentOf("--since", flags.since), until: momentOf("--until", flags.until) };
  const entries = await collected(client.list<AuditEntry>("/audit", { who, action, runId, ...times }, flags.limit));
  if (flags.json === true) output.line(JSON.stringify({ entries }));
  else if (entries.length === 0) output.note("nothing was done");
  else for (const line of auditLines(output, entries, Date.now())) output.line(line);
  return 0;
}

const TITLES = ["WHEN", "WHO", "ACTION", "OF", "ANSWER", "FROM", "WITH"];

function auditLines(output: Output, entries: readonly AuditEntry[], now: number): string[] {
  const rows = entries.map(({ at, who, action, subject, runId, status, address, detail }) => [
    relativeTime(at, now),
    who,
    { text: action, style: "bold" as const },
    subject ?? runId ?? "",
    status >= 400 ? { text: `refused (${status})`, style: "red" as const } : String(status),
    address ?? "",
    { text: Object.keys(detail).length === 0 ? "" : JSON.stringify(detail), style: "dim" as const },
  ]);
  return tableLines(output, TITLES, rows);
}

/** `cairn audit summary`: how much was done, by action and by caller. */
export async function summarizeAudit(
  client: RestClient,
  flags: Flags & { readonly window: string },
  output: Output,
): Promise<number> {
  const summary = await client.get<AuditSummary>("/audit/summary", { window: flags.window });
  if (flags.json === true) {
    output.line(JSON.stringify(summary));
    return 0;
  }
  output.line(`${summary.total} in the last ${summary.window}, of which ${summary.refused} were refused`);
  if (summary.total === 0) return 0;
  const counts = ({ done, refused }: { readonly done: number; readonly refused: number }): string[] => [
    String(done),
    String(refused),
  ];
  const actions = summary.actions.map((each) => [{ text: each.action, style: "bold" as const }, ...counts(each)]);
  for (const line of ["", ...tableLines(output, ["ACTION", "DONE", "REFUSED"], actions), ""]) output.line(line);
  const callers = summary.callers.map((each) => [{ text: each.who, style: "bold" as const }, ...counts(each)]);
  for (const line of tableLines(output, ["WHO", "DONE", "REFUSED"], callers)) output.line(line);
  return 0;
}

/** `cairn runs timeline ID`: what happened to a run, and who did it. */
export async function showTimeline(client: RestClient, id: string, flags: Flags, output: Output): Promise<number> {
  const entries = await collected(client.list<TimelineEntry>(`/runs/${encodeURIComponent(id)}/timeline`));
  if (flags.json === true) {
    output.line(JSON.stringify({ entries }));
    return 0;
  }
  const rows = entries.map(({ at, kind, title }) => [at, kind, { text: title, style: "bold" as const }]);
  for (const line of tableLines(output, ["AT", "KIND", "WHAT"], rows)) output.line(line);
  return 0;
}

export interface TokenFlags extends Flags {
  readonly value?: string;
  readonly expires: string;
}

/** `cairn runs token ID SIGNAL`: an address with which someone sends this signal. */
export async function makeToken(
  client: RestClient,
  id: string,
  signal: string,
  flags: TokenFlags,
  output: Output,
): Promise<number> {
  const value = jsonOf("--value", flags.value);
  const body = { signal, expiresInMs: lengthOf("--expires", flags.expires), ...(value === undefined ? {} : { value }) };
  const made = await client.post<WaitToken>(`/runs/${encodeURIComponent(id)}/tokens`, body);
  output.line(flags.json === true ? JSON.stringify(made) : made.url);
  return 0;
}
