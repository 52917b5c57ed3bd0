/** How a value begins in a snapshot. The numbers are the format. */
export const Tag = {
  Undefined: 0,
  Null: 1,
  True: 2,
  False: 3,
  Int: 4,
  Double: 5,
  Text: 6,
  /** A string that stands earlier in the snapshot, by number. */
  SameText: 7,
  /** A large string or byte array kept apart, by its SHA-256. */
  Blob: 8,
  Bigint: 9,
  /** An object of this snapshot, by number. */
  Object: 10,
  /** By path. */
  Intrinsic: 11,
  /** An object of the program's module-level constants, by number. */
  Captured: 12,
  Durable: 13,
  PreludeFunction: 14,
  Uninit: 15,
  /** The mark of a property that V8 has and workflows do not. */
  Unsupported: 16,
} as const;

export const SNAPSHOT_FORMAT = 1;
export const FULL = 0;
export const DELTA = 1;
