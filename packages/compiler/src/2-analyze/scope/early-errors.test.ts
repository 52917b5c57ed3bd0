import { Script } from "node:vm";
import { describe, expect, test } from "vitest";
import { parse } from "../../1-parse/parse.ts";
import { readModule } from "../link/read-module.ts";

function problems(source: string): string[] {
  return readModule(parse("a.ts", source)).problems.map(({ message }) => message);
}

const declarations = [
  "let f = 1;",
  "const f = 1;",
  "var f = 1;",
  "var [f] = [1];",
  "{ var f = 1; }",
  "for (var f of []) ;",
  "for (var f;;) break;",
  "function f() {}",
  "async function f() {}",
  "{ function f() {} }",
  "class f {}",
  "try {} catch (f) {}",
  "f;",
];

const places: readonly ((first: string, second: string) => string)[] = [
  (first, second) => `${first} ${second}`,
  (first, second) => `{ ${first} ${second} }`,
  (first, second) => `{ ${first} { ${second} } }`,
  (first, second) => `${first} { { ${second} } }`,
  (first, second) => `switch (1) { case 1: ${first} default: ${second} }`,
  (first, second) => `switch (1) { case 1: ${first} { ${second} } }`,
  (first, second) => `try { ${first} } catch { ${second} }`,
  (first, second) => `if (1) { ${first} } else { ${second} }`,
  (first, second) => `for (;;) { ${first} ${second} break; }`,
  (first, second) => `for (const f of []) { ${first} ${second} }`,
  (first, second) => `try {} catch (f) { ${first} ${second} }`,
  (first, second) => `try {} catch ([f]) { ${first} ${second} }`,
  (first, second) => `function g(f) { ${first} ${second} }`,
  (first, second) => `((f = 1) => { ${first} ${second} })`,
  (first, second) => `(function f() { ${first} ${second} })`,
];

/** Module code cannot be checked here without loading it; a strict function differs only at its own top level. */
function isRefusedByEngine(code: string): boolean {
  try {
    return new Script(`"use strict"; () => { ${code} }`) === null;
  } catch {
    return true;
  }
}

describe("names declared twice", () => {
  test("are refused inside functions where the engine refuses them, or the parser since TypeScript does", () => {
    const different: string[] = [];
    let refused = 0;
    let found = 0;
    for (const place of places) {
      for (const first of declarations) {
        for (const second of declarations) {
          const code = place(first, second);
          const module = `() => { ${code} }`;
          const expected = isRefusedByEngine(code);
          const isParserQuiet = parse("a.ts", module).problems.length === 0;
          if (expected) refused += 1;
          if (expected && isParserQuiet) found += 1;
          if (problems(module).length > 0 !== (expected || !isParserQuiet)) different.push(code);
        }
      }
    }
    expect(different).toEqual([]);
    expect(refused).toBeGreaterThan(900);
    expect(found).toBeGreaterThan(90);
  });

  test.each([
    ["function f() {} function f() {}", true],
    ["var f; function f() {}", true],
    ["{ var f; } function f() {}", true],
    ["var f; var f;", false],
    ["import f from 'x'; var f;", true],
    ["import f from 'x'; let f;", true],
    ["import * as f from 'x'; function f() {}", true],
    ["import { a as f } from 'x'; enum f {}", true],
    ["import { f } from 'x'; { let f; }", false],
    ["import type { f } from 'x'; const f = 1;", false],
    ["import { f } from 'x'; interface f {}", false],
    ["import { f } from 'x'; type f = 1;", false],
  ])("at the top level of a module: %s", (source, expected) => {
    expect(problems(source).length > 0).toBe(expected);
  });

  test.each([
    "function f(): void; function f(x?: number): void {}",
    "{ function f(): void; function f(x?: number): void {} }",
    "enum A { X } enum A { Y = 1 }",
    "class A {} namespace A { export const x = 1; }",
    "function A() {} namespace A { export const x = 1; }",
    "class A {} interface A {}",
    "declare function f(): void; declare const g: 1; interface g {}",
    "namespace N { export var f = 1; let g = 1; } function f() {} const g = 1;",
    "namespace N { export const f = 1; } namespace N { const f = 1; }",
    "type T = 1; const T = 1;",
    "abstract class A { abstract x(): void; y(): void; y(a?: number) {} }",
  ])("unless TypeScript merges them: %s", (source) => {
    expect(problems(source)).toEqual([]);
  });
});

describe("exports", () => {
  test.each([
    "var x; export { x }; export { x };",
    "export var x; export { x };",
    "var x; export { x as y }; export const y = 1;",
    "export default 1; export default 2;",
    "const f = 1, g = 2; export default f; export { g as default };",
    "export * as x from 'x'; export const x = 1;",
    "export { a as b, c as b } from 'x';",
    "export { undeclared };",
    "export { Number };",
    "{ let inner; } export { inner };",
  ])("are refused: %s", (source) => {
    expect(problems(source)).toHaveLength(1);
  });

  test.each([
    "export { x }; var x;",
    "import { x } from 'x'; export { x };",
    "import type { T } from 'x'; export { T };",
    "import { type T } from 'x'; export { T };",
    "interface T {} type U = 1; declare const v: 1; export { T, U, v };",
    "export function f(): void; export function f(x?: number) {}",
    "export default function f(): void; export default function f(x?: number) {}",
    "export default interface A {} export default 1;",
    "export enum A { X } export enum A { Y = 1 }",
    "export class A {} export namespace A { export const x = 1; }",
    "export interface A {} export const A = 1;",
    "export * from 'x'; export * from 'x';",
    "export type { Q } from 'q'; export { Q } from 'r';",
    "import x = require('x'); export { x };",
    "namespace N { export const a = 1; export function f() {} } export { N };",
    "declare module 'x' { export const a: 1; import b from 'c'; }",
    "declare global { interface X {} }",
  ])("are accepted: %s", (source) => {
    expect(problems(source)).toEqual([]);
  });
});

test.each([
  "if (x) { export default null }",
  "function g() { import y from './a.js' }",
  "() => { export default null }",
  "label: export default null",
  "while (false) import y from 'y';",
  "try { export * from 'y' } catch {}",
  "switch (1) { default: export const z = 1; }",
  "class A { static { import 'y'; } }",
  "({ m() { export { x } } })",
  "do export default 1; while (false)",
  "for (;;) import 'y';",
])("imports and exports below the top level are refused: %s", (source) => {
  expect(problems(`let x = 1; ${source}`)[0]).toContain("may only appear at the top level of a module");
});
