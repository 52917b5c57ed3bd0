import { instructions } from "@cairnjs/ir";
import {
  type Delivery,
  type Effect,
  type Image,
  type Input,
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
  readonly instructions: ReadonlySet<string>;
}

/** Then a full snapshot: what deltas drop stays among the objects until there is one. */
const DELTAS_MAX = 3;

/**
 * Runs one instruction at a time. After each one, the snapshot from before it and the delta of it must have the bytes
 * of the machine itself, and it is a machine restored from those two that goes on. So each instruction must mark what it
 * writes by itself, and whatever decoding loses is missing from the bytes or from what follows.
 */
export class Watch {
  /** Names of the instructions that ran. */
  readonly instructions: Set<string>;
  machine: Machine;
  readonly #limits: Limits;
  #parts: Uint8Array[];

  constructor(image: Image, limits: Limits = defaultLimits) {
    const entry = image.units[image.program.entry]!;
    this.instructions = new Set([instructions[entry.code[0]!]!.name]);
    this.machine = newMachine(image, limits);
    this.#limits = limits;
    this.#parts = [encodeFull(this.machine).bytes];
  }

  give(input: Input): Delivery {
    let delivery = deliver(this.machine, input, 1);
    for (; !delivery.done; delivery = proceed(this.machine, 1)) this.#look();
    this.#look();
    return delivery;
  }

  #look(): void {
    const { machine } = this;
    const name = nextInstruction(machine);
    this.#parts.push(encodeDelta(machine).bytes);
    const full = encodeFull(machine).bytes;
    if (Buffer.compare(full, encodeFull(this.#restored(machine.image)).bytes) !== 0)
      throw new Error(`the machine from base and deltas has other bytes, before ${name}`);
    this.instructions.add(name);
    if (this.#parts.length > DELTAS_MAX) this.#parts = [full];
    // Another one than was compared: encoding would make up for marks and numbers that decoding forgot.
    this.machine = this.#restored(machine.image);
  }

  #restored(image: Image): Machine {
    return decodeSnapshot(image, this.#parts, this.#limits);
  }
}

/** Answers like `runToEnd`. */
export function runWatched(image: Image, value = "null", limits: Limits = defaultLimits): Watched {
  const watch = new Watch(image, limits);
  const effects = runInputs(watch.machine, startInput(value), (_, input) => watch.give(input));
  return { effects, instructions: watch.instructions };
}

function nextInstruction({ frame }: Machine): string {
  return frame === null ? "a job" : instructions[frame.unit.code[frame.position]!]!.name;
}
