import type { Effect } from "@cairnjs/vm";
import type { BlobStore } from "../blobs/blob-store.ts";
import { resolveHistory, resolveRun, resolveSnapshots } from "../blobs/resolve-rows.ts";
import type { Turn } from "../store/load-checkpoint.ts";
import type { OpenEffect } from "../runloop/open-effects.ts";
import type { LoadedVersion, Programs } from "../runloop/programs.ts";
import { replay, type Replayed } from "../runloop/replay.ts";
import { Turns } from "../runloop/turns.ts";
import { type HistoryRow, loadHistory, loadRuns, loadSnapshots, NUMBER_MAX, type RunRow } from "../store/load-runs.ts";
import type { Queryable } from "../store/statement.ts";
import { EngineError } from "./engine-error.ts";

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
  if (row === undefined || row.namespace !== namespace) throw new EngineError("NotFound", `There is no run ${id}`);
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
  if (row.forkedFrom !== null && number <= row.forkedNumber!) return rebuild(sources, row.forkedFrom, number);
  const parts = await resolveSnapshots(blobs, await loadSnapshots(client, [{ id, number }]));
  const stored = await loadHistory(client, [{ id, after: parts.at(-1)?.number ?? 0, upTo: number }]);
  const history = await resolveHistory(blobs, stored);
  const replayed = await replay(version.image, await resolveRun(blobs, row), parts, history, new Turns());
  return { ...replayed, origin: id };
}

export interface Walker {
  /** After each input of the run, of whatever branch. */
  taken(row: HistoryRow, effects: readonly Effect[]): void;
  /** What was open in the state that a fork began with. */
  inherited(row: HistoryRow, open: readonly OpenEffect[]): void;
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
  const rollbacks: Turn[] = [];
  for (let from = 0; from < history.length;) {
    const turn = isTurn(history[from]!) ? history[from]! : null;
    const next = history.findIndex((each, index) => index > from && isTurn(each));
    const inputs = history.slice(turn === null ? from : from + 1, next === -1 ? undefined : next);
    const parts =
      turn === null ? first : await resolveSnapshots(blobs, await loadSnapshots(client, [{ id, number: turn.number }]));
    if (turn?.kind === "rollback") rollbacks.push({ number: turn.number, to: toOf(turn) });
    if (turn?.kind === "fork") walker.inherited(turn, JSON.parse(parts.at(-1)!.open) as OpenEffect[]);
    await replay(version.image, run, parts, inputs, new Turns(), {
      taken: (input, effects) => walker.taken(input, effects),
    });
    from = next === -1 ? history.length : next;
  }
  return { rollbacks, last: history.at(-1)?.number ?? 0 };
}

/** It has a snapshot of its own, and does not follow from what was before. */
function isTurn({ kind }: HistoryRow): boolean {
  return kind === "rollback" || kind === "fork";
}

function toOf({ value }: HistoryRow): number {
  return (JSON.parse(value!) as { readonly to: number }).to;
}
