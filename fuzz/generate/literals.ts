import type { Generator, Type } from "./generator.ts";

const NUMBERS = [
  "0",
  "1",
  "2",
  "3",
  "(-1)",
  "7",
  "10",
  "0.5",
  "(-2.5)",
  "1e21",
  "NaN",
  "Infinity",
  "(-Infinity)",
  "(2 ** 31)",
  "0xff",
  "1_000",
  "4294967295",
  "(-0)",
];
const STRINGS = [
  '""',
  '"a"',
  '"abc"',
  '"b"',
  '"10"',
  '"2"',
  '"x y z"',
  '"héß"',
  '"😀"',
  '"length"',
  '"0"',
  '"-1"',
  '"null"',
  '"a,b,c"',
  '"foo bar foo"',
  "'it\\'s'",
  '"\\u0000"',
];
const BIGINTS = ["0n", "1n", "(-1n)", "5n", "(2n ** 65n)", "(-7n)", "255n"];

/** A leaf of the type: what ends the writing of an expression. */
export function leaf(g: Generator, type: Type): string {
  const known = g.variables(type);
  if (known.length > 0 && g.chance(0.65)) return g.pick(known).name;
  switch (type) {
    case "number":
      return g.pick(NUMBERS);
    case "string":
      return g.pick(STRINGS);
    case "boolean":
      return g.pick(["true", "false"]);
    case "bigint":
      return g.pick(BIGINTS);
    case "array":
      return g.pick([
        "[]",
        "[1, 2, 3]",
        '["b", "a"]',
        "[1, , 3]",
        "[[1, 2], [3]]",
        "[3, 1, 2]",
        "[null, undefined, 0]",
        "[{ k: 1 }, { k: 2 }]",
      ]);
    case "object":
      return g.pick([
        "({})",
        "({ a: 1, b: 2 })",
        '({ a: "x", n: { m: [1] } })',
        "({ b: 1, 2: 2, a: 3, 1: 4 })",
        '({ toString() { return "T"; } })',
        "({ valueOf() { return 42; } })",
        "({ toJSON() { return [1]; }, k: 2 })",
      ]);
    case "map":
      return g.pick(["new Map()", 'new Map([["a", 1], ["b", 2]])', "new Map([[1, { x: 1 }], [NaN, 2]])"]);
    case "set":
      return g.pick(["new Set()", "new Set([1, 2, 3])", 'new Set(["x", "y", "x"])']);
    case "date":
      return g.pick([
        "new Date(0)",
        "new Date(2024, 1, 29)",
        'new Date("2026-03-01T10:20:30.400Z")',
        "new Date()",
        "new Date(Date.now() + 86_400_000)",
      ]);
    case "error":
      return errorLiteral(g);
    case "promise":
      return g.pick([
        "Promise.resolve(1)",
        'Promise.resolve("p")',
        'Promise.reject(new Error("§rejected"))',
        "(async () => 5)()",
        "new Promise((done) => done([1]))",
      ]);
    case "function":
      return g.pick([
        "((x) => x)",
        "((a, b) => [a, b])",
        "(function (a) { return typeof a; })",
        "(() => undefined)",
        "(Boolean<any>)",
        "Math.max",
        "String",
        "Boolean",
      ]);
    case "any":
      return leaf(g, g.pick(["number", "string", "boolean", "bigint", "array", "object", "number", "string"] as const));
  }
}

function errorLiteral(g: Generator): string {
  const classes = ["Error", "TypeError", "RangeError", "SyntaxError", ...g.module.errorClasses];
  const name = g.pick(classes);
  const message = JSON.stringify(`§${g.fresh("m")}`);
  return g.chance(0.25)
    ? `new ${name}(${message}, { cause: ${g.chance(0.5) ? "1" : 'new Error("§cause")'} })`
    : `new ${name}(${message})`;
}

/** `null` and `undefined` as values. */
export function nothing(g: Generator): string {
  return g.pick(["null", "undefined", "(void 0)"]);
}
