// String.prototype.normalize from our own tables: full decompositions, marks put in order, and for the
// composed forms pairs joined again (Unicode, 3.11). Lone surrogates stand for themselves.
import { hasCodePoint } from "./code-point-set.ts";
import {
  CANONICAL_DECOMPOSITIONS,
  COMBINING_CLASSES,
  COMPATIBLE_DECOMPOSITIONS,
  COMPOSITION_EXCLUSIONS,
} from "./data/normal-forms.ts";
import { decodeExpansions, decodeRanges, lazily } from "./packed-numbers.ts";

export type NormalForm = "NFC" | "NFD" | "NFKC" | "NFKD";

export function normalize(text: string, form: NormalForm): string {
  if (isInert(text, FIRST_ACTIVE[form])) return text;
  const isCompatible = form === "NFKC" || form === "NFKD";
  const codePoints = orderMarks(decompose(text, isCompatible));
  return textOf(form === "NFC" || form === "NFKC" ? compose(codePoints) : codePoints);
}

/** Everything below is the same in that form and combines with nothing before it. */
const FIRST_ACTIVE: Readonly<Record<NormalForm, number>> = { NFC: 0x300, NFD: 0xc0, NFKC: 0xa0, NFKD: 0xa0 };

const HANGUL_FIRST = 0xac00;
const HANGUL_COUNT = 11172;
const LEAD_FIRST = 0x1100;
const LEAD_COUNT = 19;
const VOWEL_FIRST = 0x1161;
const VOWEL_COUNT = 21;
/** One below the first trailing consonant: a syllable without one has trail zero. */
const TRAIL_BASE = 0x11a7;
const TRAIL_COUNT = 28;

const canonicalTable = lazily(() => decodeExpansions(CANONICAL_DECOMPOSITIONS));
const compatibleTable = lazily(() => decodeExpansions(COMPATIBLE_DECOMPOSITIONS));
const compositionTable = lazily(buildCompositions);
const classTable = lazily(buildClasses);

function isInert(text: string, firstActive: number): boolean {
  for (let index = 0; index < text.length; index++) {
    if (text.charCodeAt(index) >= firstActive) return false;
  }
  return true;
}

function decompose(text: string, isCompatible: boolean): number[] {
  const canonical = canonicalTable();
  const compatible = isCompatible ? compatibleTable() : undefined;
  const result: number[] = [];
  for (let index = 0; index < text.length;) {
    const codePoint = text.codePointAt(index) ?? 0;
    index += codePoint > 0xffff ? 2 : 1;
    const expansion = compatible?.get(codePoint) ?? canonical.get(codePoint);
    if (expansion !== undefined) for (const member of expansion) result.push(member);
    else if (!decomposeHangul(codePoint, result)) result.push(codePoint);
  }
  return result;
}

function decomposeHangul(codePoint: number, result: number[]): boolean {
  const syllable = codePoint - HANGUL_FIRST;
  if (syllable < 0 || syllable >= HANGUL_COUNT) return false;
  const trail = syllable % TRAIL_COUNT;
  const leadAndVowel = (syllable - trail) / TRAIL_COUNT;
  result.push(LEAD_FIRST + Math.floor(leadAndVowel / VOWEL_COUNT), VOWEL_FIRST + (leadAndVowel % VOWEL_COUNT));
  if (trail > 0) result.push(TRAIL_BASE + trail);
  return true;
}

/** Each run of marks is sorted by class, stably; sorting keeps long runs from taking quadratic time. */
function orderMarks(codePoints: number[]): number[] {
  const classes = classTable();
  for (let index = 0; index < codePoints.length; index++) {
    if (!classes.has(codePoints[index] ?? 0)) continue;
    let end = index + 1;
    while (end < codePoints.length && classes.has(codePoints[end] ?? 0)) end++;
    if (end - index > 1) {
      const run = codePoints.slice(index, end);
      run.sort((one, two) => (classes.get(one) ?? 0) - (classes.get(two) ?? 0));
      for (let mark = 0; mark < run.length; mark++) codePoints[index + mark] = run[mark] ?? 0;
    }
    index = end;
  }
  return codePoints;
}

function compose(codePoints: readonly number[]): number[] {
  const classes = classTable();
  const result: number[] = [];
  let starter = -1;
  let lastClass = 0;
  for (const codePoint of codePoints) {
    const markClass = classes.get(codePoint) ?? 0;
    const isReachable = starter >= 0 && (starter === result.length - 1 || lastClass < markClass);
    const joined = isReachable ? composePair(result[starter] ?? 0, codePoint) : undefined;
    if (joined !== undefined) {
      result[starter] = joined;
      continue;
    }
    if (markClass === 0) starter = result.length;
    lastClass = markClass;
    result.push(codePoint);
  }
  return result;
}

function composePair(first: number, second: number): number | undefined {
  const lead = first - LEAD_FIRST;
  const vowel = second - VOWEL_FIRST;
  if (lead >= 0 && lead < LEAD_COUNT && vowel >= 0 && vowel < VOWEL_COUNT) {
    return HANGUL_FIRST + (lead * VOWEL_COUNT + vowel) * TRAIL_COUNT;
  }
  const syllable = first - HANGUL_FIRST;
  const trail = second - TRAIL_BASE;
  if (syllable >= 0 && syllable < HANGUL_COUNT && syllable % TRAIL_COUNT === 0 && trail > 0 && trail < TRAIL_COUNT) {
    return first + trail;
  }
  return compositionTable().get(pairKey(first, second));
}

function pairKey(first: number, second: number): number {
  return first * 0x110000 + second;
}

/** Shortest first, so that the composite of all but the last code point is known when it is needed. */
function buildCompositions(): Map<number, number> {
  const exclusions = decodeRanges(COMPOSITION_EXCLUSIONS);
  const entries = [...canonicalTable()].filter(([codePoint]) => !hasCodePoint(exclusions, codePoint));
  entries.sort(([, one], [, two]) => one.length - two.length);
  const pairs = new Map<number, number>();
  for (const [codePoint, expansion] of entries) {
    let prefix = expansion[0] ?? 0;
    for (const member of expansion.slice(1, -1)) prefix = pairs.get(pairKey(prefix, member)) ?? 0;
    pairs.set(pairKey(prefix, expansion.at(-1) ?? 0), codePoint);
  }
  return pairs;
}

/** Combining classes by rank from 1; code points that are absent have class zero. */
function buildClasses(): Map<number, number> {
  const classes = new Map<number, number>();
  COMBINING_CLASSES.forEach((packed, rank) => {
    const ranges = decodeRanges(packed);
    for (let index = 0; index < ranges.length; index += 2) {
      const to = ranges[index + 1] ?? 0;
      for (let codePoint = ranges[index] ?? 0; codePoint <= to; codePoint++) classes.set(codePoint, rank + 1);
    }
  });
  return classes;
}

function textOf(codePoints: readonly number[]): string {
  const parts: string[] = [];
  for (let index = 0; index < codePoints.length; index += 1024) {
    parts.push(String.fromCodePoint(...codePoints.slice(index, index + 1024)));
  }
  return parts.join("");
}
