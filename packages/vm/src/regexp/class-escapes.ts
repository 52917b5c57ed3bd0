// \d \s \w \p and their complements, inside a class or outside.
import { closeOverSimpleCase, simpleFold } from "../unicode/case-folding.ts";
import { complement, setFromRanges, type CodePointSet } from "../unicode/code-point-set.ts";
import { isBinaryProperty, propertyOfStrings, propertySet } from "../unicode/properties.ts";
import type { RegExpFlags } from "./flags.ts";
import { code, type PatternReader } from "./pattern-reader.ts";

/** What a class, or a part of one, matches: single code points, and strings of other lengths. */
export interface ClassValue {
  readonly set: CodePointSet;
  /** By their code points, joined. */
  readonly strings: ReadonlyMap<string, readonly number[]>;
  /**
   * The most code units it may match, as V8 of Node 20 counts them: for a class made of empty classes
   * only, such as [^] with v, it is zero. V8 therefore does not repeat it, and [^]+ matches one character.
   */
  readonly maxLength: number;
  /** Single code points of \q{…} that were not in ascending order, which V8 cannot intersect or subtract. */
  readonly isUnsorted: boolean;
}

export function classValue(
  set: CodePointSet,
  strings: ReadonlyMap<string, readonly number[]> = NO_STRINGS,
  isUnsorted = false,
): ClassValue {
  let maxLength = set.length > 0 ? 2 : 0;
  for (const string of strings.values()) {
    maxLength = Math.max(
      maxLength,
      string.reduce((sum, codePoint) => sum + (codePoint > 0xffff ? 2 : 1), 0),
    );
  }
  return { set, strings, maxLength, isUnsorted };
}

export const NO_STRINGS: ReadonlyMap<string, readonly number[]> = new Map();

const WORD_SET: CodePointSet = [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a];
export const LINE_TERMINATORS: CodePointSet = [0x0a, 0x0a, 0x0d, 0x0d, 0x2028, 0x2029];
const DIGITS: CodePointSet = [0x30, 0x39];
const WHITE_SPACE: CodePointSet = setFromRanges(
  [0x09, 0x0d, 0x20, 0x20, 0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a].concat([
    0x2028, 0x2029, 0x202f, 0x202f, 0x205f, 0x205f, 0x3000, 0x3000, 0xfeff, 0xfeff,
  ]),
);

/** Undefined if the letter after the backslash is none of these; nothing is read then. */
export function parseClassEscape(reader: PatternReader, isInClass: boolean): ClassValue | undefined {
  const letter = reader.peek();
  const lower = letter | 0x20;
  const isComplement = letter !== lower;
  if (lower === code("p") && letter > 0) return reader.isUnicodeMode ? parseProperty(reader, isInClass) : undefined;
  const set = standardSet(reader, lower);
  if (letter < 0 || set === undefined) return undefined;
  reader.advance(2);
  return classValue(isComplement ? complement(set) : set);
}

/** Word characters include ſ and K where case is ignored by Unicode's rules. */
export function wordSet(flags: RegExpFlags): CodePointSet {
  return flags.ignoreCase && flags.isUnicodeMode ? closeOverSimpleCase(WORD_SET) : WORD_SET;
}

function standardSet(reader: PatternReader, lower: number): CodePointSet | undefined {
  switch (lower) {
    case code("d"):
      return DIGITS;
    case code("s"):
      return WHITE_SPACE;
    case code("w"):
      return wordSet(reader.flags);
    default:
      return undefined;
  }
}

function parseProperty(reader: PatternReader, isInClass: boolean): ClassValue {
  const isComplement = reader.peek() === code("P");
  reader.advance(2);
  const property = readProperty(reader);
  const value = property && valueOf(reader, property.name, property.value, isComplement);
  if (value === undefined)
    reader.fail(isInClass ? "Invalid property name in character class" : "Invalid property name");
  // Each string becomes several nodes of a tree.
  reader.charge(value.set.length + 10 * value.strings.size);
  return value;
}

function valueOf(
  reader: PatternReader,
  name: string,
  value: string | undefined,
  isComplement: boolean,
): ClassValue | undefined {
  const { unicodeSets, ignoreCase } = reader.flags;
  const set = propertySet(name, value);
  if (set !== undefined) {
    if (!unicodeSets || !ignoreCase) return classValue(isComplement ? complement(set) : set);
    // With u case is ignored by what becomes of the class. With v V8 ignores it here, in one order for
    // categories and scripts, in the other for binary properties, and not at all for ASCII.
    const isBinary = value === undefined && isBinaryProperty(name);
    const isAscii = isBinary && name === "ASCII";
    const first = isBinary && isComplement ? complement(set) : set;
    const closed = isAscii ? first : closeOverSimpleCase(first);
    return classValue(isComplement && !isBinary ? complement(closed) : closed);
  }
  const strings = unicodeSets && !isComplement && value === undefined ? propertyOfStrings(name) : undefined;
  return strings && { ...stringsValue(strings, ignoreCase), isUnsorted: false };
}

/** Strings of one code point belong to the set. Where case is ignored, strings are equal if folded alike. */
export function stringsValue(strings: readonly (readonly number[])[], isFolded: boolean): ClassValue {
  const ranges: number[] = [];
  const others = new Map<string, readonly number[]>();
  let isUnsorted = false;
  for (const string of strings) {
    const folded = isFolded ? string.map(simpleFold) : string;
    const [first] = folded;
    if (first === undefined || folded.length > 1) {
      others.set(folded.join(), folded);
    } else {
      isUnsorted ||= first < (ranges.at(-1) ?? 0);
      ranges.push(first, first);
    }
  }
  return classValue(setFromRanges(ranges), others, isUnsorted);
}

function readProperty(reader: PatternReader): { name: string; value: string | undefined } | undefined {
  if (reader.current !== code("{")) return undefined;
  reader.advance();
  const name = readName(reader, code("="));
  if (name === undefined) return undefined;
  if (reader.current !== code("=")) {
    reader.advance();
    return { name, value: undefined };
  }
  reader.advance();
  const value = readName(reader, code("}"));
  reader.advance();
  return value === undefined ? undefined : { name, value };
}

/** Up to the closing brace or the given letter, which is left current. */
function readName(reader: PatternReader, end: number): string | undefined {
  for (let name = ""; ; reader.advance()) {
    if (reader.current === end || reader.current === code("}")) return name;
    if (!isNameLetter(reader.current) || !reader.hasNext) return undefined;
    name += String.fromCharCode(reader.current);
  }
}

function isNameLetter(letter: number): boolean {
  const upper = letter & ~0x20;
  return (upper >= 0x41 && upper <= 0x5a && letter > 0) || (letter >= 0x30 && letter <= 0x39) || letter === 0x5f;
}
