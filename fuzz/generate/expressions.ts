import { booleanProductions } from "./boolean-expressions.ts";
import { collectionProductions } from "./collection-expressions.ts";
import type { Generator, Production, Type } from "./generator.ts";
import { leaf, nothing } from "./literals.ts";
import { numberProductions } from "./number-expressions.ts";
import { objectProductions } from "./object-expressions.ts";
import { promiseProductions } from "./promise-expressions.ts";
import { stringProductions } from "./string-expressions.ts";

/** Expressions whose type is that of what they choose between. */
function flowProductions(type: Type): Production[] {
  const inner = (g: Generator): string => g.expression(type);
  return [
    { name: "leaf", weight: 6, write: (g) => leaf(g, type) },
    { name: "conditional", weight: 2, write: (g) => `(${g.expression("boolean")} ? ${inner(g)} : ${inner(g)})` },
    { name: "sequence", weight: 1, write: (g) => `(${g.any()}, ${inner(g)})` },
    { name: "or", weight: 1, write: (g) => `(${g.pick([nothing(g), "0", '""', "false"])} || ${inner(g)})` },
    { name: "and", weight: 1, write: (g) => `(${g.pick(["1", '"x"', "true", "({})"])} && ${inner(g)})` },
    { name: "nullish", weight: 1, write: (g) => `(${g.chance(0.5) ? nothing(g) : leaf(g, type)} ?? ${inner(g)})` },
    { name: "await value", weight: 1, when: (g) => g.inAsync, write: (g) => `(await ${inner(g)})` },
    { name: "await resolved", weight: 1, when: (g) => g.inAsync, write: (g) => `(await Promise.resolve(${inner(g)}))` },
    { name: "immediate arrow", weight: 1, write: (g) => immediate(g, type) },
    {
      name: "type assertion",
      weight: 1,
      write: (g) =>
        g.pick([
          `(${inner(g)} as any)`,
          `(${inner(g)})!`,
          `(${inner(g)} satisfies unknown)`,
          `(<any>${leaf(g, type)})`,
          `(${inner(g)} as unknown as any)`,
        ]),
    },
    {
      name: "assignment",
      weight: 1,
      when: (g) => g.assignable(type).length > 0,
      write: (g) => `(${g.pick(g.assignable(type)).name} = ${inner(g)})`,
    },
    {
      name: "logical assignment",
      weight: 1,
      when: (g) => g.assignable(type).length > 0,
      write: (g) => `(${g.pick(g.assignable(type)).name} ${g.pick(["??=", "||=", "&&="])} ${inner(g)})`,
    },
  ];
}

function immediate(g: Generator, type: Type): string {
  const name = g.fresh("p");
  const value = g.expression(type);
  const isArrow = g.chance(0.5);
  const body = g.inFunction(isArrow ? { async: false } : { async: false, hasThis: false }, () => {
    g.declare(name, type);
    return g.expression(type);
  });
  return isArrow ? `((${name}) => ${body})(${value})` : `(function (${name}) { return ${body}; })(${value})`;
}

const anyProductions: readonly Production[] = [
  ...(["number", "string", "boolean", "bigint", "array", "object"] as const).map((type) => ({
    name: `any ${type}`,
    weight: 3,
    write: (g: Generator) => g.expression(type),
  })),
  { name: "null or undefined", weight: 2, write: nothing },
  { name: "any addition", weight: 2, write: (g) => `(${g.any()} + ${g.any()})` },
  { name: "member of any", weight: 1, write: (g) => `${g.expression("object")}[${g.expression("string")}]` },
  {
    name: "optional member",
    weight: 2,
    write: (g) =>
      `${g.chance(0.3) ? nothing(g) : g.expression("object")}?.${g.pick(["a", "b.c", "n?.m", "[0]", "k?.[1]", "a?.b?.c"])}`,
  },
  {
    name: "optional call",
    weight: 1,
    write: (g) => `${g.expression("object")}?.${g.pick(["f", "toString", "valueOf"])}?.()`,
  },
  { name: "chain with assertion", weight: 1, write: (g) => `${g.expression("object")}?.a!.toString` + "?.()" },
  {
    name: "this member",
    weight: 3,
    when: (g) => g.hasThis,
    write: (g) => g.pick(["this.a", "this?.b", "this.k", "typeof this"]),
  },
];

/** The tables of expressions, by type of the value. */
export const expressionTables: Readonly<Record<Type, readonly Production[]>> = {
  number: [...flowProductions("number"), ...numberProductions],
  string: [...flowProductions("string"), ...stringProductions],
  boolean: [...flowProductions("boolean"), ...booleanProductions],
  bigint: [
    ...flowProductions("bigint"),
    ...["+", "-", "*", "&", "|", "^"].map((operator) => ({
      name: `bigint ${operator}`,
      weight: 1,
      write: (g: Generator) => `(${g.expression("bigint")} ${operator} ${g.expression("bigint")})`,
    })),
    {
      name: "bigint divide",
      weight: 1,
      write: (g) => `(${g.expression("bigint")} ${g.pick(["/", "%"])} ${g.pick(["3n", "-7n", "1n", "0n"])})`,
    },
    {
      name: "bigint shift",
      weight: 1,
      write: (g) => `(${g.expression("bigint")} ${g.pick(["<<", ">>", "**"])} ${g.pick(["0n", "1n", "5n"])})`,
    },
    { name: "bigint unary", weight: 1, write: (g) => `(${g.pick(["-", "~"])} ${g.expression("bigint")})` },
    { name: "BigInt of", weight: 1, write: (g) => `BigInt(${g.pick(["12", '"0x10"', "true", "2 ** 40"])})` },
  ],
  array: [...flowProductions("array"), ...collectionProductions.array],
  object: [...flowProductions("object"), ...objectProductions],
  map: [...flowProductions("map"), ...collectionProductions.map],
  set: [...flowProductions("set"), ...collectionProductions.set],
  date: flowProductions("date"),
  error: flowProductions("error").filter(({ name }) => name === "leaf" || name === "conditional"),
  promise: promiseProductions,
  function: [
    { name: "leaf function", weight: 3, write: (g) => leaf(g, "function") },
    { name: "instantiated function", weight: 1, write: () => "(Boolean<any>)" },
  ],
  any: anyProductions,
};

export function writeExpression(g: Generator, type: Type): string {
  return g.isFull ? leaf(g, type) : g.choose(expressionTables[type]).write(g);
}
