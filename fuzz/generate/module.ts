import { Random } from "../run/random.ts";
import { expressionTables, writeExpression } from "./expressions.ts";
import { Generator, type ModuleNames, type Production, type Type } from "./generator.ts";
import { leaf } from "./literals.ts";
import { moduleParts } from "./module-parts.ts";
import { statementTable, writeStatement } from "./statements.ts";

export interface ModuleOptions {
  readonly seed: number;
  /** About how many pieces the body has. */
  readonly size: number;
  /** What the body must begin with, so that every production is used. */
  readonly first?: Goal;
}

/** One production of the generator, as a statement or as an expression that is logged. */
export interface Goal {
  readonly production: Production;
  readonly type: Type | null;
}

/** Every production there is. */
export const goals: readonly Goal[] = [
  ...statementTable.map((production) => ({ production, type: null })),
  ...Object.entries(expressionTables).flatMap(([type, table]) =>
    table.map((production) => ({ production, type: type as Type })),
  ),
];

const WRITERS = { statement: writeStatement, expression: writeExpression };

/** The source of a whole module with one workflow: the same seed gives the same text. */
export function generateModule({ seed, size, first }: ModuleOptions): string {
  const random = new Random(seed);
  const parts = moduleParts(random);
  const names: ModuleNames = {
    actions: ["echo", "double", "fail"],
    errorClasses: ["PlainError", "CodedError", "DeepError", ...parts.errorClasses],
    helpers: [],
    constants: [
      { name: "LIMIT", type: "number", assignable: false },
      { name: "PREFIX", type: "string", assignable: false },
      ...parts.constants,
    ],
  };
  const helpers = writeHelpers(random, names);
  const g = new Generator(random, { ...names, helpers: helpers.declared }, WRITERS, size);
  g.declare("input", "object", false);
  const body: string[] = [];
  body.push(...variables(g));
  if (first !== undefined)
    body.push(
      protectedPart(
        g,
        g.scoped(() => writeGoal(g, first)),
      ),
    );
  while (g.budget > 0)
    body.push(
      g.chance(0.6)
        ? protectedPart(
            g,
            g.scoped(() => g.lines(2)),
          )
        : g.statement(),
    );
  body.push(ending(g));
  const library = parts.library === null ? "" : `//// lib.ts\n${parts.library}`;
  return `${MODULE_HEAD}${parts.text}${helpers.text}
export default workflow("main", async (input: any) => {
${body.join("\n")}
});
${library}`;
}

/** Something of each type to begin with. */
function variables(g: Generator): string[] {
  const types: readonly Type[] = ["number", "number", "string", "boolean", "bigint", "array", "object", "any"];
  return types.map((type) => {
    const name = g.fresh("v");
    const text = `let ${name} = ${leaf(g, type)};`;
    g.declare(name, type);
    return text;
  });
}

/** Some productions only fit inside loops, labels or methods: those are left to chance. */
function writeGoal(g: Generator, { production, type }: Goal): string {
  if (production.when !== undefined && !production.when(g)) return "";
  const text = production.write(g);
  return type === null ? text : g.log(type === "promise" ? `await ${text}` : text);
}

/** What a part throws does not end the whole. */
function protectedPart(g: Generator, text: string): string {
  return `try {\n${text}\n} catch (error) {\n${g.log("error")}\n}`;
}

function ending(g: Generator): string {
  return g.pick([
    () => `return { a: ${g.any()}, b: ${g.any()} };`,
    () => `return [${g.expression("map")}, ${g.expression("array")}];`,
    () => `throw ${g.expression("error")};`,
    () => `return ${g.expression("promise")};`,
    () => `return ${g.any()};`,
    () => "",
  ])();
}

/** Functions at module level, one async. */
function writeHelpers(random: Random, names: ModuleNames): { text: string; declared: ModuleNames["helpers"] } {
  const texts: string[] = [];
  const declared = [
    { name: "combine", async: false, parameters: 2 },
    { name: "fetchTwice", async: true, parameters: 1 },
  ];
  for (const { name, async, parameters } of declared) {
    const g = new Generator(random, names, WRITERS, 12);
    const list = Array.from({ length: parameters }, (_, index) => `given${index}`);
    const body = g.inFunction({ async }, () => {
      for (const parameter of list) g.declare(parameter, "number");
      return `${g.lines(1)}\nreturn ${g.expression("number")};`;
    });
    // Tags of logs are counted per generator: the helper's name keeps them apart.
    texts.push(
      `${async ? "async " : ""}function ${name}(${list.join(", ")}) {\n${body.replaceAll('("L', `("${name}L`)}\n}`,
    );
  }
  return { text: texts.join("\n"), declared };
}

const MODULE_HEAD = `import { action, workflow, sleep, signal, compensate, emit, progress, runInfo, mapLimit, step, SignalTimeout, ActionTimeout, NotStorable } from "cairnjs";
class PlainError extends Error {}
class CodedError extends TypeError {
  code = 7;
  readonly detail: unknown;
  constructor(message: string, detail?: unknown) {
    super(message, { cause: "§base" });
    this.detail = detail;
    this.name = "CodedError";
  }
}
class DeepError extends CodedError {
  level = [1, 2];
  optional?: string;
  constructor(message: string, public readonly kind: unknown = "deep", private count = 2) {
    super(message, kind);
    this.total = count + 1;
  }
}
enum Color { Red, Green = 5, Blue }
enum Mode { On = "on", Off = "off" }
const enum Size { Small = 1, Big = Small << 4 }
const LIMIT = 3 + 4;
const PREFIX = "pre" + "fix";
const NAMES = ["ann", "bob", \`c\${LIMIT}\`];
const TABLE = { list: [1, 2, 3], nested: { deep: new Map([["k", [1n]]]) }, rate: 0.25, names: NAMES };
const echo = action("echo", async (...values: unknown[]) => values.length === 1 ? values[0] : values);
const double = action("double", { retry: { attempts: 3 } }, async (value: any) => typeof value === "number" ? value * 2 : [value, value]);
const fail = action("fail", async (value: unknown) => { throw Object.assign(new RangeError("§failed"), { value }); });
const TABLE_OF_ACTIONS = { first: echo, second: action("second", async (value: unknown) => ({ second: value })) };
const child = workflow("child", async (value: unknown) => ({ child: value }));
const approved = signal<unknown>("approved");
export const input = { id: 7, list: [1, 2, 3], name: "input", nested: { flag: true, none: null } };
export const signals = { approved: ["yes", { by: "x" }, 3], answers: [1, "two"] };
`;
