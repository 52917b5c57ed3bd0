import type { StepPlace } from "@cairnjs/compiler";
import { MagicString, type SourceMap } from "magic-string";
import { parseSync } from "oxc-parser";
import type { ErrorClassPlace } from "./error-class-places.ts";

export interface ModuleEdit {
  readonly path: string;
  readonly source: string;
  readonly steps: readonly StepPlace[];
  readonly errorClasses: readonly ErrorClassPlace[];
  /** Expressions for the error classes of its workflows, by name. */
  readonly errors: ReadonlyMap<string, string>;
  readonly typeChecked: boolean;
  readonly id: string;
  readonly module: string;
  /** As in `EmbeddedModule`. */
  readonly sources: ReadonlyMap<string, string>;
  /** Functions that make keys, and their programs as JSON. */
  readonly keys: readonly { readonly start: number; readonly end: number; readonly program: string }[];
  readonly workflows: readonly {
    readonly call: { readonly start: number; readonly end: number };
    /** As in `EmbeddedWorkflow`. */
    readonly embedded: object;
  }[];
}

/**
 * Arrows of steps are moved to the end of the module, into a function: a declaration is there before the first
 * statement runs, so a module that calls its own workflow while it is evaluated, or takes part in a circle of
 * imports, finds them. The import stands at the top, since TypeScript's CommonJS output does not hoist it.
 */
export function editModule(edit: ModuleEdit): { readonly code: string; readonly map: SourceMap } {
  const { path, source, steps, workflows } = edit;
  const text = new MagicString(source, { filename: path });
  for (const errorClass of edit.errorClasses) keepName(text, errorClass);
  if (workflows.length > 0 || steps.length > 0 || edit.keys.length > 0) embedAndLift(text, edit);
  const map = text.generateMap({ source: path, includeContent: true, hires: "boundary" });
  return { code: text.toString(), map };
}

function embedAndLift(text: MagicString, edit: ModuleEdit): void {
  const { path, source, steps, workflows } = edit;
  const names = namesIn(source);
  const { top, first } = places(path, source);
  const needed = [
    ...(workflows.length > 0 ? [`compiledWorkflow as ${names.compiled}`] : []),
    ...(edit.keys.length > 0 ? [`compiledKey as ${names.key}`] : []),
    ...(steps.length > 0 ? [`registerSteps as ${names.register}`] : []),
  ];
  for (const [index, { call }] of workflows.entries()) {
    text.appendRight(call.start, `${names.compiled}(`);
    text.appendLeft(call.end, `, ${names.module}, ${index})`);
  }
  for (const [index, { start, end }] of edit.keys.entries()) {
    text.appendRight(start, `${names.key}(`);
    text.appendLeft(end, `, () => ${names.module}().keys[${index}])`);
  }
  for (const [index, step] of steps.entries()) liftStep(text, source, step, index, names);
  if (edit.typeChecked) text.appendLeft(top, "// @ts-nocheck\n");
  text.appendRight(first, `import { ${needed.join(", ")} } from "cairnjs/compiled";`);
  if (steps.length > 0) text.append("\n}}");
  text.append(`\n${moduleFunction(edit, names)}\n`);
  if (steps.length > 0) text.append(`${names.register}(${names.module});\n`);
}

function keepName(text: MagicString, { name, inside }: ErrorClassPlace): void {
  const property = `{ value: ${literal(name)}, configurable: true }`;
  text.appendLeft(inside, ` static { Object.defineProperty(this, "name", ${property}); }`);
}

/** `step("n", ARROW)` → `step("n", $cairn_lifted(0), () => ({ a, b }))`. */
function liftStep(text: MagicString, source: string, step: StepPlace, index: number, names: Names): void {
  const { start, end, captures, argumentEnd, callEnd } = step;
  const captured = captures.length === 0 ? "{}" : `{ ${captures.join(", ")} }`;
  const closing = callEnd - 1;
  const hasComma = source.slice(argumentEnd, closing).replaceAll(COMMENT, "").includes(",");
  text.appendLeft(start, `${names.lifted}(${index})`);
  text.prependRight(closing, `${hasComma ? "" : ","} () => (${captured})`);
  // As a property it has a name in stacks; V8 would take one of what is captured.
  text.prependRight(start, `\ncase ${index}: return { step: (${captured}) => (`);
  if (index === 0) text.prependRight(start, `\nfunction ${names.lifted}(index) { switch (index) {`);
  text.appendLeft(end, ")() }.step;");
  text.move(start, end, source.length);
}

const COMMENT = /\/\*[^]*?\*\/|\/\/.*/g;

function moduleFunction({ id, module, steps, workflows, keys, errors, sources }: ModuleEdit, names: Names): string {
  const parts = [
    `id: ${literal(id)}`,
    `module: ${literal(module)}`,
    `places: ${literal(steps.map(({ start, end }) => `${start}:${end}`))}`,
    `lifted: ${steps.length > 0 ? names.lifted : "() => undefined"}`,
    `errors: () => ({ ${[...errors].map(([name, local]) => `${literal(name)}: ${local}`).join(", ")} })`,
    `sources: ${literal(Object.fromEntries(sources))}`,
    `keys: ${literal(keys.map(({ program }) => program))}`,
    `workflows: [${workflows.map(({ embedded }) => literal(embedded)).join(", ")}]`,
  ];
  return `function ${names.module}() { return { ${parts.join(", ")} }; }`;
}

/** JSON is JavaScript, but older tools stumble over these two in strings. */
function literal(value: unknown): string {
  return JSON.stringify(value).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

interface Names {
  readonly compiled: string;
  readonly key: string;
  readonly register: string;
  readonly lifted: string;
  readonly module: string;
}

/** Names that the user's text does not contain anywhere. */
function namesIn(source: string): Names {
  let prefix = "$cairn";
  for (let number = 1; source.includes(prefix); number++) prefix = `$cairn${number}`;
  return {
    compiled: `${prefix}_compiled`,
    key: `${prefix}_key`,
    register: `${prefix}_register`,
    lifted: `${prefix}_lifted`,
    module: `${prefix}_module`,
  };
}

/** Behind a hashbang line, and where the first statement stands that is no directive. */
function places(path: string, source: string): { readonly top: number; readonly first: number } {
  const { program } = parseSync(path, source, { lang: /\.[jt]sx$/.test(path) ? "tsx" : "ts", sourceType: "module" });
  const statement = program.body.find((each) => !(each.type === "ExpressionStatement" && "directive" in each));
  const top = program.hashbang === null ? 0 : source.indexOf("\n", program.hashbang.start) + 1;
  return { top, first: statement?.start ?? source.length };
}
