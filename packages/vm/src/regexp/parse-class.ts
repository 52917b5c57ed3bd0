// [...] of patterns without the v flag.
import { closeOverSimpleCase, closeOverUnitCase } from "../unicode/case-folding.ts";
import { CODE_POINT_MAX, complement, setFromRanges, unite, type CodePointSet } from "../unicode/code-point-set.ts";
import { parseClassEscape } from "./class-escapes.ts";
import { parseCharacterEscape } from "./parse-escape.ts";
import { code, END, type PatternReader } from "./pattern-reader.ts";

/** The reader is on the opening bracket. */
export function parseClass(reader: PatternReader, hasNamedGroups: () => boolean): CodePointSet {
  reader.advance();
  const isNegated = reader.current === code("^");
  if (isNegated) reader.advance();
  const members: Members = { ranges: [], escapes: [] };
  while (reader.current !== END && reader.current !== code("]")) parseRange(reader, hasNamedGroups, members);
  if (reader.current === END) reader.fail("Unterminated character class");
  reader.advance();
  reader.charge(members.ranges.length);
  return finishSet(reader, members.escapes.reduce(unite, setFromRanges(members.ranges)), isNegated);
}

interface Members {
  /** Characters and ranges, in any order. */
  readonly ranges: number[];
  /** Classes such as \d. */
  readonly escapes: CodePointSet[];
}

/** Case is ignored before a class is negated. */
export function finishSet(reader: PatternReader, set: CodePointSet, isNegated: boolean): CodePointSet {
  const { ignoreCase, isUnicodeMode } = reader.flags;
  const closed = !ignoreCase ? set : isUnicodeMode ? closeOverSimpleCase(set) : closeOverUnitCase(set);
  reader.charge(closed.length);
  return isNegated ? negate(closed) : closed;
}

/** V8 leaves out the very last code point where it is the only one after the last range. */
export function negate(set: CodePointSet): CodePointSet {
  const others = complement(set);
  return set.at(-1) === CODE_POINT_MAX - 1 ? others.slice(0, -2) : others;
}

function parseRange(reader: PatternReader, hasNamedGroups: () => boolean, members: Members): void {
  const { ranges } = members;
  const from = parseAtom(reader, hasNamedGroups, members);
  if (reader.current !== code("-")) {
    if (from !== undefined) ranges.push(from, from);
    return;
  }
  reader.advance();
  if (reader.current === END) return;
  if (reader.current === code("]")) {
    if (from !== undefined) ranges.push(from, from);
    ranges.push(code("-"), code("-"));
    return;
  }
  const to = parseAtom(reader, hasNamedGroups, members);
  if (from !== undefined && to !== undefined) {
    if (from > to) reader.fail("Range out of order in character class");
    ranges.push(from, to);
    return;
  }
  // One end is a class such as \d, so the hyphen stands for itself; not in unicode mode.
  if (reader.isUnicodeMode) reader.fail("Invalid character class");
  ranges.push(code("-"), code("-"));
  for (const end of [from, to]) if (end !== undefined) ranges.push(end, end);
}

/** A character; or a class such as \d, which is added at once. */
function parseAtom(reader: PatternReader, hasNamedGroups: () => boolean, members: Members): number | undefined {
  if (reader.current !== code("\\")) {
    const letter = reader.current;
    reader.advance();
    return letter;
  }
  const next = reader.peek();
  if (next === END) reader.fail("\\ at end of pattern");
  if (next === code("b") || (next === code("-") && reader.isUnicodeMode)) {
    reader.advance(2);
    return next === code("b") ? 0x08 : next;
  }
  const escape = parseClassEscape(reader, true);
  if (escape === undefined) return parseCharacterEscape(reader, { isInClass: true, hasNamedGroups });
  // A pattern may repeat an escape many times, at two characters each.
  if (!members.escapes.includes(escape.set)) {
    members.escapes.push(escape.set);
    reader.charge(members.escapes.length * escape.set.length);
  }
  return undefined;
}
