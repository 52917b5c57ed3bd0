import type { RegExpFlags } from "./flags.ts";

/**
 * A compiled pattern: plain data, made anew from source and flags whenever it is needed, so only match
 * states are ever stored. Equal source and flags give equal programs.
 */
export interface RegExpProgram {
  readonly source: string;
  readonly flags: RegExpFlags;
  readonly code: Int32Array;
  readonly sets: readonly CharacterTable[];
  readonly stringTables: readonly StringTable[];
  /** Where matching starts. */
  readonly entry: number;
  /** Capture groups, the whole match included. */
  readonly groupCount: number;
  /** By group number; undefined for groups without a name. */
  readonly groupNames: readonly (string | undefined)[];
  /** Counters, and positions remembered by loops and lookarounds. */
  readonly registerCount: number;
  /** Only the first position tried can match: the pattern is sticky, or starts with ^. */
  readonly isTriedOnce: boolean;
  /** Tells whether the start was moved back out of a surrogate pair; -1 if it never is. */
  readonly stepBackRegister: number;
}

/** A set of code points for matching. */
export interface CharacterTable {
  /** One bit for each of the first 256. */
  readonly bitmap: Int32Array;
  /** Inclusive ranges, flattened, sorted. */
  readonly ranges: Int32Array;
}

/**
 * Strings of a class of the v flag as a tree of code points: for each node whether a string ends there,
 * the number of children, and for each child its code point and node, by ascending code point.
 */
export interface StringTable {
  readonly nodes: Int32Array;
  /** Single code points, tried like strings of length one. */
  readonly set: number;
  /** Strings are folded, and so is the input to be compared with them. */
  readonly isFolded: boolean;
}

export function hasCharacter(table: CharacterTable, codePoint: number): boolean {
  if (codePoint < 256) return (((table.bitmap[codePoint >> 5] as number) >>> (codePoint & 31)) & 1) === 1;
  const { ranges } = table;
  let low = 0;
  let high = ranges.length >> 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (codePoint > (ranges[2 * middle + 1] as number)) low = middle + 1;
    else high = middle;
  }
  return 2 * low < ranges.length && codePoint >= (ranges[2 * low] as number);
}

export function characterTable(ranges: readonly number[]): CharacterTable {
  const bitmap = new Int32Array(8);
  for (let index = 0; index < ranges.length && (ranges[index] ?? 0) < 256; index += 2) {
    const to = Math.min(ranges[index + 1] ?? 0, 255);
    for (let codePoint = ranges[index] ?? 0; codePoint <= to; codePoint++) {
      bitmap[codePoint >> 5] = (bitmap[codePoint >> 5] ?? 0) | (1 << (codePoint & 31));
    }
  }
  return { bitmap, ranges: Int32Array.from(ranges) };
}
