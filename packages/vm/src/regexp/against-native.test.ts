// Random patterns and subjects: our matcher against the RegExp of Node 20, whose deviations from the
// specification are part of what is compared. On other versions only the recorded digest is checked.
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { compileRegExp } from "./compile.ts";
import { RegExpSyntaxError, RegExpUnsupported } from "./errors.ts";
import { decodeMatchState, encodeMatchState, startMatch } from "./match-state.ts";
import type { RegExpProgram } from "./program.ts";
import { runMatch } from "./run-match.ts";

const isNode20 = process.version.startsWith("v20.");
const STEPS_MAX = 300_000;

describe.runIf(isNode20)("on Node 20", () => {
  for (const mode of ["", "u", "v"]) {
    it(`random patterns match as natively, flags ${mode}… (seed 1)`, () => {
      let pairs = 0;
      const differences: unknown[] = [];
      for (const { source, flags, subjects } of randomCases(1, mode, 1_250)) {
        const program = compiled(source, flags);
        if (program === undefined) continue;
        const native = new RegExp(source, flags);
        for (const [subject, lastIndex] of subjects) {
          const captures = match(program, subject, lastIndex, STEPS_MAX);
          if (captures === "unfinished") continue;
          native.lastIndex = lastIndex;
          const expected = native.exec(subject)?.indices?.flatMap((span) => span ?? [-1, -1]) ?? null;
          const isEqual = JSON.stringify(expected) === JSON.stringify(captures);
          if (!isEqual) differences.push({ source, flags, subject, lastIndex, captures, expected });
          pairs++;
        }
      }
      expect(differences).toEqual([]);
      expect(pairs).toBeGreaterThan(10_000);
    });
  }

  it("random garbage is accepted or refused as natively, with the same message (seed 2)", () => {
    const random = randomNumbers(2);
    let refused = 0;
    const differences: unknown[] = [];
    for (let round = 0; round < 12_000; round++) {
      const mode = ["", "u", "v"][random(3)] ?? "";
      const source = random(3) === 0 ? damaged(random, mode) : garbage(random);
      const flags = mode + (random(4) === 0 ? "i" : "") + (random(30) === 0 ? "x" : "");
      const message = messageOf(() => compileRegExp(source, flags));
      // V8 may crash on the others.
      if (message === "unsupported") continue;
      const expected = messageOf(() => new RegExp(source, flags));
      if (message !== expected) differences.push({ source, flags, message, expected });
      if (message !== undefined) refused++;
    }
    expect(differences).toEqual([]);
    expect(refused).toBeGreaterThan(7_000);
  });
});

it("a match that is interrupted, stored and restored ends like one that is not, after as many steps (seed 3)", () => {
  let interruptions = 0;
  for (const mode of ["", "u", "v"]) {
    for (const { source, flags, subjects } of randomCases(3, mode, 120)) {
      const program = compiled(source, flags);
      if (program === undefined) continue;
      for (const [subject, lastIndex] of subjects) {
        const whole = startMatch(program, lastIndex);
        const wholeSteps = runMatch(program, subject, whole, 20_000);
        if (whole.status === "running") continue;
        let sliced = startMatch(program, lastIndex);
        let slicedSteps = 0;
        for (let slice = 1; sliced.status === "running"; slice = (slice % 5) + 1) {
          slicedSteps += runMatch(program, subject, sliced, slice);
          const stored: number[] = JSON.parse(JSON.stringify(encodeMatchState(sliced)));
          sliced = decodeMatchState(stored, program, subject.length);
          interruptions++;
        }
        expect([sliced.status, sliced.captures, slicedSteps]).toEqual([whole.status, whole.captures, wholeSteps]);
      }
    }
  }
  expect(interruptions).toBeGreaterThan(20_000);
});

it("all results are the recorded ones, on every version of Node (seed 4)", () => {
  const hash = createHash("sha256");
  for (const mode of ["", "u", "v"]) {
    for (const { source, flags, subjects } of randomCases(4, mode, 400)) {
      const program = compiled(source, flags);
      for (const [subject, lastIndex] of program === undefined ? [] : subjects) {
        hash.update(`${String(program && match(program, subject, lastIndex, STEPS_MAX))};`);
      }
    }
  }
  expect(hash.digest("hex").slice(0, 32)).toMatchInlineSnapshot(`"660b16fdd1f28b409239cfdf7395fb65"`);
});

function match(program: RegExpProgram, subject: string, lastIndex: number, steps: number): number[] | string | null {
  const state = startMatch(program, lastIndex);
  runMatch(program, subject, state, steps);
  if (state.status === "matched") return state.captures;
  return state.status === "failed" ? null : "unfinished";
}

function compiled(source: string, flags: string): RegExpProgram | undefined {
  try {
    return compileRegExp(source, flags);
  } catch (error) {
    if (error instanceof RegExpSyntaxError || error instanceof RegExpUnsupported) return undefined;
    throw error;
  }
}

function messageOf(compile: () => unknown): string | undefined {
  try {
    compile();
    return undefined;
  } catch (error) {
    return error instanceof RegExpUnsupported ? "unsupported" : (error as Error).message;
  }
}

type Random = (below: number) => number;

/** Mulberry32. */
function randomNumbers(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

interface Case {
  readonly source: string;
  readonly flags: string;
  readonly subjects: readonly (readonly [string, number])[];
}

function* randomCases(seed: number, mode: string, count: number): Generator<Case> {
  const random = randomNumbers(seed);
  for (let round = 0; round < count; round++) {
    const source = new PatternGenerator(random, mode).pattern();
    // With d natively, so that positions and not only texts are compared.
    const flags = `${mode}d${Array.from("gimsy")
      .filter((flag) => random(flag === "i" ? 2 : 4) === 0)
      .join("")}`;
    const mayStartLater = flags.includes("g") || flags.includes("y");
    const subjects = Array.from({ length: 11 }, () => {
      const subject = randomSubject(random);
      return [subject, mayStartLater ? Math.min(random(4), subject.length) : 0] as const;
    });
    yield { source, flags, subjects };
  }
}

const WIDE = Array.from("abcABx0_ \néÉßſsSkK\u212aσςΣ😀😁𐐀𐐨-ẞ").concat("\ud83d", "\ude00");
const NARROW = Array.from("abcABx01_ \nésS-ß\\{k");

function randomSubject(random: Random): string {
  const letters = random(2) === 0 ? WIDE : NARROW;
  const pool = random(2) === 0 ? ["a", "b"] : letters;
  return Array.from({ length: random(9) }, () => pick(random, random(2) === 0 ? pool : letters)).join("");
}

function pick(random: Random, items: readonly string[]): string {
  return items[random(items.length)] ?? "";
}

const QUANTIFIERS = "* + ? *? +? ?? {2} {1,2} {0,2} {2,} {1,3}? {0} {2,}? {0,1} {3}".split(" ");
const CHARACTERS = Array.from("abcABx01_éÉßſsSkK\u212aσςΣ-").concat(" ", "\\n", "😀");
const UNICODE_CHARACTERS = "😁 \\u{1f600} \\ud83d \\ude00 \\ud83d\\ude00 𐐀 𐐨 \\/".split(" ");
const LEGACY_CHARACTERS =
  "\\ud83d \\ude00 \\- \\8 \\c \\cA \\x41 \\x4 \\u0061 \\u006 \\07 \\101 { } ] \\k a{ a{1 \\q".split(" ");
const ESCAPES = "\\d \\D \\w \\W \\s \\S".split(" ");
const PROPERTIES = "\\p{Lu} \\P{Lu} \\p{L} \\p{Ll} \\P{Ll} \\p{sc=Greek} \\p{Emoji} \\p{ASCII} \\P{ASCII}".split(" ");
const RANGES = "a-c A-Z 0-9 b-x".split(" ");
const MEMBERS = Array.from("abcAxz0_skéßſσ\u212a");

class PatternGenerator {
  readonly #random: Random;
  readonly #mode: string;
  readonly #names: string[] = [];
  #groups = 0;

  constructor(random: Random, mode: string) {
    this.#random = random;
    this.#mode = mode;
  }

  pattern(): string {
    return this.#alternatives(this.#random(4));
  }

  #alternatives(depth: number): string {
    const count = [2, 3][this.#random(5)] ?? 1;
    return Array.from({ length: count }, () => (this.#random(9) === 0 ? "" : this.#sequence(depth))).join("|");
  }

  #sequence(depth: number): string {
    return Array.from({ length: 1 + this.#random(Math.min(3, depth + 2)) }, () => this.#term(depth)).join("");
  }

  #term(depth: number): string {
    if (this.#random(12) === 0) return this.#pick(["^", "$", "\\b", "\\B"]);
    const atom = this.#atom(depth);
    const isLook = this.#mode === "" ? /^\(\?<[=!]/.test(atom) : /^\(\?<?[=!]/.test(atom);
    return isLook || this.#random(3) > 0 ? atom : atom + this.#pick(QUANTIFIERS);
  }

  #atom(depth: number): string {
    const kind = this.#random(depth > 0 ? 20 : 10);
    if (kind < 5) return this.#pick([...CHARACTERS, ...(this.#mode === "" ? LEGACY_CHARACTERS : UNICODE_CHARACTERS)]);
    if (kind < 7) return this.#pick([".", ...this.#escapes(), ...(this.#mode === "" ? [] : ["\\p{Any}"])]);
    if (kind < 9) return this.#mode === "v" ? this.#classSet(2) : this.#class();
    if (kind === 9) return this.#pick(["\\1", "\\2", "\\3", ...this.#names.map((name) => `\\k<${name}>`)]);
    if (kind >= 14) return this.#group(this.#pick(["(?:", "(?:", "(?=", "(?!", "(?<=", "(?<!"]), depth);
    this.#groups++;
    if (this.#random(5) > 0) return this.#group("(", depth);
    this.#names.push(`n${this.#groups}`);
    return this.#group(`(?<n${this.#groups}>`, depth);
  }

  #group(opening: string, depth: number): string {
    return `${opening}${this.#alternatives(depth - 1)})`;
  }

  #class(): string {
    const extra = this.#mode === "" ? "- \\ud83d \\ude00 \\b \\c0 \\x41 😀 \\101 \\-" : "😀 😁 \\ud83d \\ude00 𐐀 \\-";
    const ranges = [...RANGES, ...(this.#mode === "" ? ["ß-é"] : ["😀-😅", "a-\\u{10ffff}"])];
    const members = Array.from({ length: this.#random(4) }, () => {
      const kind = this.#random(5);
      return this.#pick(kind === 0 ? ranges : kind === 1 ? this.#escapes() : [...MEMBERS, ...extra.split(" ")]);
    });
    return `[${this.#random(4) === 0 ? "^" : ""}${members.join("")}]`;
  }

  #classSet(depth: number): string {
    const operator = this.#pick(["--", "&&", "", ""]);
    const operands = Array.from({ length: (operator === "" ? 0 : 2) + this.#random(3) }, () =>
      operator === "" && this.#random(4) === 0 ? this.#pick([...RANGES, "😀-😅"]) : this.#operand(depth),
    );
    return `[${this.#random(5) === 0 ? "^" : ""}${operands.join(operator)}]`;
  }

  #operand(depth: number): string {
    const kind = this.#random(7);
    if (kind === 0 && depth > 0) return this.#classSet(depth - 1);
    if (kind === 1) return this.#pick(this.#escapes());
    if (kind > 2) return this.#pick([...MEMBERS, "😀", "😁", "\\ud83d", "\\ude00", "𐐀", "\\-"]);
    const string = (): string =>
      Array.from({ length: this.#random(4) }, () => this.#pick(Array.from("abAsſ😀k\u212aß"))).join("");
    return `\\q{${Array.from({ length: 1 + this.#random(3) }, string).join("|")}}`;
  }

  #escapes(): string[] {
    return this.#mode === "" ? ESCAPES : [...ESCAPES, ...PROPERTIES];
  }

  #pick(items: readonly string[]): string {
    return pick(this.#random, items);
  }
}

const TOKENS = [
  ..."( ) [ ] { } * + ? | ^ $ . \\ - a b 0 1 8 , {1} {1,2} {2,1} {,1} {99999999999} (?: (?= (?! (?<= (?<!".split(" "),
  ..."(?<a> (?<b> (?< (? (?i: \\k<a> \\k< \\k \\1 \\2 \\10 \\0 \\00 \\u{61} \\u{ \\u0061 \\ud83d \\ude00 \\u".split(
    " ",
  ),
  ..."\\x41 \\x \\c \\cA \\c1 \\d \\w \\b \\B \\p{L} \\p{ \\p \\P{Foo} \\p{sc=Greek} \\p{Script=Foo} \\p{L=L}".split(
    " ",
  ),
  ..."\\q{ab|c} \\q && -- ~~ !! & ! # / \\/ \\- \\& [^ [a-z] z-a < > = : 😀 é 𝒜 \\u{110000} (?<𝒜> \\_ _".split(" "),
].concat("\ud83d", "\ude00", "\n");

function garbage(random: Random): string {
  return Array.from({ length: 1 + random(7) }, () => pick(random, TOKENS)).join("");
}

function damaged(random: Random, mode: string): string {
  const source = new PatternGenerator(random, mode).pattern();
  const position = random(source.length + 1);
  const rest = random(2) === 0 ? pick(random, TOKENS) + source.slice(position) : source.slice(position + 1 + random(3));
  return source.slice(0, position) + rest;
}
