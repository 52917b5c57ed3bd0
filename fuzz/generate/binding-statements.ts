import type { Generator, Production, Type } from "./generator.ts";
import { leaf } from "./literals.ts";

const VALUE_TYPES: readonly Type[] = [
  "number",
  "number",
  "string",
  "string",
  "boolean",
  "bigint",
  "array",
  "array",
  "object",
  "object",
  "map",
  "set",
  "date",
  "error",
];

export const bindingStatements: readonly Production[] = [
  { name: "declare", weight: 8, write: declareVariable },
  { name: "declare several", weight: 2, write: declareSeveral },
  { name: "destructure object", weight: 3, write: destructureObject },
  { name: "destructure array", weight: 3, write: destructureArray },
  { name: "destructure nested", weight: 1, write: destructureNested },
  {
    name: "destructuring assignment",
    weight: 3,
    when: (g) => g.assignable("any").length > 1,
    write: destructuringAssignment,
  },
  { name: "destructuring to members", weight: 1, write: destructuringToMembers },
  { name: "assign", weight: 5, when: (g) => g.assignable("any").length > 0, write: assign },
  { name: "update", weight: 3, when: (g) => g.assignable("number").length > 0, write: (g) => update(g) },
  { name: "assign member", weight: 4, when: (g) => g.variables("object").length > 0, write: assignMember },
  { name: "member operators", weight: 1, write: memberOperators },
  { name: "assign element", weight: 3, when: (g) => g.variables("array").length > 0, write: assignElement },
  {
    name: "assign length",
    weight: 1,
    when: (g) => g.variables("array").length > 0,
    write: (g) => `${g.pick(g.variables("array")).name}.length = ${g.pick(["0", "1", "5"])};`,
  },
  { name: "evaluation order", weight: 1, write: evaluationOrder },
  { name: "alias", weight: 2, when: (g) => g.variables("object").length > 0, write: alias },
  { name: "hoisted var", weight: 1, write: hoistedVar },
];

function declareVariable(g: Generator): string {
  const type = g.pick(VALUE_TYPES);
  const name = g.fresh("v");
  const kind = g.pick(["let", "let", "const", "var"]);
  const text = `${kind} ${name}${g.chance(0.1) ? ": any" : ""} = ${g.expression(type)};`;
  g.declare(name, type, kind !== "const");
  return text;
}

function declareSeveral(g: Generator): string {
  const first = g.fresh("v");
  const second = g.fresh("v");
  const third = g.fresh("v");
  const value = g.expression("number");
  g.declare(first, "number");
  const text = `let ${first} = ${value}, ${second} = ${g.expression("number")}, ${third};`;
  g.declare(second, "number");
  g.declare(third, "any");
  return text;
}

/** Every operator on a member once, each seen by the next. */
function memberOperators(g: Generator): string {
  const name = g.fresh("m");
  const lines = [...MEMBER_OPERATORS, "="].map(
    (operator) => `${name}.n ${operator} ${leaf(g, "number")};\n${g.log(`${name}.n`)}`,
  );
  return `const ${name} = { n: ${leaf(g, "number")}, list: [5] };\n${g.random.shuffle(lines).join("\n")}\n${g.log(`++${name}.n`, `--${name}["n"]`, `${name}.list[0]++`, `${name}.list[0]--`, name)}`;
}

function destructureObject(g: Generator): string {
  const [a, b, rest] = [g.fresh("v"), g.fresh("v"), g.fresh("v")];
  const key = g.expression("string");
  const text = g.pick([
    () => `const { a: ${a}, b: ${b} = ${g.any()}, ...${rest} } = ${g.expression("object")};`,
    () => `let { [${key}]: ${a}, b: ${b} = ${g.any()}, ...${rest} } = { ...${g.expression("object")}, x: 1 };`,
    () => `var { length: ${a}, [0]: ${b}, ...${rest} } = ${g.expression("array")};`,
    () => `const { a: ${a} = 1, n: { m: ${b} = 2 } = {}, ...${rest} } = ${g.expression("object")};`,
  ])();
  const assignable = !text.startsWith("const");
  g.declare(a, "any", assignable);
  g.declare(b, "any", assignable);
  g.declare(rest, "object", assignable);
  return text;
}

function destructureArray(g: Generator): string {
  const [a, b, rest] = [g.fresh("v"), g.fresh("v"), g.fresh("v")];
  const source = g.expression(g.pick(["array", "string", "set", "map"]));
  const text = g.pick([
    () => `let [${a}, ${b} = ${g.any()}, ...${rest}] = ${source};`,
    () => `const [, ${a} = 1, , ${b}, ...${rest}] = [...${source}, 1, 2];`,
    () =>
      `const [{ k: ${a} } = {}, [${b}] = [5], ...${rest}] = ${g.pick(["[{ k: 1 }, [2], 3]", "[]", "[undefined, undefined, 4]"])};`,
    () => `let [${a}, ${b}, ...[...${rest}]] = ${source};`,
  ])();
  const assignable = text.startsWith("let");
  g.declare(a, "any", assignable);
  g.declare(b, "any", assignable);
  g.declare(rest, "array", assignable);
  return text;
}

function destructureNested(g: Generator): string {
  const [a, b] = [g.fresh("v"), g.fresh("v")];
  const text = `const { list: [, { ${"deep"}: ${a} = (${g.log().slice(0, -1)}, ${g.any()}) } = {}] = [], [\`\${"f"}n\`]: ${b} = () => ${g.inArrow("number")} } = ${g.pick(["{}", "{ list: [1, { deep: 2 }] }", "{ list: [] , fn: 3 }"])};\n${g.log(a, `typeof ${b}`, `${b}.name`)}`;
  g.declare(a, "any", false);
  return text;
}

function destructuringAssignment(g: Generator): string {
  const a = g.pick(g.assignable("any"));
  const others = g.assignable(a.type);
  const b = g.pick(others);
  const value = (): string => g.expression(a.type);
  return g.pick([
    () => `[${a.name}, ${b.name}] = [${b.name}, ${a.name}];`,
    () => `({ x: ${a.name}, y: ${b.name} = ${value()} } = { x: ${value()} });`,
    () => `[${a.name} = ${value()}, [${b.name}] = [${value()}]] = [];`,
    () => `${g.log(`([${a.name}] = [${value()}, 2])`)}`,
  ])();
}

function destructuringToMembers(g: Generator): string {
  const name = g.fresh("v");
  const text = `const ${name} = { list: [] };\n[${name}.x, ${name}.list[0], ...${name}.rest] = ${g.expression("array")};\n({ a: ${name}["y"], ...${name}.z } = ${g.expression("object")});\n${g.log(name)}`;
  g.declare(name, "object", false);
  return text;
}

function assign(g: Generator): string {
  const { name, type } = g.pick(g.assignable("any"));
  return `${name} = ${g.expression(type)};`;
}

function update(g: Generator): string {
  const { name } = g.pick(g.assignable("number"));
  return g.pick([
    `${name}++;`,
    `--${name};`,
    `${name} += ${g.expression("number")};`,
    `${name} ${g.pick(["-=", "*=", "%=", "|=", "^=", ">>>=", "**="])} ${leaf(g, "number")};`,
    `${name} ??= 5;`,
    `${name} ||= 6;`,
    `${name} &&= 7;`,
  ]);
}

function assignMember(g: Generator): string {
  const { name } = g.pick(g.variables("object"));
  const key = g.pick([".a", ".b", ".extra", '["k"]', `[${g.expression("string")}]`, "[1]"]);
  if (g.chance(0.2)) return g.pick([`++${name}${key};`, `--${name}${key};`, `${name}${key}++;`, `${name}${key}--;`]);
  return `${name}${key} ${g.pick(["=", "=", "=", ...MEMBER_OPERATORS])} ${g.any()};`;
}

const MEMBER_OPERATORS = [
  "??=",
  "||=",
  "&&=",
  "+=",
  "-=",
  "*=",
  "/=",
  "%=",
  "**=",
  "<<=",
  ">>=",
  ">>>=",
  "&=",
  "|=",
  "^=",
];

function assignElement(g: Generator): string {
  const { name } = g.pick(g.variables("array"));
  return g.pick([
    () => `${name}[${g.pick(["0", "1", `${name}.length`, "4"])}] = ${g.any()};`,
    () => `${name}.push(${g.any()});`,
    () => `${name}[0] ${g.pick(["+=", "??=", "&&="])} ${g.any()};`,
    () => `delete ${name}[1];`,
  ])();
}

/** Which part is evaluated when: the logs tell. */
function evaluationOrder(g: Generator): string {
  const name = g.fresh("o");
  const step = (text: string): string => `(${g.log().slice(0, -1)}, ${text})`;
  return `const ${name} = { a: { n: 1 }, list: [1, 2] };\n${g.pick([
    () => `${step(name)}[${step('"a"')}] = ${step("2")};`,
    () => `${step(`${name}.list`)}[${step("0")}] ${g.pick(["+=", "??=", "||=", "&&="])} ${step("5")};`,
    () => `${g.log(`${step("1")} + ${step("2")} * ${step("3")}`, `${step(name)}.a?.n`)}`,
    () => `${g.log(`[${step("1")}, ...${step("[2]")}]`, `{ [${step('"k"')}]: ${step("3")} }`)}`,
    () => `({ [${step('"a"')}]: ${step(name)}[${step('"b"')}] = ${step("4")} } = ${step("{}")});`,
    () => `${step("Math")}.max(${step("1")}, ...${step("[2]")});`,
    () => `${step(`${name}.list`)}[${step("1")}]++;`,
    () => `delete ${step(name)}[${step('"a"')}];`,
  ])()}\n${g.log(name)}`;
}

function alias(g: Generator): string {
  const { name } = g.pick(g.variables("object"));
  const other = g.fresh("v");
  g.declare(other, "object", false);
  return `const ${other} = ${name};\n${other}.shared = ${g.any()};\n${g.log(name, other, `${name} === ${other}`)}`;
}

function hoistedVar(g: Generator): string {
  const name = g.fresh("h");
  const text = `${g.log(`typeof ${name}`)}\nif (${g.expression("boolean")}) { var ${name} = ${g.expression("number")}; }\nfor (var ${name}i = 0; ${name}i < 2; ${name}i++) { var ${name} = ${name}i; }\n${g.log(name, `${name}i`)}`;
  g.declare(name, "any");
  return text;
}
