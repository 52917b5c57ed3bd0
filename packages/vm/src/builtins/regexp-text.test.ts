import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fakeContext, outcome, toNative } from "../../test/text/fake-context.ts";
import type { VMatch } from "../heap/match.ts";
import type { VRegExp } from "../heap/data.ts";
import type { VArray, Value } from "../heap/value.ts";
import { EngineError } from "../machine/host.ts";
import { decodeMatchState, encodeMatchState } from "../regexp/match-state.ts";
import { regexpOperations } from "./operations-regexp.ts";
import { programAt } from "./regexp-programs.ts";
import { createRegExp, regexpBuiltins } from "./regexp.ts";

const context = fakeContext();
const operate = (name: string, ...args: Value[]): Value => regexpOperations[name]!(context, args);

const source = fc.constantFrom(
  "a",
  "b|ab",
  "(a)(b)?",
  "a*",
  "(?:)",
  "^a",
  "a$",
  "(?<first>a)(?<second>b)?",
  "[ab]+",
  "(a*)*",
  "\\b",
  "(?=b)",
  "(?<=a)b",
  "(?<!a)b",
  "(.)\\1",
  ".",
  "\\u{1F600}|a",
  "(?<x>.)(?<y>.)?",
  "$",
  "[^a]",
  "\\s+",
  "(?:a|(b))+",
  "\\ud83d",
  "a+?b?",
  "(|a)b",
);
const flags = fc.subarray([..."dgimsuy"]).map((letters) => letters.join(""));
const characters = fc.constantFrom(..."aabbA \n$1", "\u{1f600}", "\ud83d", "\ude00");
const text = fc.array(characters, { maxLength: 12 }).map((parts) => parts.join(""));
const template = fc
  .array(
    fc.constantFrom("$1", "$2", "$10", "$&", "$`", "$'", "$$", "$<x>", "$<first>", "$<none>", "$<", "$", "-", "$0"),
    { maxLength: 4 },
  )
  .map((parts) => parts.join(""));
const lastIndex = fc.oneof(fc.integer({ min: -2, max: 14 }), fc.constantFrom(0, "2", null, undefined, NaN, 1.5, 1e20));

/** Both expressions, or null where the pattern is none under these flags. */
function pair(pattern: string, letters: string, index: Value): { ours: VRegExp; native: RegExp } | null {
  let native: RegExp;
  try {
    native = new RegExp(pattern, letters);
  } catch (error) {
    expect(outcome(context, () => createRegExp(context, pattern, letters))).toEqual(
      outcome(context, () => new RegExp(pattern, letters)),
    );
    expect(error).toBeInstanceOf(SyntaxError);
    return null;
  }
  const ours = createRegExp(context, pattern, letters);
  native.lastIndex = index as number;
  ours.write("lastIndex", index);
  return { ours, native };
}

function property(check: (ours: VRegExp, native: RegExp, input: string, extra: string) => void): void {
  fc.assert(
    fc.property(source, flags, lastIndex, text, template, (pattern, letters, index, input, extra) => {
      const both = pair(pattern, letters, index);
      if (both === null) return;
      check(both.ours, both.native, input, extra);
      expect(both.ours.read("lastIndex")).toEqual(both.native.lastIndex);
    }),
    { seed: 91, numRuns: 2_000 },
  );
}

/** Arrays of matches have named properties: compared as entries. */
function shown(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return Object.entries(value).map(([key, member]) => [key, shown(member)]);
}

const native = (value: unknown): unknown => shown(value);
const ours = (value: Value): unknown => shown(toNative(context, value));

describe("regular expressions against the host", () => {
  it("exec and test", () => {
    property((regexp, theirs, input) => {
      expect(ours(operate("regexpExec", regexp, input))).toEqual(native(theirs.exec(input)));
      expect(operate("regexpTest", regexp, input)).toEqual(theirs.test(input));
    });
  });

  it("match", () => {
    property((regexp, theirs, input) => {
      expect(ours(operate("regexpMatch", regexp, input))).toEqual(native(input.match(theirs)));
    });
  });

  it("replace", () => {
    property((regexp, theirs, input, extra) => {
      expect(operate("regexpReplace", regexp, input, extra)).toEqual(input.replace(theirs, extra));
    });
  });

  it("search", () => {
    property((regexp, theirs, input) => {
      expect(operate("regexpSearch", regexp, input)).toEqual(input.search(theirs));
    });
  });

  it("split", () => {
    property((regexp, theirs, input, extra) => {
      const limit = extra.length > 3 ? extra.length - 3 : 0xffffffff;
      expect(ours(operate("regexpSplit", regexp, input, limit))).toEqual(native(input.split(theirs, limit)));
    });
  });

  it("source, flags and the accessors of flags", () => {
    property((regexp, theirs) => {
      for (const name of [
        "source",
        "flags",
        "global",
        "ignoreCase",
        "multiline",
        "dotAll",
        "unicode",
        "unicodeSets",
        "sticky",
        "hasIndices",
      ]) {
        const value = regexpBuiltins[`RegExp.prototype.${name}`]!.get!(context, regexp, []);
        expect(value).toBe((theirs as unknown as Record<string, unknown>)[name]);
      }
    });
  });
});

describe("sliced searches", () => {
  /** As the prelude does it, with the state stored and restored between slices. */
  function all(regexp: VRegExp, input: string): unknown[] {
    const match = operate("matchStart", regexp, input, 0) as unknown as VMatch;
    const found: unknown[] = [];
    for (;;) {
      while (operate("matchRun", match) !== true) {
        const program = programAt(context.realm, match.source, match.flags);
        match.state = decodeMatchState(encodeMatchState(match.state), program, input.length);
      }
      if (operate("matchFound", match) !== true) return found;
      found.push(ours(operate("matchArray", match)));
      operate("matchAgain", match);
    }
  }

  it("finds what the host's matchAll finds", () => {
    fc.assert(
      fc.property(source, flags, text, (pattern, letters, input) => {
        const both = pair(pattern, letters.includes("g") ? letters : `${letters}g`, 0);
        if (both !== null) expect(all(both.ours, input)).toEqual([...input.matchAll(both.native)].map(native));
      }),
      { seed: 92, numRuns: 2_000 },
    );
  });

  it("gives the same in many slices as at once", () => {
    const input = "xaaab ".repeat(5_000);
    const regexp = createRegExp(context, "(a+)(b)", "g");
    expect(operate("regexpMatch", regexp, input)).toBe(undefined);
    expect(all(regexp, input)).toEqual([...input.matchAll(/(a+)(b)/g)].map(native));
  });

  it("is charged for every step, so that backtracking without end is ended", () => {
    const poor = fakeContext();
    poor.charge = (fuel) => {
      poor.fuel += fuel;
      if (poor.fuel > 1_000_000) throw new EngineError("OutOfFuel", "spent");
    };
    const regexp = createRegExp(poor, "(a*)*b", "");
    const match = regexpOperations["matchStart"]!(poor, [regexp, "a".repeat(40), 0]);
    expect(() => {
      while (regexpOperations["matchRun"]!(poor, [match]) !== true) continue;
    }).toThrow("spent");
  });
});

describe("what an expression may be", () => {
  it("refuses expressions with methods of their own", () => {
    for (const key of ["exec", "constructor", "flags"]) {
      const regexp = createRegExp(context, "a", "");
      regexp.write(key, 1);
      expect(() => operate("regexpTest", regexp, "a")).toThrow(EngineError);
    }
  });

  it("does not write a lastIndex that ends as it was", () => {
    const fresh = fakeContext();
    const regexp = createRegExp(fresh, "a", "g");
    regexpOperations["regexpReplace"]!(fresh, [regexp, "banana", "o"]);
    expect((regexpOperations["regexpMatch"]!(fresh, [regexp, "banana"]) as unknown as VArray).items).toHaveLength(3);
    regexpOperations["regexpSearch"]!(fresh, [regexp, "banana"]);
    expect(fresh.touched).toEqual([]);
    regexpOperations["regexpTest"]!(fresh, [regexp, "banana"]);
    expect(fresh.touched).toEqual([regexp]);
  });

  it("throws V8's error for a lastIndex that is read-only", () => {
    const regexp = createRegExp(context, "a", "g");
    regexp.attributes = new Map([["lastIndex", 0]]);
    const frozen = Object.freeze(/a/g);
    expect(outcome(context, () => operate("regexpTest", regexp, "b"))).toEqual(
      outcome(context, () => frozen.test("b")),
    );
    expect(outcome(context, () => operate("regexpMatch", regexp, "b"))).toEqual(
      outcome(context, () => "b".match(frozen)),
    );
    expect(outcome(context, () => operate("requireSearchable", regexp))).toEqual(
      outcome(context, () => "b".search(frozen)),
    );
  });
});
