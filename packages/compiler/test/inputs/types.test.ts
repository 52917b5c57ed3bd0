import { expect, test } from "vitest";
import { schemaOf } from "./schema-of.ts";

/** A type, values of it, and values that are none. */
type Row = readonly [type: string, good: readonly unknown[], bad: readonly unknown[], declarations?: string];

const shared = { a: 1 };
const loop: { next?: unknown; value: number } = { value: 1 };
loop.next = loop;
const sparse = Object.assign([1], { 2: 3 });

const rows: readonly Row[] = [
  ["string", ["", "a"], [1, null, undefined, {}, ["a"]]],
  ["number", [1, -0, Number.NaN, Number.POSITIVE_INFINITY], ["1", 1n, null]],
  ["boolean", [true, false], ["true", 0]],
  ["bigint", [1n, -5n], [1, "1"]],
  ["null", [null], [undefined, 0, {}]],
  ["undefined", [undefined], [null, 0]],
  ["void", [undefined], [null]],
  ["unknown", [1, undefined, { a: [new Date()] }], []],
  ["any", [1, undefined], []],
  ["object", [{}, [], new Date(0)], ["a", 1, null]],
  ["{}", [{}, { a: 1 }, "a", 1], []],
  [`"a" | "b"`, ["a", "b"], ["c", 1]],
  ["0 | 1 | -1", [0, 1, -1, -0], [2, "1", Number.NaN]],
  ["true | 5n", [true, 5n], [false, 6n, 5]],
  ["`a-${string}`", ["a-b"], [1]],
  ["`plain`", ["plain"], ["other"]],
  ["string | null", ["a", null], [undefined, 1]],
  [
    "{ id: string; count?: number }",
    [{ id: "a" }, { id: "a", count: 1 }, { id: "a", count: undefined }],
    [{}, { count: 1 }, { id: 1 }, { id: "a", cuont: 1 }, { id: "a", count: null }, [], new Date(0), "a"],
  ],
  ["{ a: string | undefined }", [{ a: "x" }, { a: undefined }, {}], [{ a: null }, { b: 1 }]],
  ["{ 1: string; 'a b': number; __proto__: string }", [{ 1: "x", "a b": 2, ["__proto__"]: "p" }], [{ 1: "x" }]],
  [
    "{ $price: number; unit: string }",
    [{ $price: 1, unit: "EUR" }],
    [{ unit: "EUR" }, { $price: "1", unit: "EUR" }, { $price: 1, unit: "EUR", x: 1 }],
  ],
  [
    "{ $price?: number; unit: string }",
    [{ $price: 1, unit: "EUR" }, { unit: "EUR" }],
    [{ $price: 1 }, { $prise: 1, unit: "EUR" }],
  ],
  ["{ readonly a: 1; get b(): string; m?(): void }", [{ a: 1, b: "x" }], [{ a: 1 }]],
  [
    "{ kind: 'card'; number: string } | { kind: 'cash' }",
    [{ kind: "card", number: "1" }, { kind: "cash" }],
    [{ kind: "card" }, { kind: "cash", number: "1" }, { kind: "gold" }],
  ],
  ["{ a: string } & { b: number }", [{ a: "x", b: 1 }], [{ a: "x" }, { b: 1 }, { a: "x", b: 1, c: 1 }]],
  [
    "{ a: string } & ({ k: 1; x: 1 } | { k: 2; y: 1 })",
    [
      { a: "x", k: 1, x: 1 },
      { a: "x", k: 2, y: 1 },
    ],
    [
      { a: "x", k: 1, y: 1 },
      { k: 1, x: 1 },
    ],
  ],
  ["{ a: { b: 1 } } & { a: { c?: 2 } }", [{ a: { b: 1 } }, { a: { b: 1, c: 2 } }], [{ a: { c: 2 } }]],
  ["string & { readonly __brand: 'id' }", ["x"], [1, { __brand: "id" }]],
  ["any & { a: string }", [{}, 1], []],
  ["string[]", [[], ["a"]], [["a", 1], "a", { 0: "a" }, new Set(["a"])]],
  ["readonly number[]", [[1, -0]], [["1"]]],
  ["number[]", [sparse, Object.assign([1], { index: 0 })], [[null]]],
  ["Array<string> | ReadonlyArray<number>", [["a"], [1]], [["a", 1], [true]]],
  ["string[][]", [[["a"], []]], [["a"]]],
  ["[string, number?]", [["a"], ["a", 1], ["a", undefined]], [[], [1], ["a", 1, 2], ["a", "b"]]],
  ["[name: string, ...rest: number[]]", [["a"], ["a", 1, 2]], [[], ["a", "b"]]],
  ["[...boolean[], string]", [["a"], [true, "a"]], [[], [1]]],
  [
    "[...Pair, boolean]",
    [[1, "a", true]],
    [
      [1, "a"],
      [1, true, "a"],
    ],
    "type Pair = [number, string];",
  ],
  ["[]", [[]], [[1]]],
  ["{ [key: string]: number }", [{}, { a: 1, $b: 2 }], [{ a: "x" }, { $a: "x" }, new Date(5), new Map()]],
  [
    "{ id: string; [key: string]: unknown }",
    [
      { id: "a", x: 1 },
      { id: "a", $x: 1 },
    ],
    [{ x: 1 }, { id: 1 }],
  ],
  ["{ [key: number]: string }", [{ 1: "a" }, ["a"]], []],
  ["Record<string, number>", [{ a: 1 }], [{ a: "1" }, new Date(5), [1]]],
  ["Record<'a' | 'b', number>", [{ a: 1, b: 2 }], [{ a: 1 }, { a: 1, b: 2, c: 3 }]],
  ["Record<number, string>", [{ 1: "a" }, ["a"]], [{ 1: 1 }]],
  ["Record<`x-${string}`, string>", [{ "x-a": "1" }], [{ "x-a": 1 }]],
  ["Partial<Record<'a' | 'b', number>>", [{}, { a: 1 }], [{ c: 1 }, { a: "1" }]],
  ["Partial<{ a: string; b: number }>", [{}, { a: "x" }], [{ a: 1 }, { c: 1 }]],
  ["Required<{ a?: string; b: number }>", [{ a: "x", b: 1 }], [{ b: 1 }, { a: undefined, b: 1 }]],
  ["Readonly<{ a: string }>", [{ a: "x" }], [{}]],
  ["Pick<{ a: string; b: number; c: 1 }, 'a' | 'b'>", [{ a: "x", b: 1 }], [{ a: "x" }, { a: "x", b: 1, c: 1 }]],
  ["Omit<{ a: string; b: number }, 'b'>", [{ a: "x" }], [{ a: "x", b: 1 }]],
  ["NonNullable<string | null | undefined>", ["a"], [null, undefined]],
  ["Exclude<'a' | 'b' | 'c', 'c'>", ["a", "b"], ["c"]],
  ["Extract<'a' | 'b', 'b' | 'z'>", ["b"], ["a", "z"]],
  ["keyof Point", ["x", "y"], ["z"], "interface Point { x: number; y: number }"],
  ["Point['x'] | Point['y'][number]", [1, "a"], [true], "interface Point { x: number; y: string[] }"],
  ["Map<string, number>", [new Map([["a", 1]])], [new Map([["a", "1"]]), new Map([[1, 1]]), { a: 1 }, new Set()]],
  ["ReadonlyMap<{ id: 1 }, Date>", [new Map([[{ id: 1 }, new Date(0)]])], [new Map([[{ id: 2 }, new Date(0)]])]],
  ["Set<string> | ReadonlySet<number>", [new Set(["a"]), new Set([1])], [new Set([true]), ["a"]]],
  ["Date", [new Date(0), new Date(Number.NaN)], ["2026-01-01", 0, {}, { $date: 0 }]],
  ["Uint8Array", [new Uint8Array([1]), Buffer.from("a")], ["AQ==", [1]]],
  ["URL", [new URL("https://a.b/")], ["https://a.b/"]],
  ["URLSearchParams", [new URLSearchParams("a=1&a=2")], [{ a: "1" }]],
  ["Error | TypeError", [new Error("x"), new RangeError("x", { cause: 1 })], [{ message: "x" }]],
  ["Color", ["red", "green"], ["blue", 0], "enum Color { Red = 'red', Green = 'green' }"],
  ["Level", [0, 1], [2, "Low"], "enum Level { Low, High }"],
  ["Level.High", [1], [0], "enum Level { Low, High }"],
  ["Access", [1, 3, 7], ["1"], "enum Access { Read = 1, Write = 1 << 1, All = Read | Write }"],
  ["Access", [1, 6], ["1"], "enum Access { Read = 1, Write = 2, Run = 4 }"],
  [
    "Pair<string>",
    [{ a: "x", b: ["y"] }],
    [
      { a: 1, b: ["y"] },
      { a: "x", b: [1] },
    ],
    "type Pair<T> = { a: T; b: T[] };",
  ],
  ["Box", [{ value: "a" }], [{ value: 1 }], "interface Box<T = string> { value: T }"],
  [
    "Tree<number>",
    [{ value: 1, children: [{ value: 2, children: [] }] }],
    [{ value: 1, children: [{ value: "2", children: [] }] }],
    "interface Tree<T> { value: T; children: Tree<T>[] }",
  ],
  [
    "Json",
    [{ a: [1, null, { b: "x" }] }],
    [{ a: [1n] }, undefined],
    "type Json = string | number | boolean | null | Json[] | { [key: string]: Json };",
  ],
  [
    "Dog",
    [{ name: "a", tail: 1, age: 2 }],
    [{ name: "a" }, { tail: 1 }, { name: "a", tail: 1, age: "2" }],
    "interface Animal { name: string } interface Dog extends Animal { tail: number } interface Dog { age: number }",
  ],
  [
    "{ delay: Duration }",
    [{ delay: 5 }, { delay: "2 days" }],
    [{ delay: null }, {}],
    "import type { Duration } from 'cairnjs';",
  ],
  // Shared objects and cycles are checked like any others.
  ["{ x: { a: number }; y: { a: number } }", [{ x: shared, y: shared }], [{ x: { a: "1" }, y: shared }]],
  ["{ a: string }[]", [], [[shared, shared]]],
  ["Date[]", [((date) => [date, date])(new Date(0))], []],
  ["Link", [loop], [Object.assign({ ...loop }, { value: "1" })], "interface Link { value: number; next?: Link }"],
];

test.each(rows)("%s", (type, good, bad, declarations) => {
  const derived = schemaOf(type, declarations);
  if (derived === null) throw new Error("nothing derived");
  expect({ refused: good.filter((value) => !derived.accepts(value)), accepted: bad.filter(derived.accepts) }).toEqual({
    refused: [],
    accepted: [],
  });
});

/** Not understood, so that every value is let through where it stands, and only there. */
test.each<[string, string]>([
  ["T extends string ? 1 : 2", ""],
  ["{ [K in 'a']: K }", ""],
  ["typeof VALUE", "const VALUE = { a: 1 };"],
  ["keyof Foreign", "import type { Foreign } from 'package';"],
  ["Foreign", "import { Foreign } from 'package';"],
  ["foreign.Thing", "import * as foreign from 'package';"],
  ["Missing", "import type { Missing } from './missing.ts';"],
  ["Undeclared", ""],
  ["Money", "class Money { amount = 1 }"],
  ["() => void", ""],
  ["{ (): void }", ""],
  ["symbol", ""],
  ["ReturnType<() => string>", ""],
  ["Pick<Foreign, 'a'>", "import type { Foreign } from 'package';"],
  ["Partial<string[]>", ""],
  ["Circle", "type Circle = Circle;"],
  ["Circle | 1", "type Circle = Circle | string;"],
  ["Circle", "type Circle = Other; type Other = Partial<Circle>;"],
  ["Endless<1>", "type Endless<T> = Partial<Endless<T[]>>;"],
  ["Ambient", "declare enum Ambient { A }"],
])("%s is not understood", (type, declarations) => {
  expect(schemaOf(type, declarations)).toBeNull();
  const derived = schemaOf(`{ part: ${type}; rest: string }`, declarations);
  const verdicts = [1, "x", [null], { any: new Date(0) }].map((part) => derived?.accepts({ part, rest: "x" }));
  expect(verdicts).toEqual([true, true, true, true]);
  expect([derived?.accepts({ part: 1, rest: 1 }), derived?.accepts({ rest: "x", part: 1, more: 1 })]).toEqual([
    false,
    false,
  ]);
});

test("an interface that extends something unknown still asks for what it declares itself", () => {
  const derived = schemaOf("Own", "import type { Base } from 'package'; interface Own extends Base { id: string }");
  expect(derived?.accepts({ id: "a", other: 1 })).toBe(true);
  expect(derived?.accepts({ other: 1 })).toBe(false);
  expect(derived?.accepts(new Map())).toBe(true);
});

test("types are followed through imports of every kind", () => {
  const files = {
    "a.ts": `export interface Order { id: string; lines: Line[]; state: State } type Line = { sku: string };
      export enum State { Open = "open" } export default interface Main { main: 1 }`,
    "b.ts": `export type { Order as Renamed } from "./a.ts"; export * from "./c.ts"; export * as all from "./a.ts";`,
    "c.ts": `import type { State } from "./a.ts"; type Local = { c: State }; export { type Local, Local as Third };
      export type Back = { back?: import("./b.ts").Third };`,
  };
  const imports = `import Main, { type Order } from "./a.ts"; import { Renamed, Third, all, type Back } from "./b.ts";
    import * as a from "./a.ts";`;
  const order = { id: "a", lines: [{ sku: "x" }], state: "open" };
  const accepts = (type: string, value: unknown) => schemaOf(type, imports, files)?.accepts(value);
  for (const type of ["Order", "Renamed", "all.Order", "a.Order", "import('./a.ts').Order"]) {
    expect([type, accepts(type, order), accepts(type, { ...order, lines: [{}] })]).toEqual([type, true, false]);
  }
  expect([accepts("Main", { main: 1 }), accepts("Main", {})]).toEqual([true, false]);
  expect([accepts("Third", { c: "open" }), accepts("Third", { c: "shut" })]).toEqual([true, false]);
  expect([accepts("Back", { back: { c: "open" } }), accepts("Back", { back: {} })]).toEqual([true, false]);
});

test("a declared name wins over one of TypeScript's", () => {
  const derived = schemaOf("{ at: Date; of: Record }", "type Date = string; interface Record { a: 1 }");
  expect(derived?.accepts({ at: "x", of: { a: 1 } })).toBe(true);
  expect(derived?.accepts({ at: new Date(0), of: { a: 1 } })).toBe(false);
});
