import { posix } from "node:path";
import type { LiftedStep } from "@cairnjs/ir";
import { transformSync } from "oxc-transform";
import { type Edit, applyEdits } from "./source-edits.ts";
import { type TreeNode, allNodes, nodeAt, nodesAt, parseTree } from "./syntax-tree.ts";

/** The modules of one body: text by file name. */
export interface Sources {
  readonly entry: string;
  readonly files: Readonly<Record<string, string>>;
}

export function resolveSpecifier(specifier: string, importer: string): string | null {
  if (!specifier.startsWith(".")) return null;
  return posix.join(posix.dirname(importer), specifier);
}

/** What an evaluated module gives to the harness. */
export interface NativeInstance {
  readonly exports: Readonly<Record<string, unknown>>;
  /** Its top-level classes by name. */
  readonly classes: Readonly<Record<string, abstract new (...args: never[]) => Error>>;
  /** The arrows of its steps by action name, each taking its captures by name. */
  readonly steps: Readonly<Record<string, (captures: unknown) => Promise<unknown>>>;
}

/** Shadowed in the module: time and logs are the harness's. */
export interface NativeGlobals {
  readonly cairn: Readonly<Record<string, unknown>>;
  readonly console: object;
  readonly Date: unknown;
  /** Called in every loop and function: throws when a body does not end. */
  readonly tick: () => void;
}

type Factory = (
  load: (specifier: string) => Readonly<Record<string, unknown>>,
  tick: () => void,
  console: object,
  Date: unknown,
) => NativeInstance;

/** Modules stripped of types, ready to be evaluated any number of times. */
export class NativeModules {
  readonly #entry: string;
  readonly #factories: ReadonlyMap<string, Factory>;

  constructor(sources: Sources, steps: readonly LiftedStep[]) {
    this.#entry = sources.entry;
    this.#factories = new Map(
      Object.entries(sources.files).map(([name, source]) => [name, factoryOf(name, withSteps(name, source, steps))]),
    );
  }

  /** Evaluates the modules anew. Classes and steps are those of all of them. */
  evaluate(globals: NativeGlobals): NativeInstance {
    const loaded = new Map<string, NativeInstance>();
    const load = (name: string): NativeInstance => {
      const known = loaded.get(name);
      if (known !== undefined) return known;
      const factory = this.#factories.get(name);
      if (factory === undefined) throw new Error(`there is no module ${name}`);
      const within = (specifier: string): Readonly<Record<string, unknown>> =>
        specifier === "cairnjs" ? globals.cairn : load(resolveSpecifier(specifier, name) ?? specifier).exports;
      const instance = factory(within, globals.tick, globals.console, globals.Date);
      loaded.set(name, instance);
      return instance;
    };
    const { exports } = load(this.#entry);
    const all = [...loaded.values()];
    return {
      exports,
      classes: Object.assign({}, ...all.map(({ classes }) => classes)) as NativeInstance["classes"],
      steps: Object.assign({}, ...all.map(({ steps }) => steps)) as NativeInstance["steps"],
    };
  }
}

/** Gives each `step` the captures that the compiler found, and the module a function for each lifted arrow. */
function withSteps(name: string, source: string, steps: readonly LiftedStep[]): string {
  const own = steps.filter(({ file }) => file === name);
  const edits = own.map(({ end, captures }) => ({ start: end, end, text: `, () => ({ ${captures.join(", ")} })` }));
  const lifted = own.map(({ action, captures, start, end }) => {
    const arrow = source.slice(start, end);
    return `${JSON.stringify(action)}: async ({ ${captures.join(", ")} }) => (${arrow})()`;
  });
  return `${applyEdits(source, edits)}\nconst __steps = { ${lifted.join(", ")} };\n`;
}

function factoryOf(name: string, source: string): Factory {
  const { code, errors } = transformSync(name, source, { lang: "ts", target: "es2022", sourceType: "module" });
  const [problem] = errors;
  if (problem !== undefined) throw new SyntaxError(`${name}: ${problem.message}`);
  const script = asScript(code, parseTree("stripped.js", code));
  // The oracle is the body as Node.js itself runs it, so its text has to become a function here.
  // oxlint-disable-next-line no-implied-eval, no-new-func
  return new Function("__load", "__tick", "console", "Date", script) as Factory;
}

/** Module syntax turned into a function body: imports are loaded, exports returned. */
function asScript(code: string, program: TreeNode): string {
  const edits: Edit[] = [];
  const exported: string[] = [];
  const classes: string[] = [];
  for (const statement of nodesAt(program, "body")) {
    rewriteStatement(code, statement, edits, exported);
    const declared = statement.type === "ExportNamedDeclaration" ? nodeAt(statement, "declaration") : statement;
    if (declared?.type === "ClassDeclaration") classes.push(nameOf(declared));
  }
  for (const node of allNodes(program)) addTicks(node, edits);
  const body = applyEdits(code, edits);
  return `"use strict";\n${body}\nreturn { exports: { ${exported.join(", ")} }, classes: { ${classes.join(", ")} }, steps: __steps };`;
}

function rewriteStatement(code: string, statement: TreeNode, edits: Edit[], exported: string[]): void {
  const { start, end, type } = statement;
  if (type === "ImportDeclaration") {
    edits.push({ start, end, text: importText(statement) });
  } else if (type === "ExportDefaultDeclaration") {
    const value = nodeAt(statement, "declaration")!;
    exported.push("default: __default");
    edits.push({ start, end: value.start, text: "const __default = (" }, { start: value.end, end, text: ");" });
  } else if (type === "ExportNamedDeclaration") {
    const declared = nodeAt(statement, "declaration");
    if (declared === null) {
      for (const specifier of nodesAt(statement, "specifiers")) {
        const local = text(code, nodeAt(specifier, "local")!);
        exported.push(`${text(code, nodeAt(specifier, "exported")!)}: ${local}`);
      }
      edits.push({ start, end, text: "" });
    } else {
      edits.push({ start, end: declared.start, text: "" });
      exported.push(...declaredNames(declared));
    }
  }
}

function importText(statement: TreeNode): string {
  const specifier = JSON.stringify(nodeAt(statement, "source")!["value"]);
  const parts = nodesAt(statement, "specifiers").map((node) => {
    const local = nameOf(node, "local");
    if (node.type === "ImportNamespaceSpecifier") return `const ${local} = __load(${specifier});`;
    const imported = node.type === "ImportDefaultSpecifier" ? "default" : nameOf(node, "imported");
    return `const { ${imported}: ${local} } = __load(${specifier});`;
  });
  return parts.join(" ");
}

function declaredNames(declared: TreeNode): string[] {
  if (declared.type !== "VariableDeclaration") return [nameOf(declared)];
  return nodesAt(declared, "declarations").map((declarator) => nameOf(declarator));
}

function nameOf(node: TreeNode, field = "id"): string {
  return String(nodeAt(node, field)?.["name"]);
}

function text(code: string, { start, end }: TreeNode): string {
  return code.slice(start, end);
}

const LOOPS: ReadonlySet<string> = new Set([
  "ForStatement",
  "ForOfStatement",
  "ForInStatement",
  "WhileStatement",
  "DoWhileStatement",
]);

function addTicks(node: TreeNode, edits: Edit[]): void {
  const body = nodeAt(node, "body");
  if (body === null) return;
  if (LOOPS.has(node.type)) {
    edits.push(
      { start: body.start, end: body.start, text: "{__tick();" },
      { start: body.end, end: body.end, text: "}" },
    );
  } else if (body.type === "BlockStatement" && /Function/.test(node.type)) {
    edits.push({ start: body.start + 1, end: body.start + 1, text: "__tick();" });
  }
}
