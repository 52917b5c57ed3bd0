import type { Random } from "../run/random.ts";
import type { Type, Variable } from "./generator.ts";
import { randomNumber, randomString } from "./random-values.ts";

/** Random declarations at module level, in the file of the workflow or in one that it imports. */
export interface ModuleParts {
  /** For the workflow's own file: the declarations, or the imports of them. */
  readonly text: string;
  /** Text of `lib.ts`, or null when all is in one file. */
  readonly library: string | null;
  readonly constants: readonly Variable[];
  readonly errorClasses: readonly string[];
}

interface Part {
  readonly name: string;
  readonly declaration: string;
  readonly type: Type | "class" | "enum";
}

export function moduleParts(random: Random): ModuleParts {
  const parts: Part[] = [];
  const count = 2 + random.below(4);
  for (let index = 0; index < count; index++)
    parts.push(random.pick([constantPart, constantPart, classPart, enumPart])(random, index, parts));
  const inLibrary = random.chance(0.4);
  const text = inLibrary ? importText(parts, random) : parts.map(({ declaration }) => declaration).join("\n");
  const library = inLibrary
    ? `${parts.map(({ declaration }) => `export ${declaration}`).join("\n")}\nexport default 5;\n`
    : null;
  return {
    text: `${text}\n`,
    library,
    constants: parts.flatMap(({ name, type }) =>
      type === "class" || type === "enum" ? [] : [{ name: inLibrary ? local(name) : name, type, assignable: false }],
    ),
    errorClasses: parts.filter(({ type }) => type === "class").map(({ name }) => (inLibrary ? local(name) : name)),
  };
}

const LIBRARY = '"./lib.ts"';

/** Every second name is imported under another. */
function local(name: string): string {
  return Number(/\d+$/.exec(name)?.[0]) % 2 === 0 ? name : `${name}x`;
}

function importText(parts: readonly Part[], random: Random): string {
  const named = parts.map(({ name }) => (local(name) === name ? name : `${name} as ${local(name)}`));
  const extra = random.pick([
    "",
    'import * as all from "./lib.ts";\n',
    'import fallback from "./lib.ts";\n',
    'import type { Nothing } from "./lib.ts";\n',
  ]);
  return `import { ${named.join(", ")} } from ${LIBRARY};\n${extra}`;
}

/** A constant whose value only depends on literals and the constants before it. */
function constantPart(random: Random, index: number, before: readonly Part[]): Part {
  const numbers = before.filter(({ type }) => type === "number").map(({ name }) => name);
  const number = (): string =>
    numbers.length > 0 && random.chance(0.5) ? random.pick(numbers) : `(${randomNumber(random)})`;
  const name = `K${index}`;
  const [type, value] = random.pick<() => readonly [Type, string]>([
    () => ["number", `${number()} ${random.pick(["+", "*", "-", "%", "|"])} ${number()}`],
    () => ["number", `[${number()}, ${number()}].reduce((total, item) => total + item, 0)`],
    () => ["number", `Math.max(...[1, 5, 3].map((x) => x * ${number()}))`],
    () => ["number", `new Map([["a", ${number()}]]).get("a")!`],
    () => ["string", `\`<\${${number()}}>\` + ${randomString(random)}`],
    () => ["string", `["x", "y"].map((each, at) => each.repeat(at + 1)).join("-")`],
    () => ["string", `JSON.stringify({ n: ${number()}, list: [1, { deep: null }] })`],
    () => ["boolean", `${number()} > ${number()}`],
    () => ["bigint", "2n ** 70n - 1n"],
    () => ["string", `typeof ${number()} === "number" ? "num" : "other"`],
  ])();
  return { name, type, declaration: `const ${name} = ${value};` };
}

function classPart(random: Random, index: number, before: readonly Part[]): Part {
  const name = `Error${index}`;
  const parents = [
    "Error",
    "TypeError",
    "RangeError",
    ...before.filter(({ type }) => type === "class").map((part) => part.name),
  ];
  const parent = random.pick(parents);
  const fields = Array.from(
    { length: random.below(3) },
    (_, at) =>
      `  field${at}${random.pick(["", " = 1", " = [this.message.length]", ` = ${randomNumber(random)}`, " = { of: this.name }", " = (() => this.message)()", ": unknown", "?: string"])};`,
  );
  const constructor = random.pick([
    () => "",
    () => "  constructor(message: string) {\n    super(message);\n    this.extra = 1;\n  }",
    () =>
      `  constructor(message: string, readonly code = ${randomNumber(random)}, public list: unknown[] = [code]) {\n    super(message + code);\n    this.name = ${JSON.stringify(name)};\n  }`,
    () => "  constructor(...args: [string?, unknown?]) {\n    super(...args);\n    this.count = args.length;\n  }",
    () =>
      "  constructor(message: string, { cause, ...rest }: any = {}) {\n    super(message, { cause });\n    this.rest = rest;\n    this.message = this.message.toUpperCase();\n  }",
  ])();
  return {
    name,
    type: "class",
    declaration: `class ${name} extends ${parent} {\n${[...fields, constructor].filter((each) => each !== "").join("\n")}\n}`,
  };
}

function enumPart(random: Random, index: number): Part {
  const name = `Enum${index}`;
  const members = random.pick([
    "A, B, C",
    "A = 1, B, C = B * 2",
    'A = "a", B = "b"',
    "A = 1 << 3, B = A | 1, C = ~A",
    'A = "x".length, B = A + 1',
    "A = -1, B, C = 1.5, D",
  ]);
  return { name, type: "enum", declaration: `enum ${name} { ${members} }` };
}
