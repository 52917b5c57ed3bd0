import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { graphOf, listProgram, validateProgram } from "@cairnjs/ir";
import { describe, expect, test } from "vitest";
import { compile, type SourceHooks } from "../src/index.ts";

/**
 * Each folder under `samples` has a module `main.ts` and what its workflows compile to, one file each. To accept
 * changed listings run with CAIRN_UPDATE_SAMPLES=1 and read the difference.
 */
const root = new URL("./samples/", import.meta.url);
const isUpdate = process.env["CAIRN_UPDATE_SAMPLES"] === "1";

describe("samples compile to their listings", () => {
  test.each(readdirSync(root))("%s", (name) => {
    const result = compile("main.ts", hooksFor(name));
    expect(result.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
    const texts = result.workflows.map(({ program, exportName }) => {
      expect(() => validateProgram(program)).not.toThrow();
      const { edges } = graphOf(program);
      const ways = edges.map(({ from, to, label }) => `${from} -> ${to}${label === undefined ? "" : ` (${label})`}`);
      return [`export ${exportName}\n`, listProgram(program, sourcesOf(name)), ...ways.map((way) => `${way}\n`)].join(
        "",
      );
    });
    const file = new URL(`${name}/expected.txt`, root);
    const text = texts.join("\n");
    if (isUpdate) writeFileSync(file, text);
    expect(text).toBe(readFileSync(file, "utf8"));
  });
});

function hooksFor(name: string): SourceHooks {
  return {
    resolve: (specifier) => (specifier.startsWith("./") ? specifier.slice(2) : null),
    read: (id) => readFileSync(new URL(`${name}/${id}`, root), "utf8"),
  };
}

function sourcesOf(name: string): Record<string, string> {
  const files = readdirSync(new URL(`${name}/`, root)).filter((file) => file.endsWith(".ts"));
  return Object.fromEntries(files.map((file) => [file, hooksFor(name).read(file)]));
}
