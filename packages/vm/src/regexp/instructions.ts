// The instructions of a program: a number, then its operands. Positions are counted in code units and
// lie between characters; "forward" instructions read the character behind the position and move right,
// "back" ones read the one before it and move left, as lookbehind does. Instructions with a mode take
// it from the sum of the two constants below.

export const MODE_CODE_POINTS = 1;
export const MODE_BACK = 2;

export const OPERATION = {
  /** Takes the newest entry off the backtrack stack; with none left, the next start is tried. */
  fail: 0,
  /** set or -1, mode: finds the next start; no set means that every position is one. */
  scan: 1,
  match: 2,
  /** unit */
  unit: 3,
  unitBack: 4,
  /** unit, unit */
  either: 5,
  eitherBack: 6,
  /** set; one code unit */
  set: 7,
  setBack: 8,
  /** set; one code point */
  point: 9,
  pointBack: 10,
  /** set, max: as many code units as possible, forward */
  loop: 11,
  /** set, max, mode: the same in every mode */
  loopMode: 12,
  /** set, count, mode: exactly so many */
  take: 13,
  /** target */
  jump: 14,
  /** target: goes on, and comes back to the target */
  split: 15,
  /** target: goes to the target, and comes back to go on */
  splitAway: 16,
  /** slot */
  save: 17,
  /** first slot, end slot */
  clear: 18,
  assertStart: 19,
  assertEnd: 20,
  assertLineStart: 21,
  assertLineEnd: 22,
  /** set of word characters, 1 if a boundary is wanted */
  boundary: 23,
  /** register: sets it to zero */
  zero: 24,
  /** register, min, max, exit, 1 if lazy: decides on the next iteration */
  count: 25,
  /** register */
  increment: 26,
  /** register: remembers the position */
  mark: 27,
  /** register: fails if nothing was consumed since it was marked */
  advanced: 28,
  /** marked register, counter, min: the same, once the counter has reached min */
  advancedAfter: 29,
  /** register, first slot, end slot: a lookaround begins; two registers are used */
  look: 30,
  /** register */
  lookEnd: 31,
  /** register, first slot, end slot, exit */
  negativeLook: 32,
  /** register */
  negativeLookEnd: 33,
  /** group, mode */
  reference: 34,
  /** group, mode, register of `width` or -1 for code units */
  referenceFolded: 35,
  /** string table, mode */
  strings: 36,
  /** register: moves a start inside a surrogate pair to before it, and tells so */
  stepBack: 37,
  /** register: finds whether the input has a character beyond Latin-1 */
  width: 38,
  /** length: starts no further from the input's end */
  fromEnd: 39,
} as const;

/** Operands of each instruction, by number. */
export const OPERAND_COUNTS: readonly number[] = [
  0, 2, 0, 1, 1, 2, 2, 1, 1, 1, 1, 2, 3, 3, 1, 1, 1, 1, 2, 0, 0, 0, 0, 2, 1, 5, 1, 1, 1, 3, 3, 1, 4, 1, 2, 3, 2, 1, 1,
  1,
];

/** Instructions that may stop half-way, when their steps are used up. */
export const INTERRUPTIBLE: ReadonlySet<number> = new Set([
  OPERATION.scan,
  OPERATION.loop,
  OPERATION.loopMode,
  OPERATION.take,
  OPERATION.reference,
  OPERATION.referenceFolded,
  OPERATION.width,
]);
