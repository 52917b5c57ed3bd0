import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { compile, type CompileResult, renderDiagnostic } from "@cairnjs/compiler";
import type { Program } from "@cairnjs/ir";
import { type TransformHooks, transformModule } from "cairnjs/transform";
import { type Edit, applyEdits } from "../../fuzz/run/source-edits.ts";
import { nodeAt, nodesAt, parseTree, type TreeNode } from "../../fuzz/run/syntax-tree.ts";
import type { Example } from "./examples.ts";

/** Ignored by git and the formatter, and inside the project, so that `cairnjs` is found from there. */
const folder = new URL("dist/", import.meta.url).pathname;

/** What a module of an example, loaded natively, gives besides its own exports. */
export interface LoadedExample {
  readonly [exported: string]: unknown;
  /** Values of its top-level names. */
  readonly $values: () => unknown[];
}

/** The modules of one page: examples may import each other by file name. */
export class ExampleModules {
  readonly page: string;
  readonly #sources: ReadonlyMap<string, string>;

  constructor(page: string, examples: readonly Example[]) {
    this.page = page;
    const repeated = examples.find(({ file }, index) => examples.findIndex((each) => each.file === file) !== index);
    if (repeated !== undefined) throw new Error(`${page}.md has two modules ${repeated.file}`);
    this.#sources = new Map(examples.map(({ file, source }) => [file, source]));
  }

  /** Programs of a module, its default export first, then those of what it imports. */
  compile(file: string): Program[] {
    const programs = new Map<string, Program>();
    for (const name of this.reachableFrom(file)) {
      const { workflows, diagnostics } = this.#compileOne(name);
      const [problem] = diagnostics;
      if (problem !== undefined) throw new Error(renderDiagnostic(problem, this.#sources.get(problem.file) ?? ""));
      for (const { program } of workflows) programs.set(program.name, program);
    }
    return [...programs.values()];
  }

  #compileOne(file: string): CompileResult {
    return compile(file, this.#hooks);
  }

  readonly #hooks: TransformHooks = {
    resolve: (specifier) => (specifier.startsWith("./") ? posix.normalize(specifier) : null),
    read: (id) => {
      const source = this.#sources.get(id);
      if (source === undefined) throw new Error(`${this.page}.md has no module ${id}`);
      return source;
    },
    fileId: (path) => `${this.page}/${path}`,
    mayConcern: () => true,
  };

  /** The module itself first, then those that it imports, directly or not. */
  reachableFrom(file: string): string[] {
    const found = [file];
    for (const name of found) {
      for (const [, specifier] of (this.#sources.get(name) ?? "").matchAll(/ from "\.\/([\w-]+\.ts)"/g)) {
        if (!found.includes(specifier!)) found.push(specifier!);
      }
    }
    return found;
  }

  /** The modules as the page shows them, for the type checker. */
  writeTyped(): void {
    this.#write("typed", (source) => source);
  }

  /** The same as hooks transform them, with what the harness needs of them at their ends. */
  writeNative(): void {
    this.#write("native", (source, file) => {
      const transformed = transformModule(file, source, this.#hooks);
      return withHarness(transformed?.code ?? source, file);
    });
  }

  nativePath(file: string): string {
    return join(folder, "native", this.page, file);
  }

  #write(kind: string, text: (source: string, file: string) => string): void {
    const home = join(folder, kind, this.page);
    rmSync(home, { recursive: true, force: true });
    mkdirSync(home, { recursive: true });
    for (const [file, source] of this.#sources) writeFileSync(join(home, file), text(source, file));
  }
}

function withHarness(source: string, file: string): string {
  const program = parseTree(file, source);
  const recorded = new URL("recorded-cairnjs.ts", import.meta.url).pathname;
  const edits: Edit[] = nodesAt(program, "body").flatMap((statement) => {
    const from = nodeAt(statement, "source");
    return from?.["value"] === "cairnjs" ? [{ start: from.start, end: from.end, text: JSON.stringify(recorded) }] : [];
  });
  return `${applyEdits(source, edits)}
export const $values = () => [${topLevelNames(program).join(", ")}];
`;
}

function topLevelNames(program: TreeNode): string[] {
  return nodesAt(program, "body").flatMap((statement) => {
    const declared = statement.type.startsWith("Export") ? nodeAt(statement, "declaration") : statement;
    if (declared?.type === "ClassDeclaration") return [String(nodeAt(declared, "id")?.["name"])];
    if (declared?.type !== "VariableDeclaration") return [];
    return nodesAt(declared, "declarations").flatMap((each) => {
      const id = nodeAt(each, "id");
      return id?.type === "Identifier" ? [String(id["name"])] : [];
    });
  });
}
