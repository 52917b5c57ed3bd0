import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fakeContext, outcome, toNative } from "../../test/text/fake-context.ts";
import { parseJson } from "./json-parse.ts";
import { VArray } from "../heap/value.ts";

const context = fakeContext();
const ours = (text: string): unknown => outcome(context, () => toNative(context, parseJson(context, text)));
const native = (text: string): unknown => outcome(context, () => JSON.parse(text) as unknown);

/** Messages are those of Node 20; other hosts have other words, and are asked for value and class only. */
const sameWords = process.versions.node.startsWith("20.");

function expectSame(text: string): void {
  const got = ours(text) as { error?: { message: string } };
  const wanted = native(text) as { error?: { message: string } };
  if (!sameWords && got.error !== undefined && wanted.error !== undefined) return;
  expect(got, JSON.stringify(text)).toEqual(wanted);
  expect(JSON.stringify(got)).toBe(JSON.stringify(wanted));
}

/** Valid texts with something cut, doubled or replaced. */
const damaged = fc
  .tuple(
    fc.json({ maxDepth: 3 }),
    fc.array(
      fc.tuple(
        fc.nat(),
        fc.nat(3),
        fc.constantFrom(
          ..."{}[]:,\"'\\tfnu0123456789-+.eE \n\t\u0001x\u00e9/b",
          "\\u00",
          "\\ud800",
          "",
          "null",
          "1e5",
          '"__proto__":1,',
        ),
      ),
      { maxLength: 3 },
    ),
  )
  .map(([text, changes]) =>
    changes.reduce((result, [at, cut, insert]) => {
      const position = at % (result.length + 1);
      return result.slice(0, position) + insert + result.slice(position + cut);
    }, text),
  );

describe("JSON.parse", () => {
  it("reads valid texts as the host does", () => {
    fc.assert(fc.property(fc.json(), expectSame), { seed: 31, numRuns: 3_000 });
  });

  it("reads damaged texts, or rejects them in Node 20's words", () => {
    fc.assert(fc.property(damaged, expectSame), { seed: 32, numRuns: 20_000 });
  });

  it.each([
    "",
    " ",
    "undefined",
    "[object Object]",
    "NaN",
    "Infinity",
    "-Infinity",
    "-0",
    "01",
    "-",
    "1.",
    "1e",
    "1e+",
    ".5",
    "nul",
    "nulx",
    "{",
    "[",
    "[1",
    "[1,",
    "[1,]",
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a":1,',
    '{"a":1,}',
    "{a:1}",
    "{'a':1}",
    '"',
    '"a',
    '"\\',
    '"\\u',
    '"\\u12',
    '"\\u12"',
    '"\\x"',
    '"\n"',
    "1 2",
    "{} x",
    "[1 2]",
    '{"a" 1}',
    '{"__proto__":{"x":1},"constructor":2}',
    '{"b":1,"a":2,"1":3,"b":4}',
    "x".repeat(30),
    `${" ".repeat(15)}x${" ".repeat(15)}`,
    `${" ".repeat(30)}x`,
    `${" ".repeat(11)}x${" ".repeat(9)}`,
    "\ufeff1",
    "\u00a01",
    "12345678901234567890",
    "123456789",
    "1234567890",
    "1e400",
    "-1e400",
    "5e-324",
    '"\\ud83d\\ude00\\/\\b\\f\\n\\r\\t\\""',
    "tru1",
    'tru"',
    "tru-",
  ])("agrees on %j", (text) => {
    expectSame(text);
  });

  it("reads depth without host stack", () => {
    const depth = 200_000;
    const value = parseJson(context, "[".repeat(depth) + "]".repeat(depth));
    let levels = 0;
    for (let at = value; at instanceof VArray; at = at.items[0]) levels++;
    expect(levels).toBe(depth);
  });

  it("pays before it reads", () => {
    const paying = fakeContext();
    paying.charge = () => {
      throw new Error("out of fuel");
    };
    expect(() => parseJson(paying, "1".repeat(1_000_000))).toThrow("out of fuel");
  });
});
