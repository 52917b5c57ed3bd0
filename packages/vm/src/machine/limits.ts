/** Each limit has a name and an error of its own. */
export interface Limits {
  /** Instructions' worth of work per input, over all jobs it causes: `OutOfFuel`. */
  readonly fuelPerInputMax: number;
  /** Live bytes of a run: its snapshot's, and some for each object in memory. `StateTooLarge`. */
  readonly stateBytesMax: number;
  /** Frames on one call stack: the program's RangeError, as in V8. */
  readonly callDepthMax: number;
  /** Durable calls open at one time, and jobs waiting: `TooManyPromises`. */
  readonly openPromisesMax: number;
}

export const defaultLimits: Limits = {
  fuelPerInputMax: 500_000_000,
  stateBytesMax: 64 * 1024 * 1024,
  callDepthMax: 9_000,
  openPromisesMax: 100_000,
};
