import { describe, expect, it } from "vitest";
import { importsCairn } from "./imports-cairn.ts";

function answer(files: Readonly<Record<string, string>>): string {
  const hooks = {
    resolve: (specifier: string) => (specifier.startsWith("./") ? specifier.slice(2) : null),
    read: (id: string) => {
      const text = files[id];
      if (text === undefined) throw new Error(`no file ${id}`);
      return text;
    },
  };
  return importsCairn("entry.ts", files["entry.ts"] ?? "", hooks);
}

describe("a module", () => {
  it.each([
    ['import { workflow } from "cairnjs";', "directly"],
    ["import * as cairn from 'cairnjs'", "directly"],
    ['import{workflow}from"cairnjs"', "directly"],
    ['import {\n  workflow,\n} from "cairnjs";', "directly"],
    ['import { workflow } from /* durable */ "cairnjs";', "directly"],
    ['import { workflow } from // durable\n "cairnjs";', "directly"],
    ['import { run } from "cairnjs/testing";', "no"],
    ['import { x } from "./missing.ts";', "no"],
    ['import data from "./data.json";', "no"],
    ["export const x = 1;", "no"],
  ])("%s: %s", (source, expected) => {
    expect(answer({ "entry.ts": source, "data.json": '{ "from": "cairnjs" }' })).toBe(expected);
  });

  it.each([
    ['export { workflow } from "cairnjs";', "perhaps"],
    ['export * from "cairnjs";', "perhaps"],
    ['export * as cairn from "cairnjs";', "perhaps"],
    ['export * from "./deep.ts";', "perhaps"],
    ['import { workflow } from "cairnjs";\nexport { workflow };', "perhaps"],
    ['import { workflow } from "cairnjs";\nexport default workflow', "perhaps"],
    ['import { action } from "cairnjs";\nexport const task: typeof action = action;', "perhaps"],
    ['import { action } from "cairnjs";\nexport const task = action as Task, other = 1;', "perhaps"],
    ['import { action } from "cairnjs";\nexport const one = f(), task = action;', "perhaps"],
    ['export * as "a-b" from "cairnjs";', "perhaps"],
    ['import { w } from "./deep.ts";\nexport { w };', "perhaps"],
    ['import { workflow } from "cairnjs";\nexport const w = workflow("w", async () => 1);', "no"],
    ['import { w } from "./deep.ts";\nexport function use() { return w; }', "no"],
    ['export * from "./circle.ts";', "no"],
  ])("that imports %s: %s", (source, expected) => {
    const files = {
      "entry.ts": 'import { x } from "./lib.ts";',
      "lib.ts": source,
      "deep.ts": 'export { workflow as w } from "cairnjs";',
      "circle.ts": 'export * from "./lib.ts";',
    };
    expect(answer(files)).toBe(expected);
  });
});

it.each(["export const a = f(x)\n", "from ", "from /* ", "from //x\n", "export const a = ", "export default ("])(
  "a million characters of %j are read in no time",
  (text) => {
    const files = { "entry.ts": 'import { x } from "./lib.ts";', "lib.ts": text.repeat(1_000_000 / text.length) };
    const start = performance.now();
    expect(answer(files)).toBe("no");
    expect(answer({ "entry.ts": files["lib.ts"] })).toBe("no");
    expect(performance.now() - start).toBeLessThan(2000);
  },
);
