import {
  decodeSnapshot,
  deliver,
  type Effect,
  type Image,
  type Input,
  type Machine,
  newMachine,
  proceed,
  type RunInfo,
} from "@cairnjs/vm";
import type { HistoryRow, RunRow, SnapshotRow } from "../store/load-runs.ts";
import { digestOf } from "./digest.ts";
import { type OpenEffect, trackOpen } from "./open-effects.ts";
import { SLICE_FUEL, type Turns } from "./turns.ts";

/** The machine does not do today what it did when the input was taken: the run must not go on. */
export class Diverged extends Error {
  override name = "Diverged";
}

export interface Replayed {
  readonly machine: Machine;
  readonly open: Map<string, OpenEffect>;
}

export interface ReplayObserver {
  /** After an input was taken. */
  taken?(row: HistoryRow, effects: readonly Effect[]): void;
}

/** The state of a run: from its newest snapshot, or from nothing, and the inputs after it. */
export async function replay(
  image: Image,
  run: RunRow,
  parts: readonly SnapshotRow[],
  history: readonly HistoryRow[],
  turns: Turns,
  observer: ReplayObserver = {},
): Promise<Replayed> {
  const newest = parts.at(-1);
  let machine =
    newest === undefined
      ? newMachine(image)
      : decodeSnapshot(
          image,
          parts.map(({ bytes }) => bytes),
        );
  const open = new Map(
    newest === undefined ? [] : (JSON.parse(newest.open) as OpenEffect[]).map((effect) => [effect.id, effect]),
  );
  for (const row of history) {
    if (row.kind === "start") machine = freshMachine(machine);
    const effects = await give(machine, inputOf(row, run), turns);
    if (digestOf(effects) !== row.digest) {
      throw new Diverged(`Input ${row.number} of the run ${run.id} now has other effects than it had`);
    }
    trackOpen(open, effects, row);
    observer.taken?.(row, effects);
  }
  return { machine, open };
}

/** For another attempt of a workflow: numbers never go back, so it counts on. */
export function freshMachine(machine: Machine): Machine {
  if (machine.phase === "new") return machine;
  const fresh = newMachine(machine.image);
  fresh.inputNumber = machine.inputNumber;
  fresh.at = machine.at;
  fresh.info = machine.info;
  return fresh;
}

async function give(machine: Machine, input: Input, turns: Turns): Promise<readonly Effect[]> {
  if (turns.isOver) await turns.makeWay();
  let delivery = deliver(machine, input, SLICE_FUEL);
  while (!delivery.done) {
    if (turns.isOver) await turns.makeWay();
    delivery = proceed(machine, SLICE_FUEL);
  }
  return delivery.effects;
}

function inputOf(row: HistoryRow, run: RunRow): Input {
  const { at } = row;
  switch (row.kind) {
    case "start":
      return startInput(run, row.attempt!, row.number, at);
    case "result":
      return { kind: "result", at, call: row.call!, value: row.value! };
    case "error":
      return { kind: "error", at, call: row.call!, error: row.value! };
    case "timer":
      return { kind: "timer", at, call: row.call! };
    case "signal":
      return { kind: "signal", at, name: row.name!, value: row.value! };
    case "cancel":
      return { kind: "cancel", at, reason: JSON.parse(row.value!) as string };
    case "undo":
      return { kind: "undo", at, ...(JSON.parse(row.value!) as { keep: number; next: string }) };
    case "rollback":
    case "fork":
      throw new Error(`Input ${row.number} of the run ${run.id} has a snapshot, and is not taken again`);
  }
}

/** Chance takes another course each time the run begins: by the input's number, since that of an attempt may come again. */
export function startInput(
  run: RunRow,
  attempt: number,
  number: number,
  at: number,
): Extract<Input, { readonly kind: "start" }> {
  const info = runInfo(run, attempt, at);
  return { kind: "start", at, value: run.payload, seed: number === 1 ? run.id : `${run.id}/${number}`, info };
}

export function runInfo(
  { id, type, version, namespace, parent, tags }: Omit<RunRow, "payload">,
  attempt: number,
  startedAt: number,
): RunInfo {
  return { id, type, version, namespace, attempt, startedAt, parent, tags };
}
