import type { Generator, Production } from "./generator.ts";
import { leaf } from "./literals.ts";

export const objectProductions: readonly Production[] = [
  { name: "object literal", weight: 3, write: (g) => `({ a: ${g.any()}, b: ${g.any()} })` },
  {
    name: "object spread",
    weight: 2,
    write: (g) => `({ z: 1, ...${g.expression(g.pick(["object", "array", "string"]))}, a: ${g.any()} })`,
  },
  { name: "spread of nothing", weight: 1, write: () => "({ ...null, ...undefined, ...5, kept: true })" },
  {
    name: "computed keys",
    weight: 1,
    write: (g) => `({ [${g.expression("string")}]: ${g.any()}, ["k" + ${leaf(g, "number")}]: 1, 5: 2 })`,
  },
  {
    name: "shorthand",
    weight: 1,
    when: (g) => g.variables("any").length > 0,
    write: (g) => `({ ${g.pick(g.variables("any")).name}, "quoted key": 1, 0.5: 2, 1n: 3 })`,
  },
  { name: "method with this", weight: 2, write: methodWithThis },
  { name: "coercible", weight: 2, write: coercible },
  {
    name: "Object.assign",
    weight: 1,
    write: (g) => `Object.assign({ first: 0 }, ${g.expression("object")}, ${g.pick(["null", "{ b: 5 }", '"hi"'])})`,
  },
  {
    name: "fromEntries",
    weight: 1,
    write: (g) => `Object.fromEntries([["x", ${g.any()}], [${leaf(g, "string")}, 1]])`,
  },
  { name: "frozen", weight: 1, write: (g) => `Object.freeze(${g.expression("object")})` },
  {
    name: "parsed",
    weight: 1,
    write: (g) =>
      `JSON.parse('${g.pick(['{"a":[1,{"b":null}],"c":"x"}', '{"2":1,"1":2,"x":{}}', "[1,2]"])}'${g.chance(0.4) ? ", (key, value) => (key === 'a' ? 'revived' : value)" : ""})`,
  },
  {
    name: "clone",
    weight: 1,
    write: (g) => `structuredClone(${g.pick(["{ a: [1, new Date(5)] }", "[1, , 3]", "new Map([[1, { x: 1 }]])"])})`,
  },
  {
    name: "match object",
    weight: 1,
    write: (g) => `(/(?<first>\\w)(\\w)?/d.exec(${g.expression("string")}) ?? { none: true })`,
  },
  { name: "enum object", weight: 1, write: (g) => g.pick(["({ ...Color })", "({ ...Mode })"]) },
  { name: "rest of object", weight: 1, write: (g) => `(({ a, ...rest }) => rest)(${g.expression("object")})` },
  {
    name: "error with fields",
    weight: 1,
    when: (g) => g.module.errorClasses.length > 0,
    write: (g) => `({ failure: new ${g.pick(g.module.errorClasses)}("§${g.fresh("m")}") })`,
  },
];

function methodWithThis(g: Generator): string {
  const body = g.inFunction({ async: false, hasThis: true }, () => g.any());
  const arrow = g.inFunction({ async: false, hasThis: true }, () => g.any());
  return `({ a: ${leaf(g, "number")}, b: { c: 1 }, k: ${leaf(g, "string")}, m() { return ${body}; }, n(x = this.a) { return [x, (() => ${arrow})()]; } })`;
}

/** Objects whose conversions are observable. */
function coercible(g: Generator): string {
  const method = g.pick(["toString", "valueOf", "toJSON"]);
  return `({ ${method}() { ${g.log(JSON.stringify(method))} return ${leaf(g, g.pick(["number", "string", "boolean"]))}; }, own: 1 })`;
}
