// Cases written by hand, each with the result of Node 20: texts of the groups, after the index.
import { describe, expect, it } from "vitest";
import { compileRegExp } from "./compile.ts";
import { RegExpSyntaxError, RegExpUnsupported } from "./errors.ts";
import { decodeMatchState, encodeMatchState, startMatch, type MatchState } from "./match-state.ts";
import { runMatch } from "./run-match.ts";

type Result = null | readonly (number | string | undefined)[];
/** Pattern, flags, subject, result, and lastIndex if it is not zero. */
type Case = readonly [string, string, string, Result, number?];

const none = undefined;

const CASES: Readonly<Record<string, readonly Case[]>> = {
  "captures are forgotten in each iteration": [
    ["(z)((a+)?(b+)?(c))*", "", "zaacbbbcac", [0, "zaacbbbcac", "z", "ac", "a", none, "c"]],
    ["(?:(a)|(b)|(c))*", "", "abc", [0, "abc", none, none, "c"]],
    ["(?:(a)|b)*", "", "ab", [0, "ab", none]],
    ["((a)|b){2}", "", "ab", [0, "ab", "b", none]],
    ["(?:(a)|b){2}?\\1c", "", "abc", [0, "abc", none]],
    ["(?:(?:(a)|b)\\1)+", "", "aab", [0, "aab", none]],
  ],
  "empty iterations end loops": [
    ["(a*)*", "", "b", [0, "", none]],
    ["(a*)+", "", "b", [0, "", ""]],
    ["(a*)?", "", "", [0, "", none]],
    ["(?:a*?)*?b", "", "aab", [0, "aab"]],
    ["(a?)*?$", "", "aa", [0, "aa", "a"]],
    ["(?:a?){3}b", "", "aab", [0, "aab"]],
    ["(?:|a){2}b", "", "aab", [0, "aab"]],
    ["(|a){2}", "", "aa", [0, "", ""]],
    ["(?:()|a)+b", "", "ab", [0, "ab", none]],
    ["()*x", "", "x", [0, "x", none]],
    ["(){3}x", "", "x", [0, "x", ""]],
    ["(\\b|a)*", "", "aa", [0, "aa", "a"]],
    ["(?:(?=(a))){2}a", "", "a", [0, "a", "a"]],
    ["(?=(a))?a", "", "a", [0, "a", none]],
    ["(?:a{0,2}){2,}", "", "aaaaa", [0, "aaaaa"]],
    ["(?:a??){2,3}$", "", "aaa", [0, "aaa"]],
  ],
  "back-references": [
    ["\\1(a)", "", "aa", [0, "a", "a"]],
    ["(?:\\1(a))+", "", "aaa", [0, "aaa", "a"]],
    ["(a\\1)", "", "aa", [0, "a", "a"]],
    ["\\k<x>(?<x>a)", "", "a", [0, "a", "a"]],
    ["(?<x>a)(?<y>b)\\k<y>\\k<x>", "", "abba", [0, "abba", "a", "b"]],
    ["(a)|\\1b", "", "b", [0, "b", none]],
    ["(?!(a))\\1b", "", "b", [0, "b", none]],
    ["(ab)\\1", "i", "abAB", [0, "abAB", "ab"]],
    ["(\\u017f)\\1", "i", "\u017fs", null],
    ["(\\u017f)\\1", "iu", "\u017fs", [0, "\u017fs", "\u017f"]],
    ["(...)\\1\\u1234", "iu", "ßssssß\u1234", [0, "ßssssß\u1234", "ßss"]],
    ["(...)\\1", "iu", "ßssssß", null],
    ["(.)\\1", "u", "\ud83d\ud83d\ude00", null],
    ["(\\ud83d)\\1", "", "\ud83d\ud83d\ude00", [0, "\ud83d\ud83d", "\ud83d"]],
  ],
  lookahead: [
    ["(?=(a+))", "", "baaabac", [1, "", "aaa"]],
    ["(?=(a+))a*b\\1", "", "baaabac", [3, "aba", "a"]],
    ["(.*?)a(?!(a+)b\\2c)\\2(.*)", "", "baaabaac", [0, "baaabaac", "ba", none, "abaac"]],
    ["(?!(?!(a)))a\\1", "", "aa", [0, "a", none]],
    ["(?=(a|ab))\\1c", "", "abc", null],
    ["((?=(a))a)+b\\2", "", "aab", null],
  ],
  "lookbehind reads to the left": [
    ["(?<=(\\d+)(\\d+))$", "", "1053", [4, "", "1", "053"]],
    ["(?<=\\1(\\d+))x", "", "1212x", [4, "x", "12"]],
    ["(?<=(\\d+)\\1)x", "", "1212x", [4, "x", "1212"]],
    ["(?<=a(.\\2)b(\\1)).{4}", "", "aabcacbc", [3, "cacb", "a", ""]],
    ["(?<!abc)\\w\\w\\w", "", "abcdef", [0, "abc"]],
    ["(?<!a)b", "g", "abb", [2, "b"]],
    ["(?<=^|,)x", "g", "x,x", [2, "x"], 1],
    ["(?<=([^b]{1,2}?)b*)c", "", "aabbc", [4, "c", "a"]],
    ["(?<=(?:a|(b))+)c", "", "bac", [2, "c", "b"]],
    ["(?<=\\ud83d)\\ude00", "u", "😀", null],
    ["(?<=😀)x", "u", "😀x", [2, "x"]],
    ["(?<=(?=(b))?a)b", "", "ab", [1, "b", none]],
  ],
  case: [
    ["[^x]", "i", "X", null],
    ["\\u212a", "i", "k", null],
    ["\\u212a", "iu", "k", [0, "k"]],
    ["[^\\W]", "iu", "\u017f", [0, "\u017f"]],
    ["\\W", "iu", "\u017f", null],
    ["\\b", "iu", "\u017f", [0, ""]],
    ["\\b", "i", "\u017f", null],
    ["ß", "iu", "ẞ", [0, "ẞ"]],
    ["ß", "i", "ẞ", null],
    ["[Å-Å]", "iu", "å", [0, "å"]],
    ["\\u2126", "i", "\u03c9", null],
    ["σ", "i", "ς", [0, "ς"]],
    ["\\u{10400}", "iu", "\u{10428}", [0, "\u{10428}"]],
    ["\\P{Lu}", "iu", "A", [0, "A"]],
    ["\\P{Lu}", "iv", "A", null],
    ["[^\\P{Lu}]", "iu", "a", null],
    ["[^\\P{Lu}]", "iv", "a", [0, "a"]],
    ["İ", "iu", "i", null],
    ["ı", "i", "I", null],
  ],
  surrogates: [
    [".", "", "😀", [0, "\ud83d"]],
    [".", "u", "😀", [0, "😀"]],
    ["^[^x]$", "u", "😀", [0, "😀"]],
    ["^[^x]$", "", "😀", null],
    ["\\ud83d", "u", "😀", null],
    ["\\ud83d", "u", "\ud83dx", [0, "\ud83d"]],
    ["\\ude00", "u", "😀\ude00", [2, "\ude00"]],
    ["\\ud83d\\ude00", "u", "😀", [0, "😀"]],
    ["\\ud83d\\u{de00}", "u", "😀", null],
    ["[😀-😂]+", "u", "😀😁😂😃", [0, "😀😁😂"]],
    ["(?:[^a]{2})$", "u", "a😀😁", [1, "😀😁"]],
    ["\\B", "u", "a😀", [2, ""]],
    [".", "gu", "😀", [0, "😀"], 1],
    [".", "uy", "😀", [0, "😀"], 1],
    ["😀", "gu", "😀", null, 1],
    ["\\B", "uy", "a😀", [2, ""], 2],
    ["\\1😀(a)", "u", "😀a", null],
  ],
  "sticky, and anchors": [
    ["a", "y", "ba", null],
    ["a", "y", "ba", [1, "a"], 1],
    ["^a", "y", "ba", null, 1],
    ["^a", "my", "b\na", [2, "a"], 2],
    ["^b|a", "g", "ab", [0, "a"]],
    ["$", "m", "a\nb", [1, ""]],
    ["a$", "", "aa", [1, "a"]],
    ["(?:a|b)$", "", "cab", [2, "b"]],
    ["\\Bb", "", "ab b", [1, "b"]],
    ["^", "g", "ab", null, 1],
    ["$", "g", "ab", [2, ""], 1],
  ],
  "syntax of Annex B": [
    ["\\c", "", "\\c", [0, "\\c"]],
    ["\\cA", "", "\u0001", [0, "\u0001"]],
    ["[\\c_]", "", "\u001f", [0, "\u001f"]],
    ["[\\c*]+", "", "c\\*", [0, "c\\*"]],
    ["\\8", "", "8", [0, "8"]],
    ["\\18", "", "\u00018", [0, "\u00018"]],
    ["\\377\\400", "", "ÿ 0", [0, "ÿ 0"]],
    ["(a)\\2", "", "a\u0002", [0, "a\u0002", "a"]],
    ["a{", "", "a{", [0, "a{"]],
    ["a{,2}", "", "a{,2}", [0, "a{,2}"]],
    ["x{1}{", "", "x{", [0, "x{"]],
    ["]}", "", "]}", [0, "]}"]],
    ["\\k<a>", "", "k<a>", [0, "k<a>"]],
    ["\\u{2}", "", "uu", [0, "uu"]],
    ["[\\d-z]+", "", "1-z", [0, "1-z"]],
    ["[a-\\d]+", "", "a-5", [0, "a-5"]],
    ["\\p{L}", "", "p{L}", [0, "p{L}"]],
    ["[^]", "", "\n", [0, "\n"]],
    ["[]", "", "a", null],
    ["(?=a)*b", "", "b", [0, "b"]],
    ["(?=(a))+a", "", "a", [0, "a", "a"]],
  ],
  "sets of the v flag": [
    ["^[\\p{L}--[a-z]]$", "v", "A", [0, "A"]],
    ["^[\\p{L}--[a-z]]$", "v", "a", null],
    ["[\\p{L}&&\\p{ASCII}]+", "v", "éabc", [1, "abc"]],
    ["[\\q{abc|ab|a}]c", "v", "abcc", [0, "abcc"]],
    ["[\\q{abc|ab|a}]c", "v", "abc", [0, "abc"]],
    ["^[\\q{|ab}x]*$", "v", "xabx", [0, "xabx"]],
    ["(?<=[\\q{ab|b}])$", "v", "ab", [2, ""]],
    ["(?<=([\\q{ab|b}]))$", "v", "ab", [2, "", "ab"]],
    ["^\\p{RGI_Emoji}$", "v", "👨‍👩‍👧‍👦", [0, "👨‍👩‍👧‍👦"]],
    ["\\p{Emoji_Keycap_Sequence}", "v", "x1️⃣", [1, "1️⃣"]],
    ["^[\\p{RGI_Emoji}--\\q{👍🏽}]$", "v", "👍🏽", null],
    ["[\\q{AB}]", "iv", "ab", [0, "ab"]],
    ["[\\w--a]", "iv", "a", [0, "a"]],
    ["[\\w--[a]]", "iv", "a", null],
    ["[[^a]&&[ab]]", "v", "ab", [1, "b"]],
    ["[^]+", "v", "ab", [0, "a"]],
    ["[^]$", "v", "ab", null],
    ["[[a-z]&&[^aeiou]]+", "v", "aexyz", [2, "xyz"]],
  ],
  quantifiers: [
    ["a{2}", "", "aaa", [0, "aa"]],
    ["a{2,}?", "", "aaa", [0, "aa"]],
    ["a{0}b", "", "ab", [1, "b"]],
    ["(?:ab){2,3}", "", "abababab", [0, "ababab"]],
    ["(?:ab){2,3}?", "", "abababab", [0, "abab"]],
    ["(a|ab)(c|bcd)(d*)", "", "abcd", [0, "abcd", "a", "bcd", ""]],
    ["[a-c]{2,3}?c", "", "abcc", [0, "abc"]],
    ["(?:a{2}){2}a", "", "aaaaa", [0, "aaaaa"]],
    ["a{4294967297}", "", "aa", null],
    ["(a{1,2}){2}", "", "aaa", [0, "aaa", "a"]],
    ["(?:(a+)(b?)){2,}c", "", "aabac", [0, "aabac", "a", ""]],
  ],
};

for (const [what, cases] of Object.entries(CASES)) {
  describe(`${what}:`, () => {
    for (const [source, flags, subject, result, lastIndex = 0] of cases) {
      const title = `/${source}/${flags} on ${JSON.stringify(subject)}`;
      it.runIf(process.version.startsWith("v20."))(`${title}, natively`, () => {
        expect(nativeResult(source, flags, subject, lastIndex)).toEqual(result);
      });
      it(`${title}, by us`, () => {
        const program = compileRegExp(source, flags);
        const state = startMatch(program, lastIndex);
        const steps = runMatch(program, subject, state, 100_000);
        expect(resultOf(state, subject)).toEqual(result);
        for (const slice of [1, 2, 3, 7]) {
          const [sliced, slicedSteps] = runSliced(source, flags, subject, lastIndex, slice);
          expect([resultOf(sliced, subject), slicedSteps]).toEqual([result, steps]);
        }
      });
    }
  });
}

describe("patterns that are refused", () => {
  it("have V8's messages", () => {
    for (const [source, flags, reason] of [
      ["(", "", "Unterminated group"],
      ["a**", "gi", "Nothing to repeat"],
      ["[b-a]", "", "Range out of order in character class"],
      ["\\", "", "\\ at end of pattern"],
      ["(?<a>)|(?<a>)", "", "Duplicate capture group name"],
      ["\\k<a>", "u", "Invalid named capture referenced"],
      ["a{2,1}", "", "numbers out of order in {} quantifier"],
      ["(?<=a)*", "", "Invalid quantifier"],
      ["\\p{Foo}", "u", "Invalid property name"],
      ["(?i:a)", "", "Invalid group"],
      ["[^\\q{ab}]", "v", "Negated character class may contain strings"],
    ] as const) {
      const ordered = Array.from(flags).sort().join("");
      expect(() => compileRegExp(source, flags)).toThrow(
        new RegExpSyntaxError(`Invalid regular expression: /${source}/${ordered}: ${reason}`),
      );
    }
    for (const flags of ["x", "gg", "uv", "G"]) {
      expect(() => compileRegExp("a", flags)).toThrow(
        new RegExpSyntaxError(`Invalid flags supplied to RegExp constructor '${flags}'`),
      );
    }
  });

  it("include those on which V8 of Node 20 crashes or errs", () => {
    for (const source of ["[\\P{Any}]", "[^[\\P{Any}]]", "[\\p{L}--\\q{z|b}]", "[\\q{b|a}&&[ab]]"]) {
      expect(() => compileRegExp(source, "v")).toThrow(RegExpUnsupported);
    }
    for (const source of ["[\\P{Any}a]", "[\\p{L}--\\q{b|z}]", "[\\q{b|a}]"])
      expect(() => compileRegExp(source, "v")).not.toThrow();
  });
});

it("names of groups are known by number", () => {
  const { groupCount, groupNames } = compileRegExp("(a)(?<one>b)(?<𝒜>c)(?:d)", "");
  expect([groupCount, groupNames]).toEqual([4, [undefined, undefined, "one", "𝒜"]]);
});

function runSliced(
  source: string,
  flags: string,
  subject: string,
  lastIndex: number,
  slice: number,
): [MatchState, number] {
  const program = compileRegExp(source, flags);
  let state = startMatch(program, lastIndex);
  let steps = 0;
  while (state.status === "running") {
    steps += runMatch(program, subject, state, slice);
    state = decodeMatchState(encodeMatchState(state), program, subject.length);
  }
  return [state, steps];
}

function resultOf({ status, captures }: MatchState, subject: string): Result {
  if (status !== "matched") return null;
  const texts = captures.flatMap((slot, index) => {
    if (index % 2 === 1) return [];
    return [slot < 0 ? undefined : subject.slice(slot, captures[index + 1])];
  });
  return [captures[0], ...texts];
}

function nativeResult(source: string, flags: string, subject: string, lastIndex: number): Result {
  const native = new RegExp(source, flags);
  native.lastIndex = lastIndex;
  const match = native.exec(subject);
  return match && [match.index, ...match];
}
