import { type Image, type Machine, decodeSnapshot, encodeDelta, encodeFull } from "@cairnjs/vm";
import { type Between, FUZZ_LIMITS } from "./machine-run.ts";
import { Random } from "./random.ts";

/** What a snapshot promises was not kept. */
export class BrokenSnapshot extends Error {}

/** After so many restores of one run only some boundaries are taken, else a long loop would take minutes. */
const EVERY_BOUNDARY_MAX = 1500;

export interface Restoring extends Between {
  readonly restores: number;
  /** What went wrong with a delta; the run goes on, since it does not need deltas. */
  readonly brokenDelta: unknown;
}

/**
 * Restores a machine from its bytes between every two instructions, and checks on the way that a restored machine
 * has the same bytes as the one it came from, and that a base with a delta does too.
 */
export function restoring(image: Image, seed: number): Restoring {
  const random = new Random(seed);
  let restores = 0;
  let base: Uint8Array | null = null;
  let brokenDelta: unknown = null;
  return {
    get restores() {
      return restores;
    },
    get brokenDelta() {
      return brokenDelta;
    },
    get slice() {
      return restores < EVERY_BOUNDARY_MAX ? 1 : 1 + random.below(200);
    },
    restore(machine: Machine): Machine {
      restores++;
      if (base !== null && brokenDelta === null && random.chance(0.2)) {
        try {
          checkDelta(image, machine, base);
        } catch (error) {
          brokenDelta = error;
        }
      }
      const { bytes } = encodeFull(machine);
      const restored = decodeSnapshot(image, [bytes], FUZZ_LIMITS);
      if (random.chance(0.2) && !sameBytes(encodeFull(restored).bytes, bytes)) {
        throw new BrokenSnapshot("a restored machine encodes to other bytes than those it came from");
      }
      base = bytes;
      return restored;
    },
  };
}

/** The machine was made from `base` and has worked since. */
function checkDelta(image: Image, machine: Machine, base: Uint8Array): void {
  const delta = encodeDelta(machine).bytes;
  const full = encodeFull(machine).bytes;
  const rebuilt = encodeFull(decodeSnapshot(image, [base, delta], FUZZ_LIMITS)).bytes;
  if (!sameBytes(full, rebuilt)) throw new BrokenSnapshot("base and delta give another machine");
}

function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  return Buffer.compare(left, right) === 0;
}
