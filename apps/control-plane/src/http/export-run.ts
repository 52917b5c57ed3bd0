import { EXPORT_FORMAT, type EventOfRun, type ExportedRun, type ExportedSnapshot } from "@cairnjs/schemas/rest";
import { resolveAttempts, resolveHistory, resolveRun, resolveSnapshots } from "../blobs/resolve-rows.ts";
import { storedOrNull } from "./json-values.ts";
import { attemptOf, detailsOf, eventOf } from "./run-views.ts";
import { listEvents } from "../store/list-events.ts";
import { loadAttempts } from "../store/load-attempts.ts";
import { type HistoryRow, loadHistory, loadSnapshots, NUMBER_MAX } from "../store/load-runs.ts";
import { findVersion } from "../store/register-version.ts";
import { requireRunWithValues } from "../library/require-run.ts";
import { findWithProgram, type Sources } from "../library/rebuilding.ts";
import { isTurn } from "../library/walk-history.ts";
import { StoredJson } from "../stored-json.ts";

/** Read at a time. */
const EVENTS_AT_A_TIME = 1_000;

/** A run, with all that it takes to run it again: `replayRun` does. */
export async function exportRun(sources: Sources, id: string, now: number): Promise<ExportedRun> {
  const { client, blobs, namespace } = sources;
  const { row } = await findWithProgram(sources, id);
  const version = (await findVersion(client, namespace, row.type, row.version))!;
  const history = await resolveHistory(blobs, await loadHistory(client, [{ id, after: 0, upTo: NUMBER_MAX }]));
  const { programHash, kind, program, inputSchema } = version;
  const view = await requireRunWithValues(client, namespace, id);
  return {
    format: EXPORT_FORMAT,
    exportedAt: new Date(now).toISOString(),
    run: await detailsOf(blobs, view),
    payload: (await resolveRun(blobs, row)).payload,
    version: {
      kind,
      programHash,
      program: new StoredJson(program),
      inputSchema: storedOrNull(inputSchema),
    },
    history: history.map(({ runId: _runId, at, ...input }) => ({ ...input, atMs: at })),
    snapshots: await snapshotsOf(sources, id, history),
    attempts: (await resolveAttempts(blobs, id, await loadAttempts(client, id))).map(attemptOf),
    events: await allEvents(sources, id),
  };
}

/** Those alone that the inputs do not lead to. */
async function snapshotsOf(
  { client, blobs }: Sources,
  id: string,
  history: readonly HistoryRow[],
): Promise<ExportedSnapshot[]> {
  const parts = new Map<number, ExportedSnapshot>();
  for (const { number } of history.filter(isTurn)) {
    for (const part of await resolveSnapshots(blobs, await loadSnapshots(client, [{ id, number }]))) {
      const { base, bytes, open } = part;
      parts.set(part.number, { number: part.number, base, bytes: bytes.toString("base64"), open });
    }
  }
  return [...parts.values()];
}

async function allEvents({ client }: Sources, id: string): Promise<EventOfRun[]> {
  const events: EventOfRun[] = [];
  const look = { newestFirst: false, kind: null, limit: EVENTS_AT_A_TIME };
  for (let after = 0; ; after = events.at(-1)!.id) {
    const rows = await listEvents(client, id, { ...look, after });
    events.push(...rows.map(eventOf));
    if (rows.length < EVENTS_AT_A_TIME) return events;
  }
}
