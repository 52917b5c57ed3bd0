import type { Machine } from "@cairnjs/vm";
import type { BlobStore } from "../blobs/blob-store.ts";
import { resolveHistory, resolveSnapshots } from "../blobs/resolve-rows.ts";
import { loadAnswers, loadLastTries, loadRollbacks, loadSignals, loadStarts } from "../store/load-checkpoint.ts";
import { type HistoryRow, loadHistory, loadSnapshots, NUMBER_MAX, type StoredSnapshot } from "../store/load-runs.ts";
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
  /** What calls and children were answered with since, in that order. */
  readonly answers: readonly HistoryRow[];
}

/** What is stored of it. */
export interface StoredCheckpoint extends Omit<Checkpoint, "machine" | "open"> {
  readonly parts: readonly StoredSnapshot[];
  readonly history: readonly HistoryRow[];
}

/** Only what is committed: whoever asks adds what is not. */
export async function readCheckpoint(client: Queryable, point: Point): Promise<StoredCheckpoint> {
  const { runId: id, number } = point;
  const parts = await loadSnapshots(client, [{ id, number }]);
  const [history, rollbacks, signals, starts, tries, answers] = await Promise.all([
    loadHistory(client, [{ id, after: parts.at(-1)?.number ?? 0, upTo: number }]),
    loadRollbacks(client, id),
    loadSignals(client, id, number),
    loadStarts(client, id, number),
    loadLastTries(client, id),
    loadAnswers(client, id, number),
  ]);
  const current = new Lineage(rollbacks, NUMBER_MAX);
  return {
    point,
    parts,
    history,
    signals: signals.filter((each) => current.has(each.number)),
    tries,
    sameAttempt: !starts.some((each) => current.has(each)),
    // Of what was done again after a rollback, the answer that counts in the end.
    answers: [
      ...answers.filter((each) => !current.has(each.number)),
      ...answers.filter((each) => current.has(each.number)),
    ],
  };
}

export async function checkpointFrom(
  blobs: BlobStore,
  { row, version }: HeldRun,
  { parts, history, ...stored }: StoredCheckpoint,
): Promise<Checkpoint> {
  const { runId, number } = stored.point;
  const snapshots = await resolveSnapshots(blobs, parts);
  const inputs = await resolveHistory(blobs, history);
  const origin = { ...row, id: runId };
  const { machine, open } = await replay(version.image, origin, snapshots, inputs, new Turns());
  if (machine.inputNumber !== number) throw new Error(`The run ${runId} has no state ${number} to go on from`);
  const answers = stored.answers.filter(({ call }) => open.has(call!));
  return {
    ...stored,
    machine,
    open,
    signals: await resolveHistory(blobs, stored.signals),
    answers: await resolveHistory(blobs, answers),
  };
}
