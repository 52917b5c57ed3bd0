import { appendFileSync, readFileSync } from "node:fs";
import { SEMANTICS, builtins } from "@cairnjs/ir";
import { describe, expect, test } from "vitest";
import { costOf, expressionImage } from "../cost.ts";
import { endOf, runToEnd } from "../runs.ts";
import { runWatched } from "../watched.ts";
import { type Use, usesOf } from "./uses.ts";

/** Constants are read like any property, prototypes and namespaces only hold others. */
const used = builtins.filter(({ kind }) => ["function", "constructor", "getter"].includes(kind));

const cases: [title: string, use: Use][] = used.flatMap((builtin) =>
  usesOf(builtin).map((use): [string, Use] => [
    `${builtin.path}: ${use.before} ${use.call}`.replaceAll(/\s+/g, " "),
    use,
  ]),
);

test("every entry of the list has a use", () => {
  expect(used.filter((builtin) => usesOf(builtin).length === 0).map(({ path }) => path)).toEqual([]);
});

describe("what a built-in writes is in the next delta", () => {
  test.each(cases)("%s", (_, use) => {
    const image = expressionImage(use.before, use.call);
    const { effects } = runWatched(image, "3");
    expect(endOf(effects).status).toBe("succeeded");
    expect(effects).toEqual(runToEnd(image, "3"));
  });
});

const SMALL = 512;
const LARGE = SMALL * 16;

/**
 * What each use charges at the larger size, fuel and bytes. When a run fails depends on it, so it belongs to the
 * semantics: a charge that goes away is an error even where other work still grows. `CAIRN_ADD_GOLDEN=1` adds lines that
 * are missing, and never changes one that is there.
 */
const pinnedFile = new URL(`../golden/charges-${SEMANTICS}.txt`, import.meta.url);
const pinned = new Map(
  readFileSync(pinnedFile, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => /^(\d+ \d+) (.*)$/.exec(line)!)
    .map(([, charges, title]) => [title!, charges!]),
);

describe("a built-in pays for its work", () => {
  test.each(cases)("%s", (title, use) => {
    const image = expressionImage(use.before, use.call);
    const [small, large] = [costOf(image, SMALL), costOf(image, LARGE)];
    if (use.constant === undefined) {
      const besides = expressionImage(use.before, use.besides ?? "");
      const work = large.fuel - costOf(besides, LARGE).fuel;
      expect(work).toBeGreaterThanOrEqual(LARGE / 100);
      expect(work).toBeGreaterThanOrEqual(4 * (small.fuel - costOf(besides, SMALL).fuel));
    } else {
      expect(large.fuel - small.fuel).toBeLessThan(64);
    }
    const { charges } = large;
    if (process.env["CAIRN_ADD_GOLDEN"] === "1" && !pinned.has(title)) {
      appendFileSync(pinnedFile, `${charges} ${title}\n`);
      pinned.set(title, charges);
    }
    expect(charges).toBe(pinned.get(title));
  });

  test("nothing is pinned that is no longer there", () => {
    const titles = new Set(cases.map(([title]) => title));
    expect([...pinned.keys()].filter((title) => !titles.has(title))).toEqual([]);
  });
});
