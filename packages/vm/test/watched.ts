import { instructions } from "@cairnjs/ir";
import {
  type Effect,
  type Image,
  type Limits,
  type Machine,
  decodeSnapshot,
  defaultLimits,
  deliver,
  encodeDelta,
  encodeFull,
  newMachine,
  proceed,
} from "../src/index.ts";
import { runInputs, startInput } from "./runs.ts";

export interface Watched {
  readonly effects: readonly Effect[];
  /** Names of the instructions that were about to run at some boundary. */
  readonly instructions: ReadonlySet<string>;
}

/**
 * Runs one instruction at a time. After each one, the snapshot from before it and the delta of it must have the bytes
 * of the machine itself, and it is the machine restored from those two that goes on. So each instruction must mark what it
 * writes by itself, and whatever decoding loses is missing from the bytes or from what follows.
 */
export function runWatched(image: Image, value = "null", limits: Limits = defaultLimits): Watched {
  const seen = new Set<string>();
  let machine = newMachine(image, limits);
  let base = encodeFull(machine).bytes;
  const look = (): void => {
    const name = nextInstruction(machine);
    const restored = decodeSnapshot(image, [base, encodeDelta(machine).bytes], limits);
    base = encodeFull(machine).bytes;
    if (Buffer.compare(base, encodeFull(restored).bytes) !== 0)
      throw new Error(`the machine from base and delta has other bytes, before ${name}`);
    seen.add(name);
    machine = restored;
  };
  const effects = runInputs(machine, startInput(value), (_, input) => {
    let delivery = deliver(machine, input, 1);
    for (; !delivery.done; delivery = proceed(machine, 1)) look();
    look();
    return delivery;
  });
  return { effects, instructions: seen };
}

function nextInstruction({ frame }: Machine): string {
  return frame === null ? "a job" : instructions[frame.unit.code[frame.position]!]!.name;
}
