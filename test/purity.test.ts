import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { type Node, parseSync } from "oxc-parser";
import { describe, expect, it } from "vitest";

/**
 * The compiler and the VM are functions of their input: what they give may not depend on when, where or how often they
 * run. So the host's clock, chance, environment, timers, network and languages are out of bounds, by name.
 */
const PURE = ["packages/ir/src", "packages/compiler/src", "packages/vm/src"];

const GLOBALS = new Set([
  "performance",
  "process",
  "fetch",
  "setTimeout",
  "setInterval",
  "setImmediate",
  "queueMicrotask",
  "Intl",
  "globalThis",
  "require",
  "WebSocket",
  "crypto",
]);
const MEMBERS: ReadonlySet<string> = new Set(["Date.now", "Math.random"]);
const METHOD = /^(localeCompare|toLocale\w*)$/;

const root = new URL("..", import.meta.url).pathname;

describe("the pure packages", () => {
  it.each(PURE)("%s uses no clock, chance, environment, timer, network or locale of the host", (folder) => {
    const files = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && !name.endsWith(".d.ts"))
      .filter((name) => !name.includes("values/testing/"));
    expect(files.length).toBeGreaterThan(0);
    const broken = files.flatMap((name) =>
      impurities(readFileSync(join(root, folder, name), "utf8")).map((what) => `${folder}/${name}: ${what}`),
    );
    expect(broken).toEqual([]);
  });

  it.each(PURE)("%s reaches into no other package by a path", (folder) => {
    const broken = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
      .flatMap((name) =>
        relativeImports(readFileSync(join(root, folder, name), "utf8"))
          .filter((path) => relative(folder, join(folder, dirname(name), path)).startsWith(".."))
          .map((path) => `${folder}/${name} imports ${path}`),
      );
    expect(broken).toEqual([]);
  });

  it("would be told of each of them", () => {
    const text = `Date.now(); new Date(); Math.random(); performance.now(); process.env.X; "a".localeCompare("b"); fetch("x");
      const own = { performance: 1, now() {} }; own.performance; new Date(5); x.process; Date.UTC(1);`;
    expect(impurities(text)).toEqual([
      "Date.now",
      "new Date()",
      "Math.random",
      "performance",
      "process",
      "localeCompare",
      "fetch",
    ]);
  });
});

function relativeImports(text: string): string[] {
  return [...text.matchAll(/\bfrom\s+"(\.[^"]*)"|\bimport\("(\.[^"]*)"\)/g)].map((match) => match[1] ?? match[2] ?? "");
}

/** Names that only a property, a key or a type has do not count. */
function impurities(text: string): string[] {
  const found: string[] = [];
  const own = declaredNames(text);
  const visit = (node: Node): void => {
    if (node.type === "Identifier" && GLOBALS.has(node.name) && !own.has(node.name)) found.push(node.name);
    if (node.type === "NewExpression" && node.callee.type === "Identifier" && node.callee.name === "Date") {
      if (node.arguments.length === 0) found.push("new Date()");
    }
    if (node.type === "MemberExpression" && !node.computed && node.property.type === "Identifier") {
      const { object, property } = node;
      if (METHOD.test(property.name)) found.push(property.name);
      const path = object.type === "Identifier" ? `${object.name}.${property.name}` : "";
      if (MEMBERS.has(path)) found.push(path);
      visit(object);
      return;
    }
    if (node.type === "Property" && !node.computed && !node.shorthand) {
      visit(node.value);
      return;
    }
    if (node.type.startsWith("TSType") || node.type === "TSInterfaceDeclaration") return;
    for (const child of childrenOf(node)) visit(child);
  };
  visit(parseSync("module.ts", text).program);
  return found;
}

/** A module's own functions, variables, parameters and imports may have such names. */
function declaredNames(text: string): Set<string> {
  const declared = text.matchAll(
    /\b(?:function|const|let|class)\s+(\w+)|(?<=[(,]\s*)(\w+)\??(?=:)|\bimport\s+(?:type\s+)?\{([^}]*)\}/g,
  );
  return new Set(
    [...declared].flatMap(([, name, parameter, list]) => [name, parameter, ...(list ?? "").split(/\W+/)].map(String)),
  );
}

function childrenOf(node: Node): Node[] {
  return Object.values(node)
    .flat()
    .filter((value): value is Node => typeof value === "object" && value !== null && "type" in value);
}
