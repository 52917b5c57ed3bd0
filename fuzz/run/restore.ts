import { type Image, type Machine, decodeSnapshot, encodeDelta, encodeFull } from "@cairnjs/vm";
import { type Between, FUZZ_LIMITS } from "./machine-run.ts";
import { Random } from "./random.ts";

/** What a snapshot promises was not kept. */
export class BrokenSnapshot extends Error {}

export interface Restoring extends Between {
  readonly restores: number;
}

/** After so many restores of one run, or with a state of so many bytes, only some boundaries are taken: a long loop
 * or a deep stack would take minutes otherwise. */
const EVERY_BOUNDARY_MAX = 1500;
const EVERY_BOUNDARY_BYTES_MAX = 20_000;
const DELTAS_MAX = 20;

/**
 * Restores a machine from its bytes between every two instructions: from a full snapshot each time, or from a base
 * and the deltas since. Now and then it is checked that a restored machine has the same bytes as the one it
 * came from; with `everyDelta` after each instruction, which then must have marked all that it wrote.
 */
export function restoring(image: Image, seed: number, everyDelta = false): Restoring {
  const random = new Random(seed);
  const step =
    everyDelta || random.chance(0.6) ? fromFull(image, random, everyDelta ? 1 : 0.2) : fromDeltas(image, random);
  let restores = 0;
  let bytes = 0;
  return {
    get restores() {
      return restores;
    },
    get slice() {
      if (restores < EVERY_BOUNDARY_MAX && bytes < EVERY_BOUNDARY_BYTES_MAX) return 1;
      return 1 + random.below(200 + bytes);
    },
    restore(machine) {
      restores++;
      const restored = step(machine);
      bytes = restored.snapshotBaseBytes;
      return restored;
    },
  };
}

type Step = (machine: Machine) => Machine;

function fromFull(image: Image, random: Random, deltaChance: number): Step {
  let base: Uint8Array | null = null;
  return (machine) => {
    if (base !== null && random.chance(deltaChance)) {
      const parts = [base, encodeDelta(machine).bytes];
      compareBytes(machine, decodeSnapshot(image, parts, FUZZ_LIMITS), "base and delta");
    }
    base = encodeFull(machine).bytes;
    const restored = decodeSnapshot(image, [base], FUZZ_LIMITS);
    if (random.chance(0.2)) compareBytes(machine, restored, "a full snapshot");
    return restored;
  };
}

/** The machine itself goes on for a while, so that what a delta must contain builds up. */
function fromDeltas(image: Image, random: Random): Step {
  let parts: Uint8Array[] = [];
  return (machine) => {
    if (parts.length === 0 || parts.length > DELTAS_MAX) parts = [encodeFull(machine).bytes];
    else parts.push(encodeDelta(machine).bytes);
    if (random.chance(0.6)) return machine;
    const restored = decodeSnapshot(image, parts, FUZZ_LIMITS);
    if (random.chance(0.1)) {
      compareBytes(machine, restored, `a base and ${parts.length - 1} deltas`);
      parts = [];
    }
    return restored;
  };
}

/** Encoding a machine makes that its base, so whoever follows it with deltas starts anew. */
function compareBytes(machine: Machine, restored: Machine, from: string): void {
  const same = Buffer.compare(encodeFull(machine).bytes, encodeFull(restored).bytes) === 0;
  if (!same) throw new BrokenSnapshot(`a machine restored from ${from} has other bytes`);
}
