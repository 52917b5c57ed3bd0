import { describe, expect, it } from "vitest";
import { complement, hasCodePoint, intersect, setFromRanges, sizeOf, subtract, unite } from "./code-point-set.ts";
import { UNICODE_VERSION } from "./data/unicode-version.ts";
import { isIdContinue, isIdStart, propertyNames, propertyOfStrings, propertySet } from "./properties.ts";
import { isLineTerminator, isWhiteSpace } from "./white-space.ts";

const isTableHost = process.version.startsWith("v20.") && process.versions.unicode === UNICODE_VERSION;
// Cut between leads and trails, since the last lead would otherwise form a pair with the first trail.
const HALVES = [allCodePoints(0, 0xdbff), allCodePoints(0xdc00, 0x10ffff)];

describe.runIf(isTableHost)("properties on the Node whose tables these are", () => {
  it("match native \\p{…} over all code points, under every accepted name", () => {
    const names = propertyNames();
    expect(names.length).toBeGreaterThan(1300);
    const seen = new Set<unknown>();
    const differences: string[] = [];
    for (const name of names) {
      const [property = "", value] = name.split("=");
      const set = propertySet(property, value);
      const native = new RegExp(`\\p{${name}}+`, "gu");
      // A name for the very same table need only be accepted; the table itself is compared once.
      if (!seen.has(set) && set?.join() !== nativeSet(native).join()) differences.push(name);
      seen.add(set);
    }
    expect(differences).toEqual([]);
  });

  it("match native properties of strings, member by member", () => {
    let count = 0;
    for (const name of ["Basic_Emoji", "Emoji_Keycap_Sequence", "RGI_Emoji", "RGI_Emoji_ZWJ_Sequence"]) {
      const matcher = new RegExp(`^\\p{${name}}$`, "v");
      const members = propertyOfStrings(name) ?? [];
      expect(members.filter((member) => !matcher.test(String.fromCodePoint(...member)))).toEqual([]);
      count += members.length;
    }
    expect(count).toBe(1400 + 12 + 3953 + 1614);
  });

  it("match native white space and line terminators over all code units", () => {
    const differences: number[] = [];
    for (let unit = 0; unit <= 0xffff; unit++) {
      const text = String.fromCharCode(unit);
      if (isWhiteSpace(unit) !== (text.trim() === "")) differences.push(unit);
      if (isLineTerminator(unit) === /./.test(text)) differences.push(unit);
    }
    expect(differences).toEqual([]);
  });
});

describe("property names", () => {
  it("are refused unless they are exact", () => {
    for (const [name, value] of [
      ["letter"],
      ["lu"],
      ["Script", "latin"],
      ["Script", "Katakana_Or_Hiragana"],
      ["sc", ""],
      ["", "L"],
      ["constructor"],
      ["gc", "constructor"],
      ["Script", "__proto__"],
      ["gc", "Any"],
      ["RGI_Emoji"],
      ["Block", "Basic_Latin"],
    ] as const) {
      expect([name, value, propertySet(name, value)]).toEqual([name, value, undefined]);
    }
    expect(propertyOfStrings("Emoji")).toBeUndefined();
    expect(propertyOfStrings("toString")).toBeUndefined();
  });

  it("know identifiers", () => {
    expect([0x61, 0xdf, 0x1d49c].every(isIdStart)).toBe(true);
    expect([0x31, 0x5f, 0x301].some(isIdStart)).toBe(false);
    expect([0x31, 0x5f, 0x301].every(isIdContinue)).toBe(true);
  });
});

describe("code point sets", () => {
  it("agree with sets of numbers", () => {
    const wrong: unknown[] = [];
    let seed = 20240601;
    const random = (below: number): number => {
      seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
      return (seed >>> 8) % below;
    };
    for (let round = 0; round < 500; round++) {
      const ranges = (): number[] =>
        Array.from({ length: random(6) }, () => random(60)).flatMap((from) => [from, from + random(8)]);
      const [one, two] = [setFromRanges(ranges()), setFromRanges(ranges())];
      const united = unite(one, two);
      const common = intersect(one, two);
      const left = subtract(one, two);
      const others = complement(one);
      for (let codePoint = 0; codePoint < 80; codePoint++) {
        const [inOne, inTwo] = [hasCodePoint(one, codePoint), hasCodePoint(two, codePoint)];
        const found = [united, common, left, others].map((set) => hasCodePoint(set, codePoint));
        const wanted = [inOne || inTwo, inOne && inTwo, inOne && !inTwo, !inOne];
        if (found.join() !== wanted.join()) wrong.push([one, two, codePoint]);
      }
      expect(sizeOf(one) + sizeOf(others)).toBe(0x110000);
      expect(setFromRanges([...united])).toEqual(united);
    }
    expect(wrong).toEqual([]);
  });
});

function nativeSet(matcher: RegExp): number[] {
  const ranges: number[] = [];
  for (const half of HALVES) {
    for (const { 0: match } of half.matchAll(matcher)) {
      const from = match.codePointAt(0) ?? 0;
      const to = from + Array.from(match).length - 1;
      if (ranges.at(-1) === from - 1) ranges[ranges.length - 1] = to;
      else ranges.push(from, to);
    }
  }
  return ranges;
}

function allCodePoints(from: number, to: number): string {
  const letters: string[] = [];
  for (let codePoint = from; codePoint <= to; codePoint++) letters.push(String.fromCodePoint(codePoint));
  return letters.join("");
}
