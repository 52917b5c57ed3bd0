import { describe, expect, test } from "vitest";
import { everything } from "../../../test/rejected/everything.ts";
import { parse } from "../../1-parse/parse.ts";
import { analyzeScopes } from "./analyze.ts";
import type { Binding } from "./binding.ts";
import { freeVariables, markCaptures } from "./captures.ts";

/** Variables of all scopes inside `source`, as `name: kind captured checked`. */
function variables(source: string): string[] {
  return bindings(source).map(({ name, kind, captured, checked }) =>
    [`${name}: ${kind}`, captured ? "captured" : "", checked ? "checked" : ""].filter((part) => part !== "").join(" "),
  );
}

function bindings(source: string): Binding[] {
  const { program, problems } = parse("test.ts", source);
  expect(problems).toEqual([]);
  const scopes = analyzeScopes(program);
  markCaptures(scopes, program, () => false);
  return [...scopes.scopes.values()].flatMap((scope) => [...scope.bindings.values()]);
}

describe("which variables closures capture", () => {
  test.each([
    ["only reads in the same function", "() => { let a = 1; return a; }", ["a: let"]],
    ["a read in an arrow", "() => { let a = 1; return () => a; }", ["a: let captured"]],
    ["a write in a nested function", "() => { let a; (() => () => { a = 1; })(); }", ["a: let captured"]],
    ["a parameter", "(a, b) => () => a", ["a: parameter captured", "b: parameter"]],
    ["a name hidden by an inner one", "() => { let a; return (a) => a; }", ["a: let", "a: parameter"]],
    ["a property is no use", "() => { let a; return (o) => o.a; }", ["a: let", "o: parameter"]],
    ["a shorthand property is one", "() => { let a; return () => ({ a }); }", ["a: let captured"]],
    ["types are none", "() => { let a; return () => null as typeof a; }", ["a: let"]],
    ["the name of a function inside itself", "() => function f() { return () => f; }", ["f: self captured"]],
    ["this of a method", "() => ({ m() { return () => this; } })", ["this: this captured"]],
    ["this in the method itself", "() => ({ m() { return this; } })", []],
  ])("%s", (_, source, expected) => {
    expect(variables(`(${source})`)).toEqual(expected);
  });
});

describe("which variables may be met uninitialised", () => {
  test.each([
    ["a use after", "{ let a = 1; a; }", ["a: let"]],
    ["a use before", "{ a; let a = 1; }", ["a: let checked"]],
    ["its own initialiser", "{ let a = [a]; }", ["a: let checked"]],
    ["an arrow written after", "{ let a = 1; (() => a)(); }", ["a: let captured"]],
    ["an arrow written before", "{ (() => a)(); let a = 1; }", ["a: let captured checked"]],
    ["a function, which is hoisted", "{ let a = 1; function f() { a; } }", ["a: let captured checked", "f: function"]],
    ["a switch can jump over it", "switch (1) { case 0: let a; default: a; }", ["a: let checked"]],
    ["the iterable of a loop", "for (const a of [a]) ;", ["a: const checked"]],
    ["the body of a loop", "for (const a of [1]) { a; }", ["a: const"]],
    ["later parts of its pattern", "{ const { a, b = a } = {} as any; }", ["a: const", "b: const"]],
    ["earlier parts of its pattern", "{ const { b = a, a } = {} as any; }", ["b: const", "a: const checked"]],
    ["its own default", "{ const [a = a] = []; }", ["a: const checked"]],
    ["a default of an outer pattern", "{ const { x: [a] = [a] } = {} as any; }", ["a: const checked"]],
    ["var never", "(() => { a; var a; })", ["a: var"]],
    ["parameters in order", "((a, b = a) => b)", ["a: parameter", "b: parameter"]],
    ["parameters out of order", "((a = b, b = 1) => a)", ["a: parameter", "b: parameter checked"]],
    ["the body sees all parameters", "((a = 1) => { a; })", ["a: parameter"]],
  ])("%s", (_, source, expected) => {
    expect(variables(source)).toEqual(expected);
  });
});

describe("what declares what", () => {
  test("var of a parameter's name is the parameter, unless defaults have a scope of their own", () => {
    expect(variables("(function (a) { var a = 1; })")).toEqual(["a: parameter"]);
    expect(variables("(function (a, b = 1) { var a = 1; })")).toEqual(["a: parameter", "b: parameter", "a: var"]);
  });

  test("the initialiser of such a var is an assignment", () => {
    const [parameter] = bindings("(function (a) { var a = 1; })");
    expect(parameter?.references.map(({ access }) => access)).toEqual(["init", "write"]);
  });

  test("var leaves blocks, functions in blocks do not", () => {
    expect(variables("(() => { { var a; function f() {} } })")).toEqual(["a: var", "f: function"]);
  });

  test("field initialisers do not see the constructor's parameters", () => {
    const source = "const x = 1; class A extends Error { field = x; constructor(x: number) { super(); } }";
    const outer = bindings(source).find(({ name, kind }) => name === "x" && kind === "const");
    expect(outer?.references.map(({ access }) => access)).toEqual(["init", "read"]);
  });

  test("a step reads its free variables where it is called", () => {
    const { program } = parse(
      "test.ts",
      "() => { let a = 1, b = 2; step('s', async () => { let c = a; return a + c; }); () => b; }",
    );
    const scopes = analyzeScopes(program);
    const arrow = [...scopes.frames.keys()].find((node) => "async" in node && node.async);
    if (arrow === undefined) throw new Error("no arrow");
    markCaptures(scopes, program, (node) => node === arrow);
    expect(freeVariables(scopes, arrow).map(({ name }) => name)).toEqual(["a"]);
    const captured = [...scopes.scopes.values()].flatMap((scope) => [...scope.bindings.values()]);
    expect(captured.filter((binding) => binding.captured).map(({ name }) => name)).toEqual(["b"]);
  });
});

test.each([
  ["everything that is accepted", everything],
  [
    "a class whose fields stand before its constructor",
    "(a) => { class A extends Error { f = (() => (a = 1)) as any; constructor(b) { super(); a = b; } } a = 2; }",
  ],
])("uses and writes are in order of the source: %s", (_, source) => {
  const { localReferences, scopes } = analyzeScopes(parse("test.ts", source).program);
  const offsets = localReferences.map(({ node }) => node.start);
  expect(offsets).toEqual(offsets.toSorted((a, b) => a - b));
  for (const { bindings } of scopes.values()) {
    for (const { writes } of bindings.values()) expect(writes).toEqual(writes.toSorted((a, b) => a - b));
  }
});
