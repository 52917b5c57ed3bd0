import { describe, expect, test } from "vitest";
import { bodyImage, endOf, failureOf, imageOf as imageFrom, resultOf, runRestoring, runToEnd } from "../runs.ts";

/** Bodies that spend their time inside built-ins of the prelude, where snapshots must be possible too. */
const bodies: Record<string, string> = {
  "a search of many slices": `
    const text = "a".repeat(13) + "c";
    return [/(a+)+b/.exec(text), /(?:a+)+c/.test(text), text.replace(/(a|aa)+(?=c)/, (all, last, at) => all.length + last + at)];
  `,
  "a global replacement beyond what is done at once": `
    const text = "xaaab ".repeat(60);
    const hard = /(?:(?:a+)+)b(?!.*q)/g;
    return [text.replace(hard, (m) => m.length).length, text.match(hard).length, text.split(hard).length, [...text.matchAll(hard)].length, text.search(/q|(?:a+)+q/)];
  `,
  "JSON with calls in between": `
    const value = JSON.parse('{"a":[1,{"b":"x"}],"c":null}', (key, item) => typeof item === "number" ? item + 1 : item);
    return JSON.stringify({ value, when: { toJSON: (key) => key } }, (key, item) => key === "c" ? undefined : item, 1);
  `,
  "texts and dates with objects": `
    const like = { toString: () => "b" };
    return ["abcb".replaceAll(like, (m, at) => at), "abc".includes(like), "abc".split(like), new Date({ valueOf: () => 5 }).toJSON(), new RegExp(like, "g").flags];
  `,
};

describe("a snapshot between every two instructions changes nothing", () => {
  test.each(Object.entries(bodies))("%s", async (_name, body) => {
    const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor as new (
      text: string,
    ) => () => Promise<unknown>;
    const native: unknown = JSON.parse(JSON.stringify(await new AsyncFunction(`"use strict"; ${body}`)()));
    const image = bodyImage(`return JSON.parse(JSON.stringify(await (async () => { ${body} })()));`);
    expect(resultOf(runToEnd(image))).toEqual(native);
    expect(resultOf(runRestoring(image))).toEqual(native);
  });
});

test("backtracking without end runs out of fuel and cannot be caught", () => {
  const image = bodyImage(`try { return /(a*)*b/.test("a".repeat(60)); } catch { return "caught"; }`);
  expect(
    failureOf(
      runToEnd(image, "null", {
        fuelPerInputMax: 3_000_000,
        stateBytesMax: 1e8,
        callDepthMax: 1_000,
        openPromisesMax: 10,
      }),
    ),
  ).toBe("OutOfFuel");
});

test("module-level expressions serve where lastIndex ends as it was, and no further", () => {
  const module = (use: string): string =>
    `const WORD = /a+/g; export default workflow("w", async (): Promise<any> => { const text = "aabaa"; return ${use}; });`;
  const run = (use: string) => runToEnd(imageFrom(module(use)));
  expect(
    resultOf(
      run(
        `[text.replace(WORD, "x"), text.match(WORD), [...text.matchAll(WORD)].length, text.split(WORD), text.search(WORD)]`,
      ),
    ),
  ).toEqual(["xbx", ["aa", "aa"], 2, ["", "b", ""], 0]);
  const effects = run(`WORD.test(text)`);
  expect(failureOf(effects)).toBe("CapturedValueWritten");
  expect(endOf(effects).value).toContain("#WORD, which all runs share. With the flag g or y it counts where it stands");
});

test("a replacer that never ends is a RangeError, as in V8", () => {
  const image = bodyImage(
    `try { return JSON.stringify([1], (key, value) => [value]); } catch (error) { return error.name; }`,
  );
  expect(resultOf(runToEnd(image))).toBe("RangeError");
});
