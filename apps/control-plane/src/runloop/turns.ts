/** Work makes way for everything else after this time. */
export const TURN_MS = 20;

/** Instructions' worth of work between two looks at the clock: a few milliseconds. */
export const SLICE_FUEL = 100_000;

/** For work that is one long function: between its parts it asks whether it is time to make way. */
export class Turns {
  #until = performance.now() + TURN_MS;

  get isOver(): boolean {
    return performance.now() >= this.#until;
  }

  async makeWay(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#until = performance.now() + TURN_MS;
  }
}
