// Which letters are equal when case is ignored. Patterns with u or v fold by Unicode's simple case
// folding; the others compare by upper case, as ECMA-262's Canonicalize says. A set is closed over
// case when the pattern is compiled, so that matching itself needs no folding; only back-references
// fold while matching.
import { hasCodePoint, setFromRanges, unite, type CodePointSet } from "./code-point-set.ts";
import { FOLD_EXPANDED, FOLD_SIMPLE } from "./data/letter-case.ts";
import { upperCasePairs } from "./letter-case.ts";
import { decodeExpansions, decodeMapping, lazily } from "./packed-numbers.ts";

export function simpleFold(codePoint: number): number {
  return simpleFoldings().canonical.get(codePoint) ?? codePoint;
}

/**
 * Several code points for some (ß folds to ss), undefined for all that fold to one. V8 compares
 * back-references of patterns with u or v by this full folding, everything else by the simple one.
 */
export function expandedFold(codePoint: number): readonly number[] | undefined {
  return expandedFoldings().get(codePoint);
}

/** Canonicalize of ECMA-262 for patterns without u or v, which look at code units. */
export function canonicalizeUnit(unit: number): number {
  return unitFoldings().canonical.get(unit) ?? unit;
}

export function closeOverSimpleCase(set: CodePointSet): CodePointSet {
  return closeOver(set, simpleFoldings());
}

export function closeOverUnitCase(set: CodePointSet): CodePointSet {
  return closeOver(set, unitFoldings());
}

interface Foldings {
  readonly canonical: ReadonlyMap<number, number>;
  /** Each letter that has equals, in order, and its whole class. */
  readonly classes: ReadonlyMap<number, readonly number[]>;
  readonly letters: readonly number[];
}

const simpleFoldings = lazily(() => foldingsOf(decodeMapping(FOLD_SIMPLE)));
const expandedFoldings = lazily(() => decodeExpansions(FOLD_EXPANDED));
const unitFoldings = lazily(() => foldingsOf(unitPairs()));

function closeOver(set: CodePointSet, foldings: Foldings): CodePointSet {
  const { letters, classes } = foldings;
  const added: number[] = [];
  let letter = 0;
  for (let index = 0; index < set.length; index += 2) {
    const to = set[index + 1] ?? 0;
    letter = firstNotBelow(letters, set[index] ?? 0, letter);
    for (; letter < letters.length && (letters[letter] ?? 0) <= to; letter++) {
      for (const member of classes.get(letters[letter] ?? 0) ?? []) {
        if (!hasCodePoint(set, member)) added.push(member, member);
      }
    }
  }
  return added.length === 0 ? set : unite(set, setFromRanges(added));
}

function firstNotBelow(letters: readonly number[], codePoint: number, start: number): number {
  let low = start;
  let high = letters.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((letters[middle] ?? 0) < codePoint) low = middle + 1;
    else high = middle;
  }
  return low;
}

function foldingsOf(pairs: readonly number[]): Foldings {
  const canonical = new Map<number, number>();
  const members = new Map<number, number[]>();
  for (let index = 0; index < pairs.length; index += 2) {
    const from = pairs[index] ?? 0;
    const to = pairs[index + 1] ?? 0;
    canonical.set(from, to);
    const list = members.get(to);
    if (list === undefined) members.set(to, [to, from]);
    else list.push(from);
  }
  const classes = new Map<number, readonly number[]>();
  for (const list of members.values()) for (const member of list) classes.set(member, list);
  return { canonical, classes, letters: [...classes.keys()].sort((one, two) => one - two) };
}

/** Upper case, unless it is several letters, is outside the plane, or turns a non-ASCII letter ASCII. */
function unitPairs(): number[] {
  const pairs: number[] = [];
  const upper = upperCasePairs();
  for (let index = 0; index < upper.length; index += 2) {
    const from = upper[index] ?? 0;
    const to = upper[index + 1] ?? 0;
    if (from <= 0xffff && to <= 0xffff && !(from >= 0x80 && to < 0x80)) pairs.push(from, to);
  }
  return pairs;
}
