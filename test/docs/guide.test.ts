import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { builtins } from "@cairnjs/ir";
import { describe, expect, it } from "vitest";
import { loweringTables } from "../../fuzz/coverage/lowering-tables.ts";
import { syntaxGoals, syntaxOf } from "../../fuzz/coverage/syntax-coverage.ts";
import { applyEdits } from "../../fuzz/run/source-edits.ts";
import { allNodes, nodeAt, nodesAt, parseTree } from "../../fuzz/run/syntax-tree.ts";
import { ExampleModules } from "./example-modules.ts";
import { languageExamples } from "./examples.ts";

const examples = languageExamples().filter(({ kind }) => kind !== "unit test");
const pages = [...new Set(examples.map(({ page }) => page))];

/** The source without functions of actions and steps, which are no part of the language. */
function withoutHandlers(source: string): string {
  const calls = [...allNodes(parseTree("example.ts", source))].filter(
    (node) => node.type === "CallExpression" && /^(action|step)$/.test(String(nodeAt(node, "callee")?.["name"])),
  );
  const handlers = calls.flatMap((call) => nodesAt(call, "arguments").slice(-1));
  return applyEdits(
    source,
    handlers.map(({ start, end }) => ({ start, end, text: "handler" })),
  );
}

function identifiersOf(source: string): string[] {
  return [...allNodes(parseTree("example.ts", source))].flatMap((node) =>
    node.type === "Identifier" ? [String(node["name"])] : [],
  );
}

/** How the lowering treats an expression whose value nobody wants is no construct of its own. */
const isConstruct = (goal: string): boolean => !goal.startsWith("effect ");

describe("the examples of the language guide", () => {
  it("contain every construct that the compiler accepts, with all operators and variants", async () => {
    const found = new Set(examples.flatMap(({ source }) => [...syntaxOf(withoutHandlers(source))]));
    const missing = syntaxGoals(await loweringTables()).filter((goal) => isConstruct(goal) && !found.has(goal));
    expect(missing).toEqual([]);
  });

  it("use every durable primitive", () => {
    const programs = pages.flatMap((page) => {
      const modules = new ExampleModules(
        page,
        examples.filter((each) => each.page === page),
      );
      return examples
        .filter((each) => each.page === page && each.kind === "workflow")
        .flatMap(({ file }) => modules.compile(file));
    });
    const kinds = new Set(programs.flatMap(({ nodes }) => nodes.map(({ kind }) => kind)));
    expect([...kinds].sort()).toEqual(["action", "compensate", "signal", "sleep", "workflow"]);
    expect(programs.some(({ steps }) => steps.length > 0)).toBe(true);
    const used = new Set(programs.flatMap(({ intrinsics }) => intrinsics));
    const functions = builtins.map(({ path }) => path).filter((path) => /^cairn\.[a-z]\w*$/.test(path));
    expect(functions.length).toBeGreaterThan(3);
    expect(functions.filter((path) => !used.has(path))).toEqual([]);
    const methods = builtins.flatMap(({ path }) => /^cairn\.\w+\.prototype\.([a-z]\w*)$/.exec(path)?.[1] ?? []);
    const text = examples.map(({ source }) => source).join("\n");
    expect(methods).toContain("wait");
    expect(methods.filter((name) => name !== "name" && !text.includes(`.${name}(`))).toEqual([]);
  });

  it("name every global built-in", () => {
    const written = new Set(examples.flatMap(({ source }) => identifiersOf(withoutHandlers(source))));
    const names = new Set(builtins.map(({ path }) => path.split(".")[0]!));
    // Reached through their instances or methods only: they are no names in a body.
    for (const hidden of ["TypedArray", "Function", "AsyncFunction", "Iterator", "cairn"]) names.delete(hidden);
    const globals = [...names].filter((name) => /^\w+$/.test(name));
    expect(globals.length).toBeGreaterThan(30);
    expect(globals.filter((name) => !written.has(name))).toEqual([]);
  });

  it("stand beside a table that names every engine error that a body can catch", () => {
    const page = readFileSync(new URL("../../docs/language/errors.md", import.meta.url), "utf8");
    const classes = builtins.flatMap(({ path }) => /^cairn\.([A-Z]\w*)$/.exec(path)?.[1] ?? []);
    expect(classes.length).toBeGreaterThan(6);
    expect(classes.filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([]);
  });

  it("type-check as they stand", () => {
    const all = languageExamples();
    for (const page of pages)
      new ExampleModules(
        page,
        all.filter((each) => each.page === page),
      ).writeTyped();
    const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");
    const project = join(dirname(fileURLToPath(import.meta.url)), "tsconfig.json");
    const { status, stdout } = spawnSync(process.execPath, [compiler, "-p", project], { encoding: "utf8" });
    expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
  });
});
