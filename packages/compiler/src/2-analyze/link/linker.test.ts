import type { Node } from "oxc-parser";
import { describe, expect, test } from "vitest";
import { erase } from "../../1-parse/erase.ts";
import type { Resolution } from "../resolution.ts";
import { Linker } from "./linker.ts";
import type { Module } from "./module.ts";
import { workflowsOf } from "./workflows.ts";

type Files = Readonly<Record<string, string>>;

function link(files: Files): { linker: Linker; read: string[] } {
  const read: string[] = [];
  const linker = new Linker({
    resolve: (specifier) => (specifier.startsWith("./") ? specifier.slice(2) : null),
    read: (id) => {
      const source = files[id];
      if (source === undefined) throw new Error(`no file ${id}`);
      read.push(id);
      return source;
    },
  });
  return { linker, read };
}

/** What the last expression statement of `main` stands for. */
function meaning(main: string, files: Files = {}): string {
  const { linker } = link({ main, ...files });
  const module = linker.modules.load("main");
  return described(linker.resolve(module, lastExpression(module)));
}

function lastExpression({ program }: Module): Node {
  const last = program.body.at(-1);
  if (last?.type !== "ExpressionStatement") throw new Error("no expression");
  return erase(last.expression);
}

function described(resolution: Resolution | null): string {
  switch (resolution?.kind) {
    case "global":
      return `${resolution.global.what} ${resolution.global.module.id}#${resolution.global.name}`;
    case "durable":
      return `${resolution.durable} ${resolution.name}`.trim();
    case "value":
      return JSON.stringify(resolution.value);
    case "unknown":
      return `unknown: ${resolution.why}`;
    case "intrinsic":
      return `intrinsic ${resolution.path}`;
    case "primitive":
      return `primitive ${resolution.name}`;
    case "namespace":
      return `namespace ${resolution.specifier}`;
    case "local":
      return `local ${resolution.binding.name}`;
    default:
      return "nothing";
  }
}

const actions = `import { action } from "cairnjs"; export const pay = action("shop.pay", async () => 1);`;

describe("names from other modules", () => {
  test.each<[string, string, Files, string]>([
    ["a named import", `import { pay as p } from "./a"; p;`, { a: actions }, "action shop.pay"],
    [
      "a re-export",
      `import { p } from "./b"; p;`,
      { a: actions, b: `export { pay as p } from "./a";` },
      "action shop.pay",
    ],
    [
      "an import that is exported",
      `import { pay } from "./b"; pay;`,
      { a: actions, b: `import { pay } from "./a"; export { pay };` },
      "action shop.pay",
    ],
    [
      "export *",
      `import { pay } from "./b"; pay;`,
      { a: actions, b: `export * from "./c"; export * from "./a";`, c: "" },
      "action shop.pay",
    ],
    ["a namespace", `import * as a from "./a"; a.pay;`, { a: actions }, "action shop.pay"],
    [
      "a namespace in a namespace",
      `import * as b from "./b"; b.inner.pay;`,
      { a: actions, b: `export * as inner from "./a";` },
      "action shop.pay",
    ],
    ["a namespace by a string", `import * as a from "./a"; a["pay"];`, { a: actions }, "action shop.pay"],
    [
      "a default export",
      `import d from "./a"; d;`,
      { a: `import { signal } from "cairnjs"; export default signal("s");` },
      "signal s",
    ],
    ["a default name", `import d from "./a"; d;`, { a: `${actions} export default pay;` }, "action shop.pay"],
    ["an anonymous function", `import d from "./a"; d;`, { a: `export default async () => 1;` }, "helper a#default"],
    [
      "cairnjs itself re-exported",
      `import { nap } from "./a"; nap;`,
      { a: `export { sleep as nap } from "cairnjs";` },
      "sleep",
    ],
    [
      "all of cairnjs re-exported",
      `import { emit } from "./a"; emit;`,
      { a: `export * from "cairnjs";` },
      "primitive emit",
    ],
    [
      "an import cycle",
      `import { pay } from "./a"; export const x = 1; pay;`,
      { a: `import { x } from "./main"; ${actions} export const y = x;` },
      "action shop.pay",
    ],
    [
      "a cycle of stars",
      `import { pay } from "./a"; pay;`,
      { a: `export * from "./b";`, b: `export * from "./a";` },
      "unknown: export",
    ],
    [
      "a module that re-exports from itself",
      `import { x } from "./a"; x;`,
      { a: `export { x } from "./a";` },
      "unknown: export",
    ],
    [
      "a circle of re-exports",
      `import { x } from "./a"; x;`,
      { a: `export { y as x } from "./b";`, b: `export * from "./c";`, c: `export { x as y } from "./a";` },
      "unknown: export",
    ],
    [
      "a circle of imports that are exported",
      `import { x } from "./a"; x;`,
      { a: `import { x } from "./b"; export { x };`, b: `export { x } from "./a";` },
      "unknown: circle",
    ],
    [
      "a namespace of itself",
      `import { a } from "./a"; a.a.a.n;`,
      { a: `export * as a from "./a"; export enum n {}` },
      "enum a#n",
    ],
    [
      "an alias of an alias",
      `const p = q; const q = pay as any; import { pay } from "./a"; p;`,
      { a: actions },
      "action shop.pay",
    ],
    ["a package", `import { x } from "left-pad"; x;`, {}, "unknown: package"],
    ["a missing file", `import { x } from "./gone"; x;`, {}, "unknown: module"],
    ["a file with a mistake", `import { x } from "./a"; x;`, { a: "export const x = ;" }, "unknown: module"],
    ["a missing export", `import { nope } from "./a"; nope;`, { a: actions }, "unknown: export"],
    ["something else of cairnjs", `import { serve } from "cairnjs"; serve;`, {}, "unknown: cairn"],
  ])("%s", (_, main, files, expected) => {
    expect(meaning(main, files)).toBe(expected);
  });

  test("modules that no name leads to are not read", () => {
    const main = `import { pay } from "./a"; import { db } from "./database"; db.query(); pay;`;
    const { linker, read } = link({ main, a: actions });
    const module = linker.modules.load("main");
    expect(described(linker.resolve(module, lastExpression(module)))).toBe("action shop.pay");
    expect(read).toEqual(["main", "a"]);
  });
});

describe("names of a module", () => {
  test.each([
    ["const f = async () => 1; f;", "helper main#f"],
    ["function f() {} f;", "helper main#f"],
    ["class E extends Error {} E;", "class main#E"],
    ["const c = { a: 1 }; c;", "constant main#c"],
    ["const { a } = { a: 1 }; a;", "constant main#a"],
    ["let late; late;", "unknown: uninitialised"],
    ["declare const ghost: number; ghost;", "unknown: ambient"],
    ["const a = b; const b = a; a;", "unknown: circle"],
    ["namespace N { export const x = 1; } N;", "unknown: declaration"],
    ["nowhere;", "unknown: undeclared"],
    ["Math;", "intrinsic Math"],
    ["const Math = 1; Math;", "constant main#Math"],
    ["import type { T } from './gone'; (x: T) => x; undefined;", "intrinsic undefined"],
    ["enum E { A, B = 4, C, D = B << 1, S = `s${1}`, T = E.C } E.A;", "0"],
    ["enum E { A, B = 4, C } E.C;", "5"],
    ["enum E { A, B = 4, D = B << 1 } E['D'];", "8"],
    ["enum E { A = 1 } enum E { B = A + 1 } E.B;", "2"],
    ["const N = 3; const enum E { A = N * 2, B = -A } E.B;", "-6"],
    ["enum E { A = 'x'.length } E.A;", "unknown: enum"],
    ["enum E { A } E.toString;", "nothing"],
    ["enum E { A } E;", "enum main#E"],
  ])("%s", (main, expected) => {
    expect(meaning(main)).toBe(expected);
  });

  test.each([
    ["a literal", `action("a.b", f)`, "action a.b"],
    [
      "a template of constants",
      `const P = "x"; const N = { go: \`\${P}.go\` } as const; action(N.go, f)`,
      "action x.go",
    ],
    ["a sum", `action("a" + "." + "b", f)`, "action a.b"],
    ["an enum member", `enum E { A = "e.a" } action(E.A, f)`, "action e.a"],
    ["something computed", `action(String(1), f)`, "unknown: name"],
    ["a variable", `let n = "a"; action(n, f)`, "unknown: name"],
  ])("an action is named by %s", (_, source, expected) => {
    const at = source.lastIndexOf("action(");
    const main = `import { action } from "cairnjs"; const f = async () => 1; ${source.slice(0, at)} const it = ${source.slice(at)}; it;`;
    expect(meaning(main)).toBe(expected);
  });
});

test("workflows of a module: every declaration, the default export first", () => {
  const main = `
    import { workflow as define } from "cairnjs";
    const hidden = define("hidden", async () => 1);
    export const open = define("open.v2", async () => 1);
    const chosen = define("chosen", async () => 1);
    export { chosen as default, open as other };`;
  const { linker } = link({ main });
  const found = workflowsOf(linker.modules.load("main"), linker).map(({ name, exportName, title }) => [
    name,
    exportName,
    title,
  ]);
  expect(found).toEqual([
    ["chosen", "default", "chosen"],
    ["hidden", "hidden", "hidden"],
    ["open.v2", "open", "open"],
  ]);
});
