import type { Prelude } from "@cairnjs/ir";
import { Linker } from "./2-analyze/link/linker.ts";
import type { SourceHooks } from "./2-analyze/link/modules.ts";
import { markCaptures } from "./2-analyze/scope/captures.ts";
import { lowerPrelude } from "./3-lower/prelude.ts";

/** Compiles the built-ins that call back. They are our own code, so a mistake in them is an error, not a diagnostic. */
export function compilePrelude(files: readonly { readonly name: string; readonly source: string }[]): Prelude {
  const sources = new Map(files.map(({ name, source }) => [name, source]));
  const hooks: SourceHooks = {
    resolve: (specifier) => files.find(({ name }) => baseName(name) === baseName(specifier))?.name ?? null,
    read: (id) => sources.get(id) ?? "",
  };
  const linker = new Linker(hooks);
  const modules = files.map(({ name }) => linker.modules.load(name));
  for (const module of modules) {
    const [problem] = module.problems;
    if (problem !== undefined) throw new Error(`${module.id}: ${problem.message}`);
    markCaptures(module.scopes, module.program, () => false);
  }
  return lowerPrelude(modules, linker);
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
