import type { Generator, Production } from "./generator.ts";
import { leaf } from "./literals.ts";

const compare = (operator: string): Production => ({
  name: `compare ${operator}`,
  weight: 1,
  write: (g: Generator) => `(${g.any()} ${operator} ${g.any()})`,
});

export const booleanProductions: readonly Production[] = [
  ...["==", "!=", "===", "!==", "<", "<=", ">", ">="].map(compare),
  { name: "compare same", weight: 1, write: (g) => `(${leaf(g, "number")} < ${leaf(g, "number")})` },
  { name: "not", weight: 2, write: (g) => `!${g.any()}` },
  { name: "both", weight: 2, write: (g) => `(${g.expression("boolean")} && ${g.expression("boolean")})` },
  { name: "either", weight: 2, write: (g) => `(${g.expression("boolean")} || ${g.expression("boolean")})` },
  {
    name: "in",
    weight: 1,
    write: (g) => `(${g.expression(g.pick(["string", "number"]))} in ${g.expression(g.pick(["object", "array"]))})`,
  },
  {
    name: "instanceof built-in",
    weight: 1,
    write: (g) =>
      `(${g.expression(g.pick(["array", "map", "object", "date", "error"]))} instanceof ${g.pick(["Array", "Map", "Object", "Date", "Error", "Promise", "RegExp"])})`,
  },
  {
    name: "instanceof error class",
    weight: 1,
    write: (g) => `(${leaf(g, "error")} instanceof ${g.pick(["Error", "TypeError", ...g.module.errorClasses])})`,
  },
  {
    name: "includes",
    weight: 1,
    write: (g) => `${g.expression(g.pick(["array", "string"]))}.includes(${leaf(g, "string")})`,
  },
  {
    name: "delete member",
    weight: 1,
    write: (g) => `(delete ${g.expression("object")}${g.pick([".a", "[0]", '["b"]', "?.a", "?.n?.m"])})`,
  },
  { name: "has", weight: 1, write: (g) => `${g.expression(g.pick(["map", "set"]))}.has(${g.any()})` },
  {
    name: "test",
    weight: 1,
    write: (g) =>
      `${g.pick(["/a/", "/^[a-z ]+$/i", "/(\\d+)|x/", "/(?<=f)oo/", "/\\bfoo\\b/g"])}.test(${g.expression("string")})`,
  },
  {
    name: "some",
    weight: 1,
    write: (g) =>
      `${g.expression("array")}.${g.pick(["some", "every"])}((item) => ${g.pick(["item", "!item", "item > 1", "typeof item === 'number'"])})`,
  },
  {
    name: "Number predicate",
    weight: 1,
    write: (g) =>
      `${g.pick(["Number.isInteger", "Number.isNaN", "isNaN", "isFinite", "Number.isSafeInteger"])}(${g.expression("number")})`,
  },
  { name: "Object.is", weight: 1, write: (g) => `Object.is(${g.any()}, ${g.any()})` },
  { name: "hasOwn", weight: 1, write: (g) => `Object.hasOwn(${g.expression("object")}, ${g.expression("string")})` },
  {
    name: "is frozen",
    weight: 1,
    write: (g) => `Object.isFrozen(${g.pick(["TABLE", "Object.freeze([1])", "{}", "1"])})`,
  },
  { name: "Array.isArray", weight: 1, write: (g) => `Array.isArray(${g.any()})` },
];
