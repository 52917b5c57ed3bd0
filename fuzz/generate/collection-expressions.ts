import type { Production } from "./generator.ts";
import { leaf } from "./literals.ts";

const array: readonly Production[] = [
  {
    name: "array literal",
    weight: 3,
    write: (g) => `[${Array.from({ length: g.random.below(4) }, () => g.any()).join(", ")}]`,
  },
  {
    name: "array spread",
    weight: 2,
    write: (g) => `[${g.any()}, ...${g.expression(g.pick(["array", "string", "set", "map"]))}, ...${leaf(g, "array")}]`,
  },
  { name: "array holes", weight: 1, write: (g) => `[, ${g.any()}, , ]` },
  {
    name: "map items",
    weight: 2,
    write: (g) =>
      `${g.expression("array")}.map((item, index) => ${g.pick(["[index, item]", "item", "index * 2", "String(item)", "({ item })"])})`,
  },
  { name: "map with closure", weight: 1, write: (g) => mapWithClosure(g) },
  {
    name: "filter",
    weight: 1,
    write: (g) =>
      `${g.expression("array")}.filter((item, index) => ${g.pick(["index % 2 === 0", "item", "item !== 2"])})`,
  },
  {
    name: "sort",
    weight: 2,
    write: (g) =>
      `[...${g.expression("array")}].sort(${g.pick(["", "(a, b) => (a > b ? 1 : -1)", "(a, b) => Number(a) - Number(b)", "() => 0", "(a, b) => (String(a) < String(b) ? 1 : -1)"])})`,
  },
  {
    name: "sort with log",
    weight: 1,
    write: (g) => `[5, 3, 9, 1, ${leaf(g, "number")}].sort((a, b) => { ${g.log("a", "b")} return a - b; })`,
  },
  {
    name: "copies",
    weight: 1,
    write: (g) =>
      `${g.expression("array")}.${g.pick(["slice(1)", "concat([9], 8)", "toReversed()", "flat()", "flat(2)", "slice(-2)", "with(0, 7)", "toSpliced(1, 1)"])}`,
  },
  {
    name: "in place",
    weight: 1,
    write: (g) => `${g.expression("array")}.${g.pick(["reverse()", "fill(0, 1)", "splice(0, 1)", "copyWithin(0, 1)"])}`,
  },
  { name: "flatMap", weight: 1, write: (g) => `${g.expression("array")}.flatMap((item) => [item, [item]])` },
  {
    name: "object lists",
    weight: 1,
    write: (g) => `Object.${g.pick(["keys", "values", "entries"])}(${g.expression("object")})`,
  },
  {
    name: "split",
    weight: 1,
    write: (g) => `${g.expression("string")}.split(${g.pick(['""', '","', "/[ ,]/", '"a"'])})`,
  },
  {
    name: "Array.from",
    weight: 1,
    write: (g) => `Array.from(${g.pick(["{ length: 3 }", '"abc"', "new Set([1, 2])"])}, (item, index) => index)`,
  },
  {
    name: "from map",
    weight: 1,
    write: (g) => `[...${g.expression("map")}${g.pick(["", ".keys()", ".values()", ".entries()"])}]`,
  },
  { name: "match", weight: 1, write: (g) => `[...(${g.expression("string")}.match(/[a-z]/g) ?? [])]` },
  {
    name: "matchAll",
    weight: 1,
    write: (g) =>
      `[...${g.expression("string")}.matchAll(/(?<c>[ao])(.)?/g)].map((found) => [found[0], found.index, found.groups?.c])`,
  },
  {
    name: "rest parameter",
    weight: 1,
    write: (g) => `((first, ...rest) => rest)(${g.any()}, ...${leaf(g, "array")}, ${g.any()})`,
  },
  {
    name: "copy of constant",
    weight: 1,
    write: (g) =>
      g.pick(["[...NAMES]", "NAMES.slice(1)", "TABLE.list.concat(NAMES)", "NAMES.map((name) => name.length)"]),
  },
  {
    name: "push gives",
    weight: 1,
    when: (g) => g.variables("array").length > 0,
    write: (g) => `(${g.pick(g.variables("array")).name}.push(${g.any()}), ${g.pick(g.variables("array")).name})`,
  },
];

function mapWithClosure(g: Parameters<Production["write"]>[0]): string {
  const name = g.fresh("q");
  const list = g.expression("array");
  const body = g.inFunction({ async: false }, () => {
    g.declare(name, "any", false);
    return g.any();
  });
  return `${list}.map((${name}) => ${body})`;
}

const map: readonly Production[] = [
  {
    name: "new Map",
    weight: 2,
    write: (g) => `new Map([[${g.any()}, ${g.any()}], [${leaf(g, "string")}, ${g.any()}]])`,
  },
  { name: "new Map spread", weight: 1, write: (g) => `new Map(...[[[${g.any()}, ${g.any()}]], ${g.any()}])` },
  { name: "Map of entries", weight: 1, write: (g) => `new Map(Object.entries(${g.expression("object")}))` },
  { name: "Map set", weight: 1, write: (g) => `${g.expression("map")}.set(${g.any()}, ${g.any()})` },
];

const set: readonly Production[] = [
  { name: "new Set", weight: 2, write: (g) => `new Set(${g.expression("array")})` },
  { name: "Set add", weight: 1, write: (g) => `${g.expression("set")}.add(${g.any()})` },
  { name: "Set of text", weight: 1, write: (g) => `new Set(${g.expression("string")})` },
];

export const collectionProductions = { array, map, set };
