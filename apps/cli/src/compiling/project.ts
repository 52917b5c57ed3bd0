import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { compile, type CompiledWorkflow, type CompileResult, type Diagnostic } from "@cairnjs/compiler";
import { parseSync } from "oxc-parser";
import { CannotRun } from "../cannot-run.ts";
import { SourceTexts } from "./source-texts.ts";

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

/** Owns compilations, each made once. Files are read when the compiler asks for them. */
export class Project {
  readonly #sources = new SourceTexts();
  readonly #compiled = new Map<string, CompileResult & { readonly read: ReadonlySet<string> }>();

  source(path: string): string {
    return this.#sources.read(path);
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
    const compiled = { ...compile(path, this.#sources.hooks(read)), read };
    this.#compiled.set(path, compiled);
    return compiled;
  }

  #imports(path: string): string[] {
    const { staticImports, staticExports } = parseSync(path, this.source(path)).module;
    const requests = [
      ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
      ...staticExports.flatMap(({ entries }) => entries.map(({ moduleRequest }) => moduleRequest?.value)),
    ];
    const paths = requests.map((request) => (request === undefined ? null : this.#sources.find(request, path)));
    return paths.filter((found) => found !== null && /\.[cm]?[jt]sx?$/.test(found)) as string[];
  }
}

function isMissingChild(byName: ReadonlyMap<string, CompiledWorkflow>): boolean {
  for (const { program } of byName.values()) {
    if (program.durables.some(({ kind, name }) => kind === "workflow" && !byName.has(name))) return true;
  }
  return false;
}
