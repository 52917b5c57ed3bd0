// toLowerCase and toUpperCase of String.prototype, from our own tables. Text that is ASCII throughout
// goes to the host, whose answer cannot depend on its Unicode version then.
import { hasCodePoint } from "./code-point-set.ts";
import { LOWER_EXPANDED, LOWER_SINGLE, UPPER_EXPANDED, UPPER_SINGLE } from "./data/letter-case.ts";
import { decodeExpansions, decodeMapping, lazily } from "./packed-numbers.ts";
import { binaryProperty } from "./properties.ts";

export function toLowerCase(text: string): string {
  return isAscii(text) ? text.toLowerCase() : mapLetters(text, lowerTable(), true);
}

export function toUpperCase(text: string): string {
  return isAscii(text) ? text.toUpperCase() : mapLetters(text, upperTable(), false);
}

/** Code points from and to, flattened, without those that become several letters. */
export const upperCasePairs = lazily(() => decodeMapping(UPPER_SINGLE));

interface CaseTable {
  /** Indexed by code unit; surrogates stand for themselves. */
  readonly units: Uint16Array;
  readonly supplementary: ReadonlyMap<number, number>;
  readonly expanded: ReadonlyMap<number, string>;
}

const SIGMA = 0x03a3;
const FINAL_SIGMA = "\u03c2";

const lowerTable = lazily(() => caseTable(decodeMapping(LOWER_SINGLE), LOWER_EXPANDED));
const upperTable = lazily(() => caseTable(upperCasePairs(), UPPER_EXPANDED));
const casedLetters = lazily(() => binaryProperty("Cased"));
const ignorableLetters = lazily(() => binaryProperty("Case_Ignorable"));

function mapLetters(text: string, table: CaseTable, isLower: boolean): string {
  let result = "";
  let copied = 0;
  for (let index = 0; index < text.length;) {
    const codePoint = text.codePointAt(index) ?? 0;
    const next = index + (codePoint > 0xffff ? 2 : 1);
    const mapped =
      isLower && codePoint === SIGMA && isFinalSigma(text, index) ? FINAL_SIGMA : mapLetter(codePoint, table);
    if (mapped !== undefined) {
      result += text.slice(copied, index) + mapped;
      copied = next;
    }
    index = next;
  }
  return copied === 0 ? text : result + text.slice(copied);
}

function mapLetter(codePoint: number, table: CaseTable): string | undefined {
  const single = codePoint > 0xffff ? table.supplementary.get(codePoint) : table.units[codePoint];
  if (single !== undefined && single !== codePoint) return String.fromCodePoint(single);
  return codePoint < 0x80 ? undefined : table.expanded.get(codePoint);
}

/** A cased letter before and none after, letters that case ignores left aside (Unicode, table 3-17). */
function isFinalSigma(text: string, index: number): boolean {
  return isCasedBefore(text, index) && !isCasedAfter(text, index + 1);
}

function isCasedBefore(text: string, end: number): boolean {
  for (let index = end; index > 0;) {
    const codePoint = codePointBefore(text, index);
    index -= codePoint > 0xffff ? 2 : 1;
    if (!hasCodePoint(ignorableLetters(), codePoint)) return hasCodePoint(casedLetters(), codePoint);
  }
  return false;
}

function isCasedAfter(text: string, start: number): boolean {
  for (let index = start; index < text.length;) {
    const codePoint = text.codePointAt(index) ?? 0;
    index += codePoint > 0xffff ? 2 : 1;
    if (!hasCodePoint(ignorableLetters(), codePoint)) return hasCodePoint(casedLetters(), codePoint);
  }
  return false;
}

function codePointBefore(text: string, index: number): number {
  const unit = text.charCodeAt(index - 1);
  if (index < 2 || (unit & 0xfc00) !== 0xdc00) return unit;
  const codePoint = text.codePointAt(index - 2) ?? 0;
  return codePoint > 0xffff ? codePoint : unit;
}

function caseTable(pairs: readonly number[], packedExpansions: string): CaseTable {
  const units = new Uint16Array(0x10000).map((_, unit) => unit);
  const supplementary = new Map<number, number>();
  for (let index = 0; index < pairs.length; index += 2) {
    const from = pairs[index] ?? 0;
    const to = pairs[index + 1] ?? 0;
    if (from > 0xffff || to > 0xffff) supplementary.set(from, to);
    else units[from] = to;
  }
  const expanded = new Map<number, string>();
  for (const [from, to] of decodeExpansions(packedExpansions)) expanded.set(from, String.fromCodePoint(...to));
  return { units, supplementary, expanded };
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    if (text.charCodeAt(index) > 0x7f) return false;
  }
  return true;
}
