import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = new URL("..", import.meta.url).pathname;
const pages = ["ARCHITECTURE.md", "README.md", "CONTRIBUTING.md"];

it.each(pages)("every file and folder that %s names exists", (page) => {
  const text = readFileSync(join(root, page), "utf8");
  const links = [...text.matchAll(/\]\(([^)#]+)\)/g)].map((match) => match[1]!);
  const quoted = [
    ...text.matchAll(/`((?:packages|apps|test|fuzz|bench|docs|conformance|examples|e2e)\/[\w./-]*)`/g),
  ].map((match) => match[1]!);
  const named = [...links, ...quoted].filter((path) => !path.includes("*") && !path.startsWith("http"));
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

it("every function that ARCHITECTURE.md names with its file is there", () => {
  const text = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
  const named = [...text.matchAll(/`(\w+)` in `([\w./-]+\.ts)`/g)];
  expect(named.length).toBeGreaterThan(3);
  for (const [, name, file] of named) {
    expect(readFileSync(join(root, file!), "utf8"), `${name} in ${file}`).toMatch(
      new RegExp(`export function ${name}\\b`),
    );
  }
});

it("every dependency is named with its reason", () => {
  const text = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
  const manifests = [
    ".",
    "packages/ir",
    "packages/compiler",
    "packages/vm",
    "packages/sdk",
    "packages/eslint-plugin",
    "packages/schemas",
    "packages/protocol",
    "packages/worker",
    "apps/cli",
    "apps/control-plane",
    "e2e",
  ];
  const names = manifests.flatMap((folder) => {
    const manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as Record<string, object>;
    const kinds = ["dependencies", "devDependencies", "optionalDependencies"];
    return kinds.flatMap((kind) => Object.keys(manifest[kind] ?? {}));
  });
  const others = names.filter(
    (name) => !name.startsWith("@cairnjs/") && name !== "cairnjs" && !name.startsWith("@types/"),
  );
  expect([...new Set(others)].filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});
