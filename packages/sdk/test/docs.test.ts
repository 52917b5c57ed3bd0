import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";

const here = dirname(fileURLToPath(import.meta.url));
const pages = join(here, "..", "..", "..", "docs");
// Inside the package: examples import it, and what it is tested with.
const folder = mkdtempSync(join(here, "examples-"));

afterAll(() => rmSync(folder, { recursive: true }));

/** Where each block of TypeScript on a page begins, and the file it was written to. */
function examplesOf(page: string): { readonly line: number; readonly file: string }[] {
  const text = readFileSync(join(pages, page), "utf8");
  mkdirSync(join(folder, page));
  return [...text.matchAll(/^```ts\n([^]*?)^```$/gm)].map((match) => {
    const line = text.slice(0, match.index).split("\n").length;
    const file = join(folder, page, `line-${line}.ts`);
    writeFileSync(file, match[1]!);
    return { line, file };
  });
}

const examples = ["actions.md", "values.md"].map((page) => ({ page, blocks: examplesOf(page) }));

it("type-checks the examples", () => {
  const files = examples.flatMap(({ blocks }) => blocks.map(({ file }) => file));
  const project = join(folder, "tsconfig.json");
  writeFileSync(project, JSON.stringify({ extends: "../../tsconfig.test.json", files, include: [] }));
  const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");
  const { stdout } = spawnSync(process.execPath, [compiler, "-p", project], { encoding: "utf8" });
  expect(stdout).toBe("");
});

describe.each(examples)("$page", ({ blocks }) => {
  it.each(blocks)("the example in line $line runs", async ({ file }) => {
    await import(pathToFileURL(file).href);
  });
});
