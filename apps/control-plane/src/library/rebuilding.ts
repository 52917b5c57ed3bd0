import type { BlobStore } from "../blobs/blob-store.ts";
import { resolveHistory, resolveRun, resolveSnapshots } from "../blobs/resolve-rows.ts";
import type { Turn } from "../store/load-checkpoint.ts";
import type { LoadedVersion, Programs } from "../runloop/programs.ts";
import { replay, type Replayed } from "../runloop/replay.ts";
import { Turns } from "../runloop/turns.ts";
import {
  type HistoryRow,
  loadHistory,
  loadRuns,
  loadSnapshots,
  NUMBER_MAX,
  type RunRow,
  type SnapshotRow,
  type StoredSnapshot,
} from "../store/load-runs.ts";
import type { Queryable } from "../store/statement.ts";
import { EngineError, missingError, originalGone } from "./engine-error.ts";
import { isTurn, type Walker, walkHistory } from "./walk-history.ts";

/** What a run is looked at through. */
export interface Sources {
  readonly client: Queryable;
  readonly programs: Programs;
  readonly blobs: BlobStore;
  readonly namespace: string;
}

export interface FoundRun {
  readonly row: RunRow;
  readonly version: LoadedVersion;
}

/** A run of the namespace. */
export async function findWithProgram({ client, programs, namespace }: Sources, id: string): Promise<FoundRun> {
  const [row] = await loadRuns(client, [id]);
  if (row === undefined || row.namespace !== namespace) throw missingError(id);
  const version = await programs.find(namespace, row.type, row.version);
  if (version === null) throw new EngineError("UnknownType", `The version ${row.version} of ${row.type} is gone`);
  return { row, version };
}

/** The state after an input, or after the last one before it, and whose it is: before it was one, a fork was its original. */
export async function rebuild(
  sources: Sources,
  id: string,
  number: number,
): Promise<Replayed & { readonly origin: string }> {
  const { client, blobs } = sources;
  const { row, version } = await findWithProgram(sources, id);
  if (row.forkedFrom !== null && number <= row.forkedNumber!) {
    if ((await loadRuns(client, [row.forkedFrom])).length === 0) throw originalGone(id, row.forkedFrom);
    return rebuild(sources, row.forkedFrom, number);
  }
  const { parts, stored } = await loadState(client, id, number);
  const [snapshots, history] = [await resolveSnapshots(blobs, parts), await resolveHistory(blobs, stored)];
  const replayed = await replay(version.image, await resolveRun(blobs, row), snapshots, history, new Turns());
  return { ...replayed, origin: id };
}

/** A run that is rolled back at every look was not looked at in ten. */
const LOOKS_MAX = 10;

/** Snapshots, and the inputs after them: two looks, between which the run may be rolled back. Then there is a later snapshot. */
async function loadState(
  client: Queryable,
  id: string,
  number: number,
): Promise<{ readonly parts: StoredSnapshot[]; readonly stored: HistoryRow[] }> {
  for (let looks = 1; ; looks++) {
    const parts = await loadSnapshots(client, [{ id, number }]);
    const stored = await loadHistory(client, [{ id, after: parts.at(-1)?.number ?? 0, upTo: number }]);
    if (looks === LOOKS_MAX || !stored.some(isTurn)) return { parts, stored };
  }
}

/**
 * Takes all inputs of a run again, or those after one and perhaps some before: from the start or a snapshot, and after each
 * rollback from the one that was taken then.
 */
export async function walk(
  sources: Sources,
  id: string,
  walker: Walker,
  after = 0,
): Promise<{ readonly rollbacks: readonly Turn[]; readonly last: number }> {
  const { client, blobs } = sources;
  const { row, version } = await findWithProgram(sources, id);
  const run = await resolveRun(blobs, row);
  const first = after === 0 ? [] : await resolveSnapshots(blobs, await loadSnapshots(client, [{ id, number: after }]));
  const begin = first.at(-1)?.number ?? 0;
  const history = await resolveHistory(blobs, await loadHistory(client, [{ id, after: begin, upTo: NUMBER_MAX }]));
  const partsOf = async (number: number): Promise<SnapshotRow[]> =>
    resolveSnapshots(blobs, await loadSnapshots(client, [{ id, number }]));
  return walkHistory({ image: version.image, run, first, history, partsOf }, walker);
}
