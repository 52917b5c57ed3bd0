import type { ChangedLetters, OutboxCounts, OutboxDetails, OutboxSummary } from "@cairnjs/schemas/rest";
import { confirm } from "../output/confirm.ts";
import { counted } from "../output/counted.ts";
import type { Output } from "../output/output.ts";
import { tableLines, tellAll } from "../output/table.ts";
import { relativeTime } from "../output/times.ts";
import { collected, type RestClient } from "../rest/rest-client.ts";
import { UsageMistake } from "../usage-mistake.ts";
import { shownValue } from "./runs/run-texts.ts";

interface Flags {
  readonly json?: true;
}

/** `cairn outbox stats`: how it stands. */
export async function outboxStats(client: RestClient, flags: Flags, output: Output): Promise<number> {
  const stats = await client.get<OutboxCounts>("/outbox/stats");
  if (flags.json === true) {
    output.line(JSON.stringify(stats));
    return 0;
  }
  const oldest = relativeTime(stats.oldestPendingAt, Date.now());
  tellAll(output, [
    ["pending", `${stats.pending}${oldest === "" ? "" : `, the oldest of ${oldest}`}`],
    ["waiting", String(stats.waiting)],
    ["dead", String(stats.dead)],
    ...stats.dispatchers.map(({ address, shards }, index): [string, string] => [
      index === 0 ? "published" : " ",
      `by ${address}, ${shards} shards`,
    ]),
  ]);
  if (stats.dispatchers.length === 0) output.note("no process publishes events");
  return 0;
}

export interface ListOutboxFlags extends Flags {
  readonly state?: string;
  readonly type?: string;
  readonly run?: string;
  readonly subscription?: string;
  readonly limit: number;
}

/** `cairn outbox list`: the newest first. */
export async function listOutbox(client: RestClient, flags: ListOutboxFlags, output: Output): Promise<number> {
  const { state, type, run: runId, subscription, limit } = flags;
  const events = await collected(client.list<OutboxSummary>("/outbox", { state, type, runId, subscription }, limit));
  if (flags.json === true) output.line(JSON.stringify({ events }));
  else if (events.length === 0) output.note("there are no such events");
  else for (const line of eventLines(output, events, Date.now())) output.line(line);
  return 0;
}

const STYLES = { pending: "yellow", waiting: "yellow", dead: "red", published: "green" } as const;

function eventLines(output: Output, events: readonly OutboxSummary[], now: number): string[] {
  const rows = events.map(({ id, type, state, runId, createdAt }) => [
    String(id),
    { text: type, style: "bold" as const },
    { text: state, style: STYLES[state] },
    runId,
    relativeTime(createdAt, now),
  ]);
  return tableLines(output, ["ID", "TYPE", "STATE", "RUN", "WRITTEN"], rows);
}

/** `cairn outbox show ID`: what it says, and for whom it waits. */
export async function showEvent(client: RestClient, id: number, flags: Flags, output: Output): Promise<number> {
  const event = await client.get<OutboxDetails>(`/outbox/${id}`);
  if (flags.json === true) {
    output.line(JSON.stringify(event));
    return 0;
  }
  const now = Date.now();
  tellAll(output, [
    ["event", `${event.id}  ${output.paint("bold", event.type)}`],
    ["state", output.paint(STYLES[event.state], event.state)],
    ["run", event.runId],
    ["written", relativeTime(event.createdAt, now)],
    ["published", relativeTime(event.publishedAt, now)],
    ["data", shownValue(event.data)],
  ]);
  if (event.deliveries.length === 0) return 0;
  output.line();
  const rows = event.deliveries.map(({ subscription, state, attempts, nextAt, lastError }) => [
    { text: subscription, style: "bold" as const },
    { text: state, style: STYLES[state] },
    String(attempts),
    relativeTime(nextAt, now),
    { text: lastError ?? "", style: "dim" as const },
  ]);
  for (const line of tableLines(output, ["SUBSCRIPTION", "STATE", "ATTEMPTS", "NEXT", ""], rows)) output.line(line);
  return 0;
}

export interface LetterFlags extends Flags {
  readonly type?: string;
  readonly run?: string;
  readonly subscription?: string;
  readonly all?: true;
  readonly yes?: true;
}

/** `cairn outbox redrive|discard [ID]`: of dead letters alone. */
export async function changeLetters(
  client: RestClient,
  change: "redrive" | "discard",
  id: number | undefined,
  flags: LetterFlags,
  output: Output,
): Promise<number> {
  const { type, run: runId, subscription, all } = flags;
  if ([id, type, runId, subscription, all].every((each) => each === undefined)) {
    throw new UsageMistake("give the id of an event, --subscription, --type, --run, or --all");
  }
  if (change === "discard") await confirm("discard these dead letters for good?", flags.yes === true);
  const done = await client.post<ChangedLetters>(`/outbox/${change}`, { id, type, runId, subscription, all });
  const what = counted(done.count, "dead letter");
  const text = change === "redrive" ? `${what} offered again` : `${what} given up`;
  output.line(flags.json === true ? JSON.stringify(done) : text);
  return 0;
}
