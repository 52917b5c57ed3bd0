import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

/** Who may import whom of our own packages: the table of ARCHITECTURE.md. Tests and scripts are free. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  "packages/ir/src": [],
  "packages/compiler/src": ["@cairnjs/ir"],
  "packages/vm/src": ["@cairnjs/ir"],
  "packages/sdk/src": ["@cairnjs/ir", "@cairnjs/ir/web"],
  "packages/sdk/src/client": ["@cairnjs/ir", "@cairnjs/schemas", "@cairnjs/schemas/rest"],
  "packages/sdk/src/testing": ["@cairnjs/ir", "@cairnjs/compiler", "@cairnjs/vm"],
  "packages/sdk/src/transform": ["@cairnjs/ir", "@cairnjs/compiler"],
  "packages/sdk/src/register": ["@cairnjs/ir", "@cairnjs/compiler"],
  "packages/sdk/src/plugin": ["@cairnjs/ir", "@cairnjs/compiler"],
  "packages/sdk/src/jest": ["@cairnjs/ir", "@cairnjs/compiler"],
  "packages/eslint-plugin/src": ["@cairnjs/compiler"],
  "packages/schemas/src": [],
  "packages/protocol/src": ["@cairnjs/schemas"],
  "packages/worker/src": ["cairnjs", "cairnjs/host", "cairnjs/register", "@cairnjs/protocol"],
  "apps/cli/src": [
    "@cairnjs/ir",
    "@cairnjs/compiler",
    "@cairnjs/compiler/pages",
    "@cairnjs/vm",
    "@cairnjs/protocol",
    "@cairnjs/schemas",
    "@cairnjs/schemas/length-of-time",
    "@cairnjs/schemas/rest",
    "@cairnjs/worker",
    "@cairnjs/control-plane",
    "@cairnjs/control-plane/operator",
    "cairnjs",
    "cairnjs/client",
    "cairnjs/host",
    "cairnjs/register",
    "cairnjs/testing",
    "cairnjs/testing/internal",
    "cairnjs/transform",
  ],
  "apps/control-plane/src": [
    "@cairnjs/ir",
    "@cairnjs/vm",
    "@cairnjs/schemas",
    "@cairnjs/schemas/rest",
    "@cairnjs/protocol",
    "cairnjs",
    "cairnjs/client",
    "cairnjs/host",
    "@cairnjs/worker/host",
  ],
};

/** What else a pure package may use: parsers, and Node's hash function. */
const PURE: Readonly<Record<string, readonly string[]>> = {
  "packages/ir/src": ["node:crypto"],
  "packages/compiler/src": ["node:crypto", "oxc-parser", "@eslint-community/regexpp"],
  "packages/vm/src": ["node:crypto", "whatwg-url"],
};

const root = new URL("..", import.meta.url).pathname;

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && !name.endsWith(".d.ts"))
    .filter((name) => !name.includes("values/testing/"))
    .map((name) => `${folder}/${name}`);
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), "utf8");
  const statements = text.matchAll(
    /^(?:import|export)\b[^;]*?\bfrom\s+"([^"]+)"|^import\s+"([^"]+)"|\bimport\("([^"]+)"\)/gm,
  );
  return [...statements].map((match) => match[1] ?? match[2] ?? match[3] ?? "");
}

function ruleFor(file: string): string {
  return Object.keys(MAY_IMPORT)
    .filter((folder) => file.startsWith(`${folder}/`))
    .sort((a, b) => b.length - a.length)[0]!;
}

describe("the import table", () => {
  const folders = Object.keys(MAY_IMPORT).filter((folder) => !folder.endsWith("/testing"));
  it.each(folders)("%s imports only what the table allows", (folder) => {
    const files = sources(folder);
    expect(files.length).toBeGreaterThan(0);
    const broken = files.flatMap((file) =>
      importsOf(file)
        .filter((name) => name === "cairnjs" || name.startsWith("cairnjs/") || name.startsWith("@cairnjs/"))
        .filter((name) => !MAY_IMPORT[ruleFor(file)]!.includes(name))
        .map((name) => `${file} imports ${name}`),
    );
    expect(broken).toEqual([]);
  });

  it("apps/control-plane takes types alone from the client: options are the same in library mode", () => {
    const texts = sources("apps/control-plane/src").map((file) => readFileSync(join(root, file), "utf8"));
    const statements = texts.flatMap((text) => text.match(/^.*"cairnjs\/client".*$/gm) ?? []);
    expect(statements).not.toEqual([]);
    expect(statements.filter((line) => !/^(?:import|export) type /.test(line))).toEqual([]);
  });

  it.each(Object.keys(PURE))("%s is pure: no clock, no files, no network", (folder) => {
    const broken = sources(folder).flatMap((file) =>
      importsOf(file)
        .filter((name) => !name.startsWith(".") && !name.startsWith("@cairnjs/"))
        .filter((name) => !PURE[folder]!.includes(name))
        .map((name) => `${file} imports ${name}`),
    );
    expect(broken).toEqual([]);
  });
});
