import type { Production } from "./generator.ts";
import { leaf } from "./literals.ts";

export const stringProductions: readonly Production[] = [
  { name: "concatenation", weight: 3, write: (g) => `(${g.expression("string")} + ${g.any()})` },
  { name: "prepended", weight: 1, write: (g) => `(${g.any()} + ${g.expression("string")})` },
  { name: "template", weight: 3, write: (g) => `\`<\${${g.any()}}|\${${g.expression("string")}}>\`` },
  { name: "template of one", weight: 1, write: (g) => `\`\${${g.any()}}\`` },
  { name: "plain template", weight: 1, write: () => "`line one\\nline \\${two} \\u{1F600}`" },
  {
    name: "append",
    weight: 1,
    when: (g) => g.assignable("string").length > 0,
    write: (g) => `(${g.pick(g.assignable("string")).name} += ${g.any()})`,
  },
  { name: "String of", weight: 1, write: (g) => `String(${g.any()})` },
  {
    name: "typeof",
    weight: 2,
    write: (g) => `(typeof ${g.expression(g.pick(["any", "function", "map", "promise"]))})`,
  },
  {
    name: "slice of text",
    weight: 1,
    write: (g) =>
      `${g.expression("string")}.${g.pick(["slice", "substring", "substr"])}(${leaf(g, "number")}, ${leaf(g, "number")})`,
  },
  {
    name: "case",
    weight: 1,
    write: (g) => `${g.expression("string")}.${g.pick(["toUpperCase", "toLowerCase", "trim"])}()`,
  },
  {
    name: "pad",
    weight: 1,
    write: (g) => `${g.expression("string")}.${g.pick(["padStart", "padEnd"])}(${g.pick(["3", "5"])}, "ab")`,
  },
  { name: "repeat", weight: 1, write: (g) => `${leaf(g, "string")}.repeat(${g.pick(["0", "1", "3"])})` },
  { name: "join", weight: 1, write: (g) => `${g.expression("array")}.join(${g.pick(['"-"', "", "undefined", '""'])})` },
  {
    name: "stringify",
    weight: 1,
    write: (g) => `JSON.stringify(${g.expression(g.pick(["array", "object", "string"]))})`,
  },
  {
    name: "replace with function",
    weight: 2,
    write: (g) =>
      `${g.expression("string")}.replace(${g.pick(["/a/g", "/[a-z]+/gi", "/(o)(o)?/g", "/x*/g", '"b"'])}, (match, ...rest) => { ${g.log("match", "rest")} return \`[\${match}]\`; })`,
  },
  {
    name: "replace",
    weight: 1,
    write: (g) =>
      `${g.expression("string")}.replaceAll(${g.pick(['"o"', "/[aeiou]/g", '""'])}, ${g.pick(['"$&$&"', '"-"', '"$1"'])})`,
  },
  { name: "character", weight: 1, write: (g) => `${g.expression("string")}[${leaf(g, "number")}]` },
  { name: "at", weight: 1, write: (g) => `${g.expression("string")}.at(${leaf(g, "number")})` },
  {
    name: "number to text",
    weight: 1,
    write: (g) => `(${g.expression("number")}).toString(${g.pick(["", "2", "16"])})`,
  },
  { name: "toFixed", weight: 1, write: (g) => `(${leaf(g, "number")}).toFixed(2)` },
  { name: "bigint to text", weight: 1, write: (g) => `${g.expression("bigint")}.toString()` },
  {
    name: "date to text",
    weight: 1,
    write: (g) => `${g.expression("date")}.${g.pick(["toISOString", "toString", "toUTCString", "toJSON"])}()`,
  },
  {
    name: "reverse enum",
    weight: 1,
    write: (g) => `${g.pick(["Color[0]", "Color[Color.Green]", "Color[5]", "Mode.On", 'Mode["Off"]'])}`,
  },
  {
    name: "function name",
    weight: 1,
    write: (g) =>
      g.pick([
        "(() => {}).name",
        "((a, b) => a).length + ''",
        "({ m() {} }).m.name",
        "(function named() {}).name",
        "({ ['k' + 1]: () => {} }).k1.name",
        "Math.max.name",
        "((x) => x).bind(null).name",
      ]),
  },
  { name: "error name", weight: 1, write: (g) => `(${g.expression("error")}).${g.pick(["name", "message"])}` },
  { name: "error text", weight: 1, write: (g) => `String(${leaf(g, "error")})` },
  { name: "keys of", weight: 1, write: (g) => `Object.keys(${g.expression("object")}).join()` },
  { name: "tag of", weight: 1, write: (g) => `Object.prototype.toString.call(${g.any()})` },
];
