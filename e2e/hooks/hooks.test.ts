import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { shapes } from "./shapes/shapes.ts";
import { built, cairn, here, jestCommonJs, jestModules, nodeOf, type Ran, registered, run, vitest } from "./tools.ts";

/** What takes longer is for `npm run verify`. */
const isComplete = process.env["CAIRN_HOOKS"] === "all";

const quick: readonly (readonly [name: string, run: () => Ran])[] = [
  ["cairnjs/register", registered(process.execPath, "cairnjs/register")],
  ["cairnjs/register before tsx", registered(process.execPath, "cairnjs/register", "tsx")],
  ["esbuild, minified", built("esbuild", "main.js")],
  ["Jest with CommonJS, in front of @swc/jest", jestCommonJs],
  ["Vitest", vitest],
];

const slow: readonly (readonly [name: string, run: () => Ran])[] = [
  // A version that is missing is looked for where its test runs: who asks for all of them must not get fewer.
  ...["20", "22", "24"].flatMap((version): (typeof quick)[number][] => [
    [`cairnjs/register on Node ${version}`, () => registered(nodeOf(version), "cairnjs/register")()],
    [`cairnjs/register before tsx on Node ${version}`, () => registered(nodeOf(version), "cairnjs/register", "tsx")()],
    [`cairnjs/register after tsx on Node ${version}`, () => registered(nodeOf(version), "tsx", "cairnjs/register")()],
  ]),
  ["Vite, minified", built("vite", "main.js")],
  ["Rollup", built("rollup", "main.js")],
  ["Rolldown, minified", built("rolldown", "main.js")],
  ["webpack, from CommonJS", built("webpack", "main.cjs")],
  ["Rspack, minified", built("rspack", "main.mjs")],
  ["Jest with ES modules, alone", jestModules],
];

interface Report {
  readonly native: { readonly where: string };
  readonly machine: unknown;
  readonly version: string;
  readonly files: readonly string[];
}

function reportsIn({ code, stdout, stderr }: Ran): Report[] {
  const line = stdout.split("\n").find((text) => text.startsWith("[{"));
  if (code !== 0 || line === undefined) throw new Error(`It ended with ${code}\n${stdout}\n${stderr}`);
  return JSON.parse(line) as Report[];
}

describe("a project that goes through a hook", () => {
  let version = "";
  beforeAll(() => {
    const { stdout } = cairn("compile", "src/order.ts", "--json");
    version = (JSON.parse(stdout) as { workflows: { version: string }[] }).workflows[0]?.version ?? "";
    expect(version).toMatch(/^[0-9a-f]{12}$/);
  });

  it.each(isComplete ? [...quick, ...slow] : quick)(
    "%s: runs its workflow natively and compiled, with the version that `cairn compile` says",
    { timeout: 240_000 },
    (_, start) => {
      const [pens, piano] = reportsIn(start());
      expect(pens).toMatchObject({
        version,
        native: {
          cents: 2150,
          payment: "2150 EUR",
          told: "to Ann: pen, book, 2150 EUR",
          spoiled: expect.stringMatching(/^TypeError: Cannot add property 2, object is not extensible\. .*frozen copy/),
        },
      });
      // Minified or not, the error's class has the name that stands in the source.
      expect(piano?.native).toMatchObject({ payment: "declined, too much" });
      for (const { native, machine, files } of [pens!, piano!]) {
        expect(machine).toEqual(native);
        expect(files.every((file) => !file.startsWith("/"))).toBe(true);
        // The line of the user's TypeScript, though the arrow was moved and its types were stripped.
        expect(native.where).toMatch(/order\.ts:36:\d+\)?$/);
      }
    },
  );
});

it("a version of Node that is missing is an error, not a test less", () => {
  expect(() => nodeOf("3")).toThrow(/^Node 3 is missing: .*cairn-node-3/);
  expect(nodeOf(process.versions.node.split(".")[0] ?? "")).toBe(process.execPath);
});

it("a development server compiles a workflow anew when a module of its helpers changes", () => {
  const [before, after] = reportsIn(run("vite", process.execPath, ["watch.mjs"]));
  expect(before?.machine).toMatchObject({ told: "to Ann: pen, 150 EUR" });
  expect(after?.machine).toMatchObject({ told: "to Ann: pen + 150 EUR" });
  expect(after?.version).not.toBe(before?.version);
});

describe("modules of every shape", () => {
  let results: unknown[] = [];
  beforeAll(() => {
    const folder = join(here, "shapes/dist");
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    for (const { file, source } of shapes) writeFileSync(join(folder, file), source);
    const args = ["--import", "cairnjs/register", "main.ts", ...shapes.map(({ file }) => file)];
    const { code, stdout, stderr } = run("shapes", process.execPath, args);
    expect([code, stderr]).toEqual([0, ""]);
    results = JSON.parse(stdout) as unknown[];
  });

  it.each(shapes.map(({ name, gives }, index) => [name, gives, index] as const))("%s", (_, gives, index) => {
    expect(results[index]).toEqual([gives, gives]);
  });
});

describe("a workflow that was not compiled", () => {
  const folder = join(here, "uncompiled/dist");
  const told = (file: string, source: string): string => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, file), source);
    return run("uncompiled/dist", process.execPath, ["--import", "cairnjs/register", file]).stdout;
  };
  const shown = "try { testRun(one); } catch (error) { console.log(String(error)); }";

  it.each(["one.cjs", "one.cts"])("says that its module is not an ES module: %s", (file) => {
    const source = `const { workflow } = require("cairnjs");
const { testRun } = require("cairnjs/testing");
const one = workflow("one", async () => 1);
${file.endsWith(".cts") ? 'import type { Action } from "cairnjs"; type Unused = Action<[], number>;' : ""}
${shown}`;
    expect(told(file, source)).toMatch(/^NotCompiled: .*one\.c[jt]s is a CommonJS module\. Make it an ES module/);
  });

  it("says that it is not declared at the top level", () => {
    const source = `import { workflow as declare } from "cairnjs";
import { testRun } from "cairnjs/testing";
const [one] = [declare].map((by) => by("one", async () => 1));
${shown}`;
    expect(told("one.ts", source)).toMatch(
      /^NotCompiled: .*not declared at the top level of .*one\.ts\. Declare it there/,
    );
  });
});

describe("a module with errors", () => {
  const source = `import { workflow } from "cairnjs";
export default workflow("bad", async () => {
  await fetch("https://example.com");
  return [1].map(function () { return this; });
});
`;
  const folder = join(here, "broken/dist");
  beforeAll(() => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "bad.ts"), source);
  });

  it("is not loaded by Node, which shows all of them with their lines", () => {
    const { code, stderr } = run("broken/dist", process.execPath, ["--import", "cairnjs/register", "bad.ts"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^Cairn cannot compile this module: CAIRN2006 at .*bad\.ts:3:9, and 1 more\n\nerror CAIRN2006: /,
    );
    expect(stderr).toContain('> 3 |   await fetch("https://example.com");');
    expect(stderr).toContain("> 4 |   return [1].map(function () { return this; });");
    // Nothing of what Node prints around an error that nobody caught.
    expect(stderr).not.toMatch(/node:internal|Node\.js v|CompileFailed|\n {4}at /);
  });

  it("is an error like any other to who catches it", () => {
    writeFileSync(
      join(folder, "catching.mjs"),
      `process.on("uncaughtException", ({ name }) => console.log("heard of", name));
import("./bad.ts").catch(({ name }) => console.log("caught", name)).then(() => import("./bad.ts"));
`,
    );
    const args = ["--import", "cairnjs/register", "catching.mjs"];
    const { code, stdout } = run("broken/dist", process.execPath, args);
    expect([code, stdout]).toEqual([0, "caught CompileFailed\nheard of CompileFailed\n"]);
  });

  it("fails the build of a bundler, which says where", () => {
    writeFileSync(
      join(folder, "build.mjs"),
      `import cairn from "cairnjs/plugin";
import { build } from "esbuild";
await build({ entryPoints: ["bad.ts"], bundle: true, packages: "external", write: false, plugins: [cairn.esbuild()] });
`,
    );
    const { code, stderr } = run("broken/dist", process.execPath, ["build.mjs"]);
    expect(code).toBe(1);
    expect(stderr).toContain('> 3 |   await fetch("https://example.com");');
    expect(stderr).toContain("> 4 |   return [1].map(function () { return this; });");
  });
});
