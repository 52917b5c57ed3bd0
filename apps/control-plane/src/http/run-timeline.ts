import type { TimelineEntry } from "@cairnjs/schemas/rest";
import { resolveAttempts } from "../blobs/resolve-rows.ts";
import { jsonOfText, timeOf } from "./json-values.ts";
import { attemptOf, eventOf, inputOf } from "./run-views.ts";
import type { Engine } from "../library/engine.ts";
import { readable } from "../library/readable.ts";
import { runOf } from "../library/run-of.ts";
import { listAudit } from "../store/audit-log.ts";
import type { RunView } from "../store/find-runs.ts";
import { listEvents } from "../store/list-events.ts";
import { loadAttempts } from "../store/load-attempts.ts";

/** Of each kind. */
const ENTRIES_MAX = 100_000;

interface Placed {
  readonly atMs: number;
  readonly entry: TimelineEntry;
}

/** All that is known of a run in the order in which it was: what happened to it, what it took, what was tried, and who did what, for those who may know that. */
export async function timelineOf(
  engine: Engine,
  { id, namespace }: RunView,
  mayKnowWho: boolean,
): Promise<TimelineEntry[]> {
  const { client, blobs } = engine;
  const [events, inputs, rows, audit] = await Promise.all([
    listEvents(client, id, { after: null, newestFirst: false, kind: null, limit: ENTRIES_MAX }),
    runOf(engine, namespace, id).history(),
    loadAttempts(client, id),
    mayKnowWho ? listAudit(client, namespace, { ...ALL, runId: id }) : [],
  ]);
  const attempts = await readable(resolveAttempts(blobs, id, rows));
  const placed: Placed[] = [
    ...audit.map(({ at, detail, ...row }) => {
      const entry = { ...row, at: timeOf(at), detail: jsonOfText(detail) };
      return {
        atMs: at,
        entry: { at: timeOf(at), kind: "audit" as const, title: `${row.action} by ${row.who}`, entry },
      };
    }),
    ...events.map((event) => ({
      atMs: event.at,
      entry: { at: timeOf(event.at), kind: "event" as const, title: event.kind, entry: eventOf(event) },
    })),
    ...inputs.map((input) => {
      const entry = inputOf(input);
      const what = entry.name ?? entry.node ?? "";
      return {
        atMs: Date.parse(entry.at),
        entry: { at: entry.at, kind: "input" as const, title: `${entry.kind} ${what}`.trim(), entry },
      };
    }),
    ...attempts.map((attempt) => {
      const entry = attemptOf(attempt);
      const title = `try ${attempt.attempt} of ${attempt.call} ${attempt.outcome}`;
      return { atMs: attempt.endedAt, entry: { at: entry.endedAt, kind: "attempt" as const, title, entry } };
    }),
  ];
  return placed.toSorted((a, b) => a.atMs - b.atMs).map(({ entry }) => entry);
}

const ALL = { who: null, action: null, since: null, until: null, after: null, newestFirst: false, limit: ENTRIES_MAX };
