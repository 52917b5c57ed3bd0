import type { TimelineEntry } from "@cairnjs/schemas/rest";
import { resolveAttempts } from "../blobs/resolve-rows.ts";
import type { Engine } from "../library/engine.ts";
import { readable } from "../library/readable.ts";
import { inputsOf } from "../library/run-inputs.ts";
import type { RunSummaryView } from "../store/find-runs.ts";
import { loadPlaces, type TimelinePlace, TIMELINE_SOURCES, type TimelineSource } from "../store/list-timeline.ts";
import type { AttemptRow } from "../store/load-attempts.ts";
import { StoredJson } from "../stored-json.ts";
import { timeOf } from "./json-values.ts";
import { strangeCursor } from "./paging.ts";
import { attemptOf, eventOf, inputOf } from "./run-views.ts";

type Kind = TimelineEntry["kind"];

const SOURCES: Readonly<Record<Kind, readonly TimelineSource[]>> = {
  audit: ["audit"],
  event: ["event"],
  input: ["input"],
  attempt: ["succeeded", "failed"],
};

/** Who did what is for those who may know that. */
export function sourcesOf(kinds: readonly Kind[] | undefined, mayKnowWho: boolean): readonly TimelineSource[] {
  const wanted = kinds ?? (Object.keys(SOURCES) as Kind[]);
  return wanted.filter((kind) => mayKnowWho || kind !== "audit").flatMap((kind) => SOURCES[kind]);
}

/** What is there: what happened to the run, what it took, what was tried, and who did what. What was removed meanwhile is left out. */
export async function entriesAt(
  { client, blobs }: Engine,
  run: RunSummaryView,
  places: readonly TimelinePlace[],
): Promise<TimelineEntry[]> {
  const rows = await loadPlaces(client, run, places);
  const entries = new Map<string, TimelineEntry>();
  for (const { at, detail, ...row } of rows.audit) {
    const entry = { ...row, at: timeOf(at), detail: new StoredJson(detail) };
    const title = `${row.action} by ${row.who}`;
    entries.set(keyOf("audit", row.id), { at: entry.at, kind: "audit", title, entry });
  }
  for (const event of rows.events) {
    const entry = eventOf(event);
    entries.set(keyOf("event", event.id), { at: entry.at, kind: "event", title: event.kind, entry });
  }
  const inputs = rows.inputs.length === 0 ? [] : await inputsOf(client, run.id, rows.inputs);
  for (const entry of inputs.map(inputOf)) {
    const title = `${entry.kind} ${entry.name ?? entry.node ?? ""}`.trim();
    entries.set(keyOf("input", entry.number), { at: entry.at, kind: "input", title, entry });
  }
  for (const { number, ...attempt } of rows.succeeded) entries.set(keyOf("succeeded", number), tryOf(attempt));
  for (const attempt of await readable(resolveAttempts(blobs, run.id, rows.failed)))
    entries.set(keyOf("failed", attempt.attempt, attempt.call), tryOf(attempt));
  return places.flatMap(({ source, number, call }) => entries.get(keyOf(source, number, call)) ?? []);
}

function tryOf(attempt: AttemptRow): TimelineEntry {
  const entry = attemptOf(attempt);
  const title = `try ${attempt.attempt} of ${attempt.call} ${attempt.outcome}`;
  return { at: entry.endedAt, kind: "attempt", title, entry };
}

function keyOf(source: TimelineSource, number: number, call = ""): string {
  return `${source} ${number} ${call}`;
}

export function placeCursor({ at, input, source, number, call }: TimelinePlace): string {
  return [at, input, TIMELINE_SOURCES.indexOf(source), number, call].join("_");
}

export function placeIn(cursor: string): TimelinePlace {
  const [, at, input, rank, number, call] = /^(\d{1,15})_(\d{1,9})_(\d)_(\d{1,15})_(.{0,500})$/.exec(cursor) ?? [];
  const source = TIMELINE_SOURCES[Number(rank)];
  if (source === undefined || call === undefined) throw strangeCursor();
  return { at: Number(at), input: Number(input), source, number: Number(number), call };
}
