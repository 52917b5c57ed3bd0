import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { effectVisitors, expressionVisitors, statementVisitors } from "./visitors.ts";

/** `ForOfStatement` is lowered in `for-of-statement.ts`. */
function fileOf(kind: string): string {
  return `${kind
    .replace(/^TS/, "Ts")
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, "-")
    .toLowerCase()}.ts`;
}

describe("each kind of node has a visitor file of its own", () => {
  test.each([
    ["expression", expressionVisitors],
    ["statement", statementVisitors],
  ])("%s", async (folder, visitors) => {
    const home = new URL(`./visitors/${folder}/`, import.meta.url);
    const files = readdirSync(home);
    expect(files.toSorted()).toEqual(Object.keys(visitors).map(fileOf).toSorted());
    for (const [kind, visit] of Object.entries(visitors)) {
      const module = (await import(new URL(fileOf(kind), home).href)) as Record<string, unknown>;
      const effect = `lower${kind}Effect`;
      const expected: Record<string, unknown> = { [`lower${kind}`]: visit };
      if (effect in module) expected[effect] = (effectVisitors as Record<string, unknown>)[kind];
      expect({ ...module }).toEqual(expected);
    }
  });
});
