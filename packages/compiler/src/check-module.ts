import type { DeclaredName } from "./2-analyze/check/declarations.ts";
import type { Diagnostic } from "./2-analyze/diagnostic.ts";
import type { SourceHooks } from "./2-analyze/link/modules.ts";
import type { ModuleCache } from "./2-analyze/link/module-cache.ts";
import { compile } from "./compile.ts";
import { importsCairn } from "./imports-cairn.ts";

export interface CheckedModule {
  /** Names of the workflows that it declares. */
  readonly declared: readonly string[];
  /** Those of its actions and workflows, which no other module of a project should have. */
  readonly names: readonly DeclaredName[];
  /** Also those in other modules that its workflows reach. */
  readonly diagnostics: readonly Diagnostic[];
}

/** What is wrong with the workflows and actions of a module; null when it declares none. */
export function checkModule(id: string, hooks: SourceHooks, cache: ModuleCache): CheckedModule | null {
  const imports = importsCairn(id, hooks.read(id), hooks);
  if (imports === "no") return null;
  const { declared, names, diagnostics } = compile(id, hooks, cache);
  const isOurs = imports === "directly" || declared.length > 0 || isProblem(id, diagnostics);
  return isOurs ? { declared, names, diagnostics } : null;
}

/** JavaScript is read as TypeScript, which need not be right for a file that may have nothing to do with us. */
function isProblem(id: string, diagnostics: readonly Diagnostic[]): boolean {
  const isTypeScript = /\.[cm]?tsx?$/.test(id);
  return diagnostics.some(({ code }) => isTypeScript || code !== "CAIRN1001");
}
