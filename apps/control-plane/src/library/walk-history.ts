import type { Effect, Image } from "@cairnjs/vm";
import type { OpenEffect } from "../runloop/open-effects.ts";
import { replay } from "../runloop/replay.ts";
import { Turns } from "../runloop/turns.ts";
import type { Turn } from "../store/load-checkpoint.ts";
import type { HistoryRow, RunRow, SnapshotRow } from "../store/load-runs.ts";

export interface Walker {
  /** After each input of the run, of whatever branch. */
  taken(row: HistoryRow, effects: readonly Effect[]): void;
  /** What was open in the state that a fork began with. */
  inherited(row: HistoryRow, open: readonly OpenEffect[]): void;
}

/** Inputs in their order, with values, and where the states are that they do not lead to. */
export interface WalkedHistory {
  readonly image: Image;
  readonly run: RunRow;
  /** The snapshot before the first of the inputs; empty: they are all there are. */
  readonly first: readonly SnapshotRow[];
  readonly history: readonly HistoryRow[];
  /** The state after a rollback or a fork. */
  readonly partsOf: (number: number) => Promise<readonly SnapshotRow[]>;
}

/** Takes inputs again: from the start or a snapshot, and after each rollback from the one that was taken then. */
export async function walkHistory(
  { image, run, first, history, partsOf }: WalkedHistory,
  walker: Walker,
): Promise<{ readonly rollbacks: readonly Turn[]; readonly last: number }> {
  const rollbacks: Turn[] = [];
  for (let from = 0; from < history.length;) {
    const turn = isTurn(history[from]!) ? history[from]! : null;
    const next = history.findIndex((each, index) => index > from && isTurn(each));
    const inputs = history.slice(turn === null ? from : from + 1, next === -1 ? undefined : next);
    const parts = turn === null ? first : await partsOf(turn.number);
    if (turn?.kind === "rollback") rollbacks.push({ number: turn.number, to: toOf(turn) });
    if (turn?.kind === "fork") walker.inherited(turn, JSON.parse(parts.at(-1)!.open) as OpenEffect[]);
    await replay(image, run, parts, inputs, new Turns(), {
      taken: (input, effects) => walker.taken(input, effects),
    });
    from = next === -1 ? history.length : next;
  }
  return { rollbacks, last: history.at(-1)?.number ?? 0 };
}

/** It has a snapshot of its own, and does not follow from what was before. */
export function isTurn({ kind }: Pick<HistoryRow, "kind">): boolean {
  return kind === "rollback" || kind === "fork";
}

function toOf({ value }: HistoryRow): number {
  return (JSON.parse(value!) as { readonly to: number }).to;
}
