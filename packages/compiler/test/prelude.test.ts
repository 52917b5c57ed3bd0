import { listPrelude, validatePrelude } from "@cairnjs/ir";
import { expect, test } from "vitest";
import { compilePrelude } from "../src/index.ts";

test("prelude functions call each other as globals, and the machine through $", () => {
  const prelude = compilePrelude([
    {
      name: "array.ts",
      source: `
        import { isCallable, LIMIT } from "./checks.ts";
        declare const $: any;
        export function Array_prototype_each(this: unknown, callback: unknown, self?: unknown): unknown {
          const object = $.toObject(this);
          if (!isCallable(callback)) throw new TypeError("no function");
          for (let index = 0; index < LIMIT; index++) $.call(callback, self, object[index], index);
          return helper($.construct(object, ...[1]));
        }
        function helper(value: unknown) {
          return () => value;
        }`,
    },
    {
      name: "checks.ts",
      source: `export const LIMIT = 3; export function isCallable(x: unknown) { return typeof x === "function"; }`,
    },
  ]);
  expect(() => validatePrelude(prelude)).not.toThrow();
  expect(prelude.exports).toEqual({ Array_prototype_each: 0, isCallable: 2 });
  expect(prelude.functions.map(({ name }) => name)).toEqual(["Array_prototype_each", "helper", "isCallable", ""]);
  expect(prelude.hosts).toEqual(["toObject"]);
  expect(prelude.intrinsics).toEqual(["TypeError"]);
  const text = listPrelude(prelude);
  expect(text).toMatch(/Global +r\d isCallable/);
  expect(text).toMatch(/Call +r\d r0 r1 \(r\d r\d\)/);
  expect(text).toMatch(/NewSpread/);
});

test("a mistake in the prelude is an error", () => {
  expect(() => compilePrelude([{ name: "a.ts", source: "export function f( {" }])).toThrow("a.ts");
  expect(() => compilePrelude([{ name: "a.ts", source: "export function f() { return nowhere; }" }])).toThrow(
    "Identifier",
  );
  const twice = { name: "b.ts", source: "export function f() {}" };
  expect(() => compilePrelude([{ name: "a.ts", source: "export function f() {}" }, twice])).toThrow("Two prelude");
});

test("a numeric loop takes six instructions an iteration", () => {
  const source =
    "export function sum(n) { let s = 0; for (let i = 0; i < n; i++) s = (s + i * 2) % 1000003; return s; }";
  const lines = listPrelude(compilePrelude([{ name: "a.ts", source }])).split("\n");
  const top = lines.findIndex((line) => line.startsWith("L1:"));
  const loop = lines.slice(top).filter((line) => /^ +\d/.test(line));
  const end = loop.findIndex((line) => line.includes("JumpTrue"));
  expect(loop.slice(0, end + 1).map((line) => line.trim().split(/ +/)[1])).toEqual([
    "Multiply",
    "Add",
    "Remainder",
    "Increment",
    "Less",
    "JumpTrue",
  ]);
});
