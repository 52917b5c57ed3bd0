import type { Backfilled, ScheduleDetails, ScheduleSummary, TriggeredRun } from "@cairnjs/schemas/rest";
import { confirm } from "../output/confirm.ts";
import { counted } from "../output/counted.ts";
import type { Output } from "../output/output.ts";
import { type Cell, tableLines, tellAll } from "../output/table.ts";
import { exactLength } from "@cairnjs/schemas/length-of-time";
import { relativeTime } from "../output/times.ts";
import { collected, type RestClient } from "../rest/rest-client.ts";
import { jsonOf, lengthOf, listOf, momentOf } from "./flag-values.ts";
import { shownValue } from "./runs/run-texts.ts";

interface Flags {
  readonly json?: true;
}

/** Which schedule. */
export interface Key {
  readonly type: string;
  readonly name: string;
}

function pathOf({ type, name }: Key): string {
  return `/schedules/${encodeURIComponent(type)}/${encodeURIComponent(name)}`;
}

export interface ListSchedulesFlags extends Flags {
  readonly type?: string;
  readonly status?: string;
  readonly limit: number;
}

/** `cairn schedules list`: in the order of types and names. */
export async function listSchedules(client: RestClient, flags: ListSchedulesFlags, output: Output): Promise<number> {
  const { type, status, limit } = flags;
  const schedules = await collected(client.list<ScheduleSummary>("/schedules", { type, status }, limit));
  if (flags.json === true) output.line(JSON.stringify({ schedules }));
  else if (schedules.length === 0) output.note("there are no such schedules");
  else for (const line of scheduleLines(output, schedules, Date.now())) output.line(line);
  return 0;
}

const TITLES = ["TYPE", "NAME", "WHEN", "STATUS", "NEXT", "LAST", "STARTED", "SKIPPED", "MISSED", ""];

function scheduleLines(output: Output, schedules: readonly ScheduleSummary[], now: number): string[] {
  const rows = schedules.map((schedule) => [
    { text: schedule.type, style: "bold" as const },
    schedule.name,
    whenText(schedule),
    statusOf(schedule),
    relativeTime(schedule.nextRunAt, now),
    relativeTime(schedule.lastRunAt, now),
    String(schedule.fired),
    String(schedule.skipped),
    String(schedule.missed),
    { text: schedule.lastError ?? schedule.pauseReason ?? "", style: "dim" as const },
  ]);
  return tableLines(output, TITLES, rows);
}

function whenText({ cron, timeZone, everyMs, jitterMs }: ScheduleSummary): string {
  const jitter = jitterMs === 0 ? "" : ` + up to ${exactLength(jitterMs)}`;
  return `${cron === null ? `every ${exactLength(everyMs!)}` : `${cron} ${timeZone ?? ""}`}${jitter}`;
}

function statusOf({ status }: ScheduleSummary): Cell {
  return { text: status, style: status === "active" ? "green" : "yellow" };
}

/** `cairn schedules show TYPE NAME`. */
export async function showSchedule(
  client: RestClient,
  key: Key,
  flags: Flags & { readonly upcoming: number },
  output: Output,
): Promise<number> {
  const schedule = await client.get<ScheduleDetails>(pathOf(key), { upcoming: flags.upcoming });
  if (flags.json === true) output.line(JSON.stringify(schedule));
  else tellSchedule(schedule, output);
  return 0;
}

function tellSchedule(schedule: ScheduleDetails, output: Output): void {
  const now = Date.now();
  const { text, style = "bold" } = statusOf(schedule);
  const { pauseReason, lastRunId, lastDueAt, lastError, maxAttempts, deadlineMs, priority } = schedule;
  const withReason = pauseReason === null ? "" : `  ${pauseReason}`;
  const last = [relativeTime(schedule.lastRunAt, now), lastRunId ?? "", lastDueAt === null ? "" : `for ${lastDueAt}`];
  const { fired, skipped, missed } = schedule;
  tellAll(output, [
    ["schedule", `${output.paint("bold", schedule.type)}  ${schedule.name}`],
    ["when", whenText(schedule)],
    ["status", `${output.paint(style, text)}${withReason}`],
    ["input", shownValue(schedule.payload)],
    ["overlap", schedule.allowDuplicate ? "starts beside runs that live" : "skipped while a run lives"],
    ["catch-up", schedule.catchUp],
    ["priority", priority === 0 ? "" : String(priority)],
    ["attempts", maxAttempts === null ? "" : String(maxAttempts)],
    ["deadline", deadlineMs === null ? "" : `${exactLength(deadlineMs)} after a run begins`],
    ["letters", schedule.deadLetterType ?? ""],
    ["tags", schedule.tags.join(", ")],
    ["last", last.filter((part) => part !== "").join("  ")],
    ["runs", `${fired} started, ${skipped} skipped, ${missed} missed`],
    ["error", lastError === null ? "" : `${lastError} (${relativeTime(schedule.lastErrorAt, now)})`],
    ...schedule.upcoming.map((at, index): [string, string] => [
      index === 0 ? "next" : "then",
      `${at}  ${relativeTime(at, now)}`,
    ]),
  ]);
}

export interface SetScheduleFlags extends Flags {
  readonly cron?: string;
  readonly timeZone?: string;
  readonly every?: string;
  readonly anchor?: string;
  readonly jitter?: string;
  readonly input?: string;
  readonly allowDuplicate?: true;
  readonly catchUp?: string;
  readonly priority?: number;
  readonly maxAttempts?: number;
  readonly tags?: string;
  readonly deadline?: string;
  readonly deadLetterType?: string;
  readonly keepPaused?: true;
}

/** `cairn schedules set TYPE NAME`: makes it, or makes it what is said. */
export async function setSchedule(
  client: RestClient,
  key: Key,
  flags: SetScheduleFlags,
  output: Output,
): Promise<number> {
  const { cron, timeZone, allowDuplicate, catchUp, priority, maxAttempts, deadLetterType } = flags;
  const body = {
    cron,
    timeZone,
    everyMs: lengthOf("--every", flags.every),
    anchor: momentOf("--anchor", flags.anchor),
    jitterMs: lengthOf("--jitter", flags.jitter),
    payload: jsonOf("--input", flags.input),
    allowDuplicate,
    catchUp,
    priority,
    maxAttempts,
    tags: listOf(flags.tags),
    deadlineMs: lengthOf("--deadline", flags.deadline),
    deadLetterType,
    reactivate: flags.keepPaused === true ? false : undefined,
  };
  return told(await client.put<ScheduleSummary>(pathOf(key), body), flags, output);
}

/** `cairn schedules pause|resume TYPE NAME`. */
export async function orderSchedule(
  client: RestClient,
  order: "pause" | "resume",
  key: Key,
  flags: Flags & { readonly reason?: string },
  output: Output,
): Promise<number> {
  const { reason } = flags;
  return told(await client.post<ScheduleSummary>(`${pathOf(key)}/${order}`, { reason }), flags, output);
}

function told(schedule: ScheduleSummary, flags: Flags, output: Output): number {
  const { type, name, status, nextRunAt } = schedule;
  const next = nextRunAt === null ? "" : `, next ${nextRunAt} (${relativeTime(nextRunAt, Date.now())})`;
  output.line(flags.json === true ? JSON.stringify(schedule) : `${type} ${name}: ${status}${next}`);
  return 0;
}

/** `cairn schedules trigger TYPE NAME`: prints the id of the run. */
export async function triggerSchedule(
  client: RestClient,
  key: Key,
  flags: Flags & { readonly allowDuplicate?: true },
  output: Output,
): Promise<number> {
  const { allowDuplicate } = flags;
  const run = await client.post<TriggeredRun>(`${pathOf(key)}/trigger`, { allowDuplicate });
  output.line(flags.json === true ? JSON.stringify(run) : run.id);
  return 0;
}

/** `cairn schedules backfill TYPE NAME --from TIME --to TIME`. */
export async function backfillSchedule(
  client: RestClient,
  key: Key,
  flags: Flags & { readonly from: string; readonly to?: string },
  output: Output,
): Promise<number> {
  const body = { from: momentOf("--from", flags.from), to: momentOf("--to", flags.to) };
  const done = await client.post<Backfilled>(`${pathOf(key)}/backfill`, body);
  output.line(flags.json === true ? JSON.stringify(done) : `${counted(done.started, "run")} started`);
  return 0;
}

/** `cairn schedules delete TYPE NAME`: its runs stay. */
export async function deleteSchedule(
  client: RestClient,
  key: Key,
  flags: Flags & { readonly yes?: true },
  output: Output,
): Promise<number> {
  await confirm(`delete the schedule ${key.name} of ${key.type}?`, flags.yes === true);
  const gone = await client.delete<Key>(pathOf(key));
  output.line(flags.json === true ? JSON.stringify(gone) : `${gone.type} ${gone.name}: deleted`);
  return 0;
}
