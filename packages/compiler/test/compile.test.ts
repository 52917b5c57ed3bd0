import { expect, test } from "vitest";
import { compile } from "../src/index.ts";

/** Names of the programs, and codes of the diagnostics, of a module made of `rest`. */
function compiled(rest: string, files: Readonly<Record<string, string>> = {}): { programs: string[]; codes: string[] } {
  const main = `import { action, workflow } from "cairnjs";\n${rest}`;
  const { workflows, diagnostics } = compile("main.ts", {
    resolve: (specifier) => (specifier.startsWith("./") ? specifier.slice(2) : null),
    read: (id) => (id === "main.ts" ? main : (files[id] ?? "")),
  });
  return { programs: workflows.map(({ exportName }) => exportName), codes: diagnostics.map(({ code }) => code) };
}

test.each([
  ["its name is empty", `const body = async () => 1; export const bad = workflow("", body);`, "CAIRN5005"],
  ["its name is taken", `export const bad = workflow("good", async () => 1);`, "CAIRN5006"],
  ["its body is not async", `const body = () => 1; export const bad = workflow("bad", body as any);`, "CAIRN5002"],
  ["its body takes two inputs", `export const bad = workflow("bad", async (a, b) => 1);`, "CAIRN5003"],
  [
    "a body from elsewhere is not async",
    `import { b } from "./b.ts"; export const bad = workflow("bad", b);`,
    "CAIRN5002",
  ],
])("a workflow has no program when %s; others of the file do", (_, bad, code) => {
  const files = { "b.ts": "export const b = (() => 1) as any;" };
  const { programs, codes } = compiled(`export default workflow("good", async () => 1);\n${bad}`, files);
  expect({ programs, codes }).toEqual({ programs: ["default"], codes: [code] });
});

test("a mistake in a helper that two workflows reach is said once and blocks both", () => {
  const { programs, codes } = compiled(`
    const helper = () => eval("1");
    export const a = workflow("a", async () => helper());
    export const b = workflow("b", async () => helper());
    export default workflow("c", async () => 1);`);
  expect({ programs, codes }).toEqual({ programs: ["default"], codes: ["CAIRN2014"] });
});

test("what only actions import is not read, so it may be anything", () => {
  const { programs, codes } = compiled(
    `import settings from "./settings.json";
    import { connect } from "./database.ts";
    const load = action("load", async () => connect(settings.url));
    export default workflow("a", async () => await load());`,
    { "settings.json": `{ "url": "x" }`, "database.ts": "syntax error" },
  );
  expect({ programs, codes }).toEqual({ programs: ["default"], codes: [] });
});

test("a broken module is reported with its own mistakes when a body uses it", () => {
  const { codes } = compiled(
    `import { rate } from "./rates.ts";
    export default workflow("a", async () => rate);`,
    { "rates.ts": "export const rate = ;" },
  );
  expect(codes).toEqual(["CAIRN2021", "CAIRN1001"]);
});

test("a function that another of its name replaces has nodes, and neither code nor a start", () => {
  const source = `import { action, workflow } from "cairnjs";
    const a = action("a", async () => 1);
    export default workflow("w", async () => {
      async function f() { await a(); }
      async function f() { await a(); }
      await f();
    });`;
  const { workflows } = compile("main.ts", { resolve: () => null, read: () => source });
  expect(workflows[0]?.program.edges).toEqual([
    { from: -1, to: -1 },
    { from: -2, to: 1 },
    { from: 1, to: -2 },
  ]);
});
