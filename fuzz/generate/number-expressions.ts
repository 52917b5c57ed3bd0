import type { Generator, Production } from "./generator.ts";
import { leaf } from "./literals.ts";

const two = (g: Generator, operator: string): string =>
  `(${g.expression("number")} ${operator} ${g.expression("number")})`;

export const numberProductions: readonly Production[] = [
  ...["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", ">>>"].map((operator) => ({
    name: `number ${operator}`,
    weight: 1,
    write: (g: Generator) => two(g, operator),
  })),
  {
    name: "exponent",
    weight: 1,
    write: (g) => `((${g.expression("number")}) ** ${g.pick(["0", "2", "-1", "0.5", "3"])})`,
  },
  {
    name: "coerced arithmetic",
    weight: 2,
    write: (g) => `(${g.any()} ${g.pick(["-", "*", "/", "%", "&", "|", ">>>", "<<"])} ${g.any()})`,
  },
  { name: "unary minus", weight: 1, write: (g) => `(- ${g.expression("number")})` },
  {
    name: "unary plus",
    weight: 1,
    write: (g) => `(+ ${g.expression(g.pick(["number", "string", "boolean", "object", "array"]))})`,
  },
  { name: "bitwise not", weight: 1, write: (g) => `(~ ${g.expression("number")})` },
  {
    name: "prefix update",
    weight: 1,
    when: (g) => g.assignable("number").length > 0,
    write: (g) => `(${g.pick(["++", "--"])}${g.pick(g.assignable("number")).name})`,
  },
  {
    name: "postfix update",
    weight: 1,
    when: (g) => g.assignable("number").length > 0,
    write: (g) => `(${g.pick(g.assignable("number")).name}${g.pick(["++", "--"])})`,
  },
  {
    name: "compound assignment",
    weight: 2,
    when: (g) => g.assignable("number").length > 0,
    write: (g) =>
      `(${g.pick(g.assignable("number")).name} ${g.pick(["+=", "-=", "*=", "/=", "%=", "**=", "<<=", ">>=", ">>>=", "&=", "|=", "^="])} ${g.expression("number")})`,
  },
  { name: "member update", weight: 1, write: (g) => `({ a: ${g.expression("number")} }).a${g.pick(["++", "--"])}` },
  { name: "array length", weight: 1, write: (g) => `${g.expression("array")}.length` },
  { name: "string length", weight: 1, write: (g) => `${g.expression("string")}.length` },
  {
    name: "Math function",
    weight: 1,
    write: (g) =>
      `Math.${g.pick(["abs", "floor", "ceil", "round", "sign", "trunc", "sqrt", "cbrt"])}(${g.expression("number")})`,
  },
  {
    name: "Math of several",
    weight: 1,
    write: (g) =>
      `Math.${g.pick(["max", "min", "hypot"])}(${g.chance(0.5) ? `...${leaf(g, "array")}` : `${g.expression("number")}, ${g.expression("number")}`})`,
  },
  { name: "Number of", weight: 1, write: (g) => `Number(${g.any()})` },
  { name: "parseInt", weight: 1, write: (g) => `${g.pick(["parseInt", "parseFloat"])}(${g.expression("string")})` },
  { name: "indexOf", weight: 1, write: (g) => `${g.expression("array")}.indexOf(${g.any()})` },
  {
    name: "reduce",
    weight: 1,
    write: (g) => `${g.expression("array")}.reduce((total, item) => total + Number(item), ${g.expression("number")})`,
  },
  { name: "findIndex", weight: 1, write: (g) => `[3, 1, 2].findIndex((item) => item < ${g.inArrow("number")})` },
  { name: "charCodeAt", weight: 1, write: (g) => `${g.expression("string")}.charCodeAt(${leaf(g, "number")})` },
  { name: "map size", weight: 1, write: (g) => `${g.expression(g.pick(["map", "set"]))}.size` },
  {
    name: "date part",
    weight: 1,
    write: (g) =>
      `${g.expression("date")}.${g.pick(["getTime", "getUTCDay", "getMonth", "valueOf", "getTimezoneOffset"])}()`,
  },
  {
    name: "enum member",
    weight: 1,
    write: (g) => g.pick(["Color.Red", "Color.Green", "Color.Blue", 'Color["Red"]', "Size.Big"]),
  },
  {
    name: "destructured default",
    weight: 1,
    write: (g) =>
      `(({ a = ${g.inArrow("number")} }) => a)(${g.pick(["{}", "{ a: 4 }", "{ a: null }", "{ a: undefined }"])})`,
  },
  { name: "helper", weight: 2, when: (g) => g.module.helpers.some((helper) => !helper.async), write: syncHelper },
  {
    name: "await helper",
    weight: 2,
    when: (g) => g.inAsync && g.module.helpers.some((helper) => helper.async),
    write: asyncHelper,
  },
];

function syncHelper(g: Generator): string {
  const { name, parameters } = g.pick(g.module.helpers.filter((helper) => !helper.async));
  return `${name}(${Array.from({ length: parameters }, () => g.expression("number")).join(", ")})`;
}

function asyncHelper(g: Generator): string {
  const { name, parameters } = g.pick(g.module.helpers.filter((helper) => helper.async));
  return `(await ${name}(${Array.from({ length: parameters }, () => g.expression("number")).join(", ")}))`;
}
