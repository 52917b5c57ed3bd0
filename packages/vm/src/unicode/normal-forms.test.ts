import { describe, expect, it } from "vitest";
import { UNICODE_VERSION } from "./data/unicode-version.ts";
import { normalize, type NormalForm } from "./normal-forms.ts";

const FORMS: readonly NormalForm[] = ["NFC", "NFD", "NFKC", "NFKD"];
const isTableHost = process.version.startsWith("v20.") && process.versions.unicode === UNICODE_VERSION;

describe.runIf(isTableHost)("normal forms on the Node whose tables these are", () => {
  it("are those of native normalize for every code point, alone and between marks", () => {
    const differences: unknown[] = [];
    for (let codePoint = 0; codePoint <= 0x10ffff; codePoint++) {
      const letter = String.fromCodePoint(codePoint);
      for (const form of FORMS) {
        if (normalize(letter, form) !== letter.normalize(form)) differences.push([form, codesOf(letter)]);
      }
      // Unassigned code points and ideographs behave alike; their contexts are not all tried.
      if (codePoint < 0x3400 || (codePoint > 0xa000 && codePoint < 0x20000)) {
        const text = `e${letter}\u0323\u0301${letter}`;
        for (const form of FORMS) {
          if (normalize(text, form) !== text.normalize(form)) differences.push([form, codesOf(text)]);
        }
      }
    }
    expect(differences).toEqual([]);
  });

  it("are those of native normalize for random mixtures (seed 11)", () => {
    const differences: unknown[] = [];
    let seed = 11;
    const random = (below: number): number => {
      seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
      return (seed >>> 8) % below;
    };
    const pools = [
      0x41, 0x300, 0x323, 0x5b0, 0x900, 0x1100, 0x1161, 0x11a8, 0xac00, 0x1e00, 0x1f00, 0x3041, 0xfb00, 0x11300,
      0x1d150, 0x16100, 0x11380, 0xd7f0,
    ];
    for (let round = 0; round < 30_000; round++) {
      let text = "";
      for (let length = 1 + random(7); length > 0; length--) {
        text += String.fromCodePoint((pools[random(pools.length)] ?? 0) + random(64));
      }
      for (const form of FORMS) {
        if (normalize(text, form) !== text.normalize(form)) differences.push([form, codesOf(text)]);
      }
    }
    expect(differences).toEqual([]);
  });
});

describe("normal forms", () => {
  it("sort a long run of marks without taking quadratic time", () => {
    // Half a second; with an insertion sort it would take many times as long as a test may.
    const text = "\u0301\u0323".repeat(400_000);
    expect(normalize(text, "NFD")).toBe("\u0323".repeat(400_000) + "\u0301".repeat(400_000));
  });
});

function codesOf(text: string): string {
  return Array.from(text, (letter) => letter.codePointAt(0)?.toString(16)).join(" ");
}
