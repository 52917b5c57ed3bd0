import { describe, expect, it } from "vitest";
import { canonicalizeUnit, closeOverSimpleCase, closeOverUnitCase, expandedFold, simpleFold } from "./case-folding.ts";
import { complement, setFromRanges, type CodePointSet } from "./code-point-set.ts";
import { UNICODE_VERSION } from "./data/unicode-version.ts";
import { toLowerCase, toUpperCase } from "./letter-case.ts";

const isTableHost = process.version.startsWith("v20.") && process.versions.unicode === UNICODE_VERSION;

describe.runIf(isTableHost)("letter case on the Node whose tables these are", () => {
  it("maps every code point as native does, alone and in context", () => {
    const differences: string[] = [];
    for (let codePoint = 0; codePoint <= 0x10ffff; codePoint++) {
      const letter = String.fromCodePoint(codePoint);
      if (toUpperCase(letter) !== letter.toUpperCase()) differences.push(letter);
      for (const text of [letter, `a${letter}Σ`, `aΣ${letter}`, `aΣ${letter}b`, `a\u0301${letter}Σ.`]) {
        if (toLowerCase(text) !== text.toLowerCase()) differences.push(text);
      }
    }
    expect(differences).toEqual([]);
  });

  it("maps random mixtures as native does (seed 7)", () => {
    let seed = 7;
    const letters = Array.from("aAßẞİıΣσςΑ.'\u0301\u0345ŉǰΐﬁﬃDžǅ𐐀𐐨 1:").concat("\ud800", "\udc00");
    for (let round = 0; round < 20_000; round++) {
      let text = "";
      for (let length = 1 + (round % 9); length > 0; length--) {
        seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
        text += letters[(seed >>> 8) % letters.length] ?? "";
      }
      expect(toLowerCase(text)).toBe(text.toLowerCase());
      expect(toUpperCase(text)).toBe(text.toUpperCase());
    }
  });

  it("closes sets over case as native classes do", () => {
    for (const ranges of [
      [0x41, 0x5a],
      [0x61, 0x61],
      [0xdf, 0xdf],
      [0x370, 0x3ff],
      [0x1c80, 0x1fff],
      [0x2126, 0x212b],
      [0xab70, 0xabbf],
      [0x10400, 0x1e943],
      [0, 0x40],
      [0xb5, 0xb5],
    ]) {
      const set = setFromRanges(ranges);
      expect(closeOverSimpleCase(set)).toEqual(nativeClass(set, "iu"));
      expect(complement(closeOverSimpleCase(set))).toEqual(nativeClass(set, "iu", "^"));
      expect(limited(closeOverUnitCase(set))).toEqual(limited(nativeClass(set, "i")));
    }
  });

  it("compares single letters of /i and /iu as native does, over all pairs that could be equal", () => {
    for (let unit = 0; unit <= 0xffff; unit++) {
      if (unit >= 0xd800 && unit <= 0xdfff) continue;
      const letter = String.fromCharCode(unit);
      const others = new Set([
        letter.toLowerCase(),
        letter.toUpperCase(),
        String.fromCharCode(canonicalizeUnit(unit)),
        String.fromCodePoint(simpleFold(unit)),
      ]);
      for (const other of others) {
        const otherUnit = other.codePointAt(0) ?? 0;
        if (other.length !== 1 || other === letter) continue;
        const escape = `^\\u${unit.toString(16).padStart(4, "0")}$`;
        expect(new RegExp(escape, "i").test(other)).toBe(canonicalizeUnit(unit) === canonicalizeUnit(otherUnit));
        expect(new RegExp(escape, "iu").test(other)).toBe(simpleFold(unit) === simpleFold(otherUnit));
      }
    }
  });

  it("folds to several letters as native back-references of wide text do", () => {
    let count = 0;
    for (let codePoint = 0; codePoint <= 0x1ffff; codePoint++) {
      const expansion = expandedFold(codePoint);
      if (expansion === undefined) continue;
      count++;
      const letter = String.fromCodePoint(codePoint);
      const folded = String.fromCodePoint(...expansion);
      const matcher = new RegExp(`^(${letter}${folded})\\1\u1234$`, "iu");
      expect(matcher.test(`${letter}${folded}${folded}${letter}\u1234`)).toBe(true);
    }
    expect(count).toBe(104);
  });
});

/** Beyond the first plane, patterns without u see surrogates. */
function limited(set: CodePointSet): CodePointSet {
  return setFromRanges(set.map((bound) => Math.min(bound, 0xffff)));
}

function nativeClass(set: CodePointSet, flags: string, negation = ""): CodePointSet {
  const isUnicode = flags.includes("u");
  const escape = (bound: number | undefined): string =>
    isUnicode
      ? `\\u{${(bound ?? 0).toString(16)}}`
      : `\\u${Math.min(bound ?? 0, 0xffff)
          .toString(16)
          .padStart(4, "0")}`;
  const members = set.map((bound, index) => (index % 2 === 0 ? `${escape(bound)}-${escape(set[index + 1])}` : ""));
  const matcher = new RegExp(`^[${negation}${members.join("")}]$`, flags);
  const found: number[] = [];
  for (let codePoint = 0; codePoint <= (isUnicode ? 0x10ffff : 0xffff); codePoint++) {
    if (matcher.test(String.fromCodePoint(codePoint))) found.push(codePoint, codePoint);
  }
  return setFromRanges(found);
}
