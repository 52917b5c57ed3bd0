import type { Machine } from "@cairnjs/vm";
import type { BlobStore } from "../blobs/blob-store.ts";
import { valueOf } from "../blobs/stored-values.ts";
import { resolveHistory, resolveRun, resolveSnapshots } from "../blobs/resolve-rows.ts";
import {
  loadAnswers,
  loadLastTries,
  loadRollbacks,
  loadSignals,
  loadStarts,
  loadTurns,
} from "../store/load-checkpoint.ts";
import {
  type HistoryRow,
  loadHistory,
  loadRuns,
  loadSnapshots,
  NUMBER_MAX,
  type RunRow,
  type StoredSnapshot,
} from "../store/load-runs.ts";
import type { Queryable } from "../store/statement.ts";
import type { HeldRun } from "./held-run.ts";
import { Lineage } from "./lineage.ts";
import type { OpenEffect } from "./open-effects.ts";
import { replay } from "./replay.ts";
import { Turns } from "./turns.ts";

/** Where the state is that a run goes on from: after an input of its own, or of the run that it is a fork of. */
export interface Point {
  readonly runId: string;
  readonly number: number;
}

/** A state that a run goes on from. */
export interface Checkpoint {
  readonly point: Point;
  readonly machine: Machine;
  readonly open: ReadonlyMap<string, OpenEffect>;
  /** Signals that the run has taken since, in their order. */
  readonly signals: readonly HistoryRow[];
  /** Of calls: the number of the last try that has ended. */
  readonly tries: ReadonlyMap<string, number>;
  /** What was to be undone at that time still is: the run has not begun again since. */
  readonly sameAttempt: boolean;
  /** The run has not been rolled back to before it. */
  readonly isCurrent: boolean;
  /** What calls and children were answered with since, in that order. */
  readonly answers: readonly HistoryRow[];
}

/** What is stored of it. */
export interface StoredCheckpoint extends Omit<Checkpoint, "machine" | "open" | "answers"> {
  /** Of the run whose state it is. */
  readonly row: RunRow | undefined;
  readonly parts: readonly StoredSnapshot[];
  readonly history: readonly HistoryRow[];
  /** What was open after each rollback, as it is stored. */
  readonly turns: readonly string[];
}

/** Only what is committed: whoever asks adds what is not. */
export async function readCheckpoint(client: Queryable, point: Point): Promise<StoredCheckpoint> {
  const { runId: id, number } = point;
  const parts = await loadSnapshots(client, [{ id, number }]);
  const [rows, history, rollbacks, signals, starts, tries, turns] = await Promise.all([
    loadRuns(client, [id]),
    loadHistory(client, [{ id, after: parts.at(-1)?.number ?? 0, upTo: number }]),
    loadRollbacks(client, id),
    loadSignals(client, id, number),
    loadStarts(client, id, number),
    loadLastTries(client, id),
    loadTurns(client, id),
  ]);
  const current = new Lineage(rollbacks, NUMBER_MAX);
  return {
    point,
    turns,
    row: rows[0],
    parts,
    history,
    signals: signals.filter((each) => current.has(each.number)),
    tries,
    sameAttempt: !starts.some((each) => current.has(each)),
    isCurrent: current.has(number),
  };
}

export async function checkpointFrom(
  blobs: BlobStore,
  { version }: HeldRun,
  { row, parts, history, turns, ...stored }: StoredCheckpoint,
): Promise<Checkpoint> {
  const { runId, number } = stored.point;
  if (row === undefined) throw new Error(`There is no run ${runId} any more`);
  const origin = await resolveRun(blobs, row);
  const snapshots = await resolveSnapshots(blobs, parts);
  const inputs = await resolveHistory(blobs, history);
  const { machine, open } = await replay(version.image, origin, snapshots, inputs, new Turns());
  if (machine.inputNumber !== number) throw new Error(`The run ${runId} has no state ${number} to go on from`);
  const tries = new Map(stored.tries);
  for (const turn of turns) {
    const opened = JSON.parse(await valueOf(blobs, turn, runId, "What was open after a rollback")) as OpenEffect[];
    for (const effect of opened) noteTries(tries, effect);
  }
  return { ...stored, tries, machine, open, signals: await resolveHistory(blobs, stored.signals), answers: [] };
}

/** The try that an earlier rollback has made may have ended or not. */
function noteTries(tries: Map<string, number>, effect: OpenEffect): void {
  if (effect.kind !== "call" || effect.tried === undefined) return;
  tries.set(effect.id, Math.max(effect.tried + 1, tries.get(effect.id) ?? 0));
}

/** What the calls and children that are open there were answered with later, for a run that may not make them. */
export async function readAnswers(client: Queryable, { point, open }: Checkpoint): Promise<HistoryRow[]> {
  const { runId, number } = point;
  const [rollbacks, answers] = await Promise.all([
    loadRollbacks(client, runId),
    loadAnswers(client, runId, number, [...open.keys()]),
  ]);
  const current = new Lineage(rollbacks, NUMBER_MAX);
  // Of what was done again after a rollback, the answer that counts in the end is the last.
  const counts = (each: HistoryRow): number => (current.has(each.number) ? 1 : 0);
  return answers.sort((a, b) => counts(a) - counts(b) || a.number - b.number);
}

export async function withAnswers(
  blobs: BlobStore,
  checkpoint: Checkpoint,
  answers: readonly HistoryRow[],
): Promise<Checkpoint> {
  return { ...checkpoint, answers: await resolveHistory(blobs, answers) };
}
