import {
  decodeSnapshot,
  deliver,
  type Effect,
  type Image,
  type Input,
  type Machine,
  newMachine,
  proceed,
} from "@cairnjs/vm";
import type { HistoryRow, RunRow, SnapshotRow } from "../store/load-runs.ts";
import { digestOf } from "./digest.ts";
import { type OpenEffect, trackOpen } from "./open-effects.ts";
import { SLICE_FUEL, type Turns } from "./turns.ts";

/** The machine does not do today what it did when the input was taken: the run must not go on. */
class Diverged extends Error {
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
    const effects = await give(machine, inputOf(row, run, machine), turns);
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

function inputOf(row: HistoryRow, run: RunRow, machine: Machine): Input {
  const { at } = row;
  switch (row.kind) {
    case "start":
      return startInput(run, (machine.info?.attempt ?? 0) + 1, at);
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
  }
}

export function startInput(run: RunRow, attempt: number, at: number): Extract<Input, { readonly kind: "start" }> {
  const { id, type, version, namespace, parent, tags } = run;
  const info = { id, type, version, namespace, attempt, startedAt: at, parent, tags };
  return { kind: "start", at, value: run.payload, seed: attempt === 1 ? id : `${id}/${attempt}`, info };
}
