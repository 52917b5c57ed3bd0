// Which characters a class matches, over the first two planes, which hold every letter that has case.
import { describe, expect, it } from "vitest";
import { propertyOfStrings } from "../unicode/properties.ts";
import { UNICODE_VERSION } from "../unicode/data/unicode-version.ts";
import { compileRegExp } from "./compile.ts";
import { startMatch } from "./match-state.ts";
import { runMatch } from "./run-match.ts";

const isTableHost = process.version.startsWith("v20.") && process.versions.unicode === UNICODE_VERSION;

describe.runIf(isTableHost)("on the Node whose tables these are", () => {
  it("properties and their complements match as natively, with and without case, u and v", () => {
    const text = lettersOf(0, 0xdbff) + lettersOf(0xe000, 0x1ffff);
    const names = ["Lu", "Ll", "gc=Lt", "sc=Greek", "scx=Zyyy", "CI", "CWCF", "Cased", "ASCII", "ASCII_Hex_Digit", "L"];
    const patterns = names.flatMap((name) => [`\\p{${name}}`, `\\P{${name}}`, `[^\\p{${name}}]`, `[^\\P{${name}}]`]);
    const differences: string[] = [];
    for (const pattern of [
      ...patterns,
      "\\w",
      "\\W",
      "[^\\w]",
      "\\s",
      "[\\s\\S]",
      "[^\\d\\D]",
      ".",
      "[a-zß]",
      "[^a-zß]",
    ]) {
      for (const flags of ["gu", "giu", "gv", "giv"]) {
        const native = Array.from(text.matchAll(new RegExp(`${pattern}+`, flags)), ({ index, 0: match }) => [
          index,
          index + match.length,
        ]);
        if (native.join() !== allMatches(`${pattern}+`, flags, text).join()) differences.push(`${pattern} ${flags}`);
      }
    }
    expect(differences).toEqual([]);
  });

  it("properties of strings find the same sequences in running text", () => {
    const emoji = (propertyOfStrings("RGI_Emoji") ?? []).map((member) => String.fromCodePoint(...member));
    const text = emoji.filter((_, index) => index % 7 === 0).join("\u200dx\ufe0f");
    for (const property of ["RGI_Emoji", "Basic_Emoji", "RGI_Emoji_ZWJ_Sequence", "Emoji_Keycap_Sequence"]) {
      const native = Array.from(text.matchAll(new RegExp(`\\p{${property}}`, "gv")), ({ index }) => index);
      expect(allMatches(`\\p{${property}}`, "gv", text).map(([start]) => start)).toEqual(native);
    }
  });
});

function allMatches(source: string, flags: string, text: string): number[][] {
  const program = compileRegExp(source, flags);
  const spans: number[][] = [];
  for (let from = 0; from <= text.length;) {
    const state = startMatch(program, from);
    while (state.status === "running") runMatch(program, text, state, 1_000_000);
    if (state.status !== "matched") break;
    spans.push(state.captures.slice(0, 2));
    from = state.captures[1] ?? 0;
  }
  return spans;
}

function lettersOf(from: number, to: number): string {
  const letters: string[] = [];
  for (let codePoint = from; codePoint <= to; codePoint++) letters.push(String.fromCodePoint(codePoint));
  return letters.join("");
}
