import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import {
  compile,
  type CompiledWorkflow,
  type CompileResult,
  type Diagnostic,
  type SourceHooks,
} from "@cairnjs/compiler";
import { ProjectFiles } from "cairnjs/transform";
import { parseSync } from "oxc-parser";
import { CannotRun } from "../cannot-run.ts";

/** What a file compiles to, with the workflows of other files that it calls. */
export interface CompiledFile {
  /** As the user wrote it. */
  readonly file: string;
  readonly path: string;
  /** Those of the file itself, the default export first. */
  readonly workflows: readonly CompiledWorkflow[];
  /** These and the ones that they call, by name. */
  readonly byName: ReadonlyMap<string, CompiledWorkflow>;
  readonly diagnostics: readonly Diagnostic[];
}

/** Owns source texts and compilations, each made once. Files are read when the compiler asks for them. */
export class Project {
  readonly #sources = new Map<string, string>();
  readonly #compiled = new Map<string, CompileResult & { readonly read: ReadonlySet<string> }>();
  readonly #files = new ProjectFiles();

  source(path: string): string {
    const known = this.#sources.get(path);
    if (known !== undefined) return known;
    const source = this.#files.read(path);
    this.#sources.set(path, source);
    return source;
  }

  compile(file: string): CompiledFile {
    const path = this.#find(file);
    const own = this.#compileModule(path);
    const byName = new Map<string, CompiledWorkflow>();
    const diagnostics = new Set<Diagnostic>();
    const queue = [path];
    for (const next of queue) {
      const compiled = this.#compileModule(next);
      for (const diagnostic of compiled.diagnostics) diagnostics.add(diagnostic);
      for (const workflow of compiled.workflows) if (!byName.has(workflow.name)) byName.set(workflow.name, workflow);
      if (!isMissingChild(byName) && own.workflows.length > 0) continue;
      // A file that only passes a workflow on names it in its imports.
      const others = own.workflows.length > 0 ? compiled.read : this.#imports(next);
      for (const other of others) if (!queue.includes(other)) queue.push(other);
    }
    return { file, path, workflows: own.workflows, byName, diagnostics: [...diagnostics] };
  }

  #find(file: string): string {
    try {
      const path = realpathSync(resolve(file));
      this.source(path);
      if (/\.[cm]?[jt]sx?$/.test(path)) return path;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOENT") throw new CannotRun(`${file} does not exist`);
      if (code === "EISDIR") throw new CannotRun(`${file} is a folder; name the files in it`);
      throw new CannotRun(`${file} cannot be read: ${String(error)}`);
    }
    throw new CannotRun(`${file} is no module of TypeScript or JavaScript`);
  }

  #compileModule(path: string): CompileResult & { readonly read: ReadonlySet<string> } {
    const known = this.#compiled.get(path);
    if (known !== undefined) return known;
    const read = new Set<string>();
    const hooks: SourceHooks = {
      resolve: (specifier, importer) => this.#files.resolve(specifier, importer),
      read: (id) => {
        read.add(id);
        return this.source(id);
      },
    };
    const compiled = { ...compile(path, hooks), read };
    this.#compiled.set(path, compiled);
    return compiled;
  }

  #imports(path: string): string[] {
    const { staticImports, staticExports } = parseSync(path, this.source(path)).module;
    const requests = [
      ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
      ...staticExports.flatMap(({ entries }) => entries.map(({ moduleRequest }) => moduleRequest?.value)),
    ];
    const paths = requests.map((request) => (request === undefined ? null : this.#files.find(request, path)));
    return paths.filter((found) => found !== null && /\.[cm]?[jt]sx?$/.test(found)) as string[];
  }
}

function isMissingChild(byName: ReadonlyMap<string, CompiledWorkflow>): boolean {
  for (const { program } of byName.values()) {
    if (program.durables.some(({ kind, name }) => kind === "workflow" && !byName.has(name))) return true;
  }
  return false;
}
