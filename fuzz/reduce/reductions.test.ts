import { expect, test } from "vitest";
import { generateModule } from "../generate/module.ts";
import { parseTree } from "../run/syntax-tree.ts";
import { reductions } from "./reductions.ts";

/** Takes the first reduction that keeps the needle, until none does. */
function reduce(source: string, needle: RegExp): string {
  const smaller = reductions(source).find((reduction) => needle.test(reduction.source) && parses(reduction.source));
  return smaller === undefined ? source : reduce(smaller.source, needle);
}

function parses(source: string): boolean {
  try {
    parseTree("reduced.ts", source);
    return true;
  } catch {
    return false;
  }
}

test("a large module shrinks to the statement that matters", () => {
  const source = generateModule({ seed: 11, size: 40 }).replace(
    "\n});",
    '\nconst needle = [1, { deep: f("NEEDLE") }];\n});',
  );
  const reduced = reduce(source, /NEEDLE/);
  expect(reduced.replaceAll(/\s+/g, "")).toBe('exportdefaultasync()=>{constneedle="NEEDLE";};');
});

test("the same seed gives the same module, and every module parses", () => {
  for (let seed = 1; seed <= 150; seed++) {
    const source = generateModule({ seed, size: 40 });
    expect(generateModule({ seed, size: 40 })).toBe(source);
    expect(parses(source), `seed ${seed}\n${source}`).toBe(true);
  }
});
