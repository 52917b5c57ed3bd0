import {
  decodeSnapshot,
  deliver,
  type Delivery,
  type Effect,
  encodeFull,
  type Image,
  type Input,
  type Limits,
  type Machine,
  newMachine,
  proceed,
} from "@cairnjs/vm";

/** A snapshot does not say what the machine it was taken of does. */
export class RestoreDiffers extends Error {
  static {
    Object.defineProperty(this.prototype, "name", { value: "RestoreDiffers", configurable: true, writable: true });
  }
}

/**
 * Owns a machine. With `restoreEverywhere` it runs one instruction at a time, and the machine that goes on is each
 * time another one, made from the snapshot of the one before.
 */
export class MachineDriver {
  #machine: Machine;
  readonly #limits: Limits | undefined;
  readonly #restoreEverywhere: boolean;

  constructor(image: Image, limits: Limits | undefined, restoreEverywhere: boolean) {
    this.#machine = newMachine(image, limits);
    this.#limits = limits;
    this.#restoreEverywhere = restoreEverywhere;
  }

  deliver(input: Input): readonly Effect[] {
    const slice = this.#restoreEverywhere ? 1 : undefined;
    let delivery: Delivery = deliver(this.#machine, input, slice);
    while (!delivery.done) {
      if (this.#restoreEverywhere) this.#restore();
      delivery = proceed(this.#machine, slice);
    }
    if (this.#restoreEverywhere) this.#restore();
    return delivery.effects;
  }

  #restore(): void {
    const before = encodeFull(this.#machine).bytes;
    const restored = decodeSnapshot(this.#machine.image, [before], this.#limits);
    const after = encodeFull(restored).bytes;
    if (Buffer.compare(before, after) !== 0) {
      throw new RestoreDiffers("A snapshot, restored and taken again, has other bytes");
    }
    this.#machine = restored;
  }
}
