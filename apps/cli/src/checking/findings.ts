import type { Diagnostic } from "@cairnjs/compiler";
import { shortPath } from "../output/output.ts";
import type { Unreadable } from "./find-files.ts";
import type { ModuleCheck } from "./module-checks.ts";

/** All that one check of a project found. */
export interface Findings {
  /** By file, and from top to bottom; each once, from however many workflows it is reached. */
  readonly diagnostics: readonly Diagnostic[];
  readonly errors: number;
  readonly warnings: number;
  /** The modules that declare something of ours, and those that their workflows lead to. */
  readonly files: number;
  readonly workflows: number;
  readonly unreadable: readonly Unreadable[];
  /** Too long to be written by hand. */
  readonly skipped: readonly string[];
}

export function findingsOf(checks: readonly ModuleCheck[], unreadable: readonly Unreadable[]): Findings {
  const checked = checks.filter(({ outcome }) => outcome === "checked");
  const diagnostics = uniqueDiagnostics(checked);
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  return {
    diagnostics,
    errors,
    warnings: diagnostics.length - errors,
    files: new Set(checked.flatMap(({ modules }) => [...modules])).size,
    workflows: checked.reduce((sum, { workflows }) => sum + workflows, 0),
    unreadable: [
      ...unreadable,
      ...checks.filter(({ outcome }) => outcome === "unreadable").map(({ path, reason = "" }) => ({ path, reason })),
    ],
    skipped: checks.filter(({ outcome }) => outcome === "too long").map(({ path }) => path),
  };
}

function uniqueDiagnostics(checks: readonly ModuleCheck[]): Diagnostic[] {
  const found = new Map<string, Diagnostic>();
  for (const { diagnostics } of checks) {
    for (const diagnostic of diagnostics) {
      const { code, file, start, message } = diagnostic;
      const key = `${code}\n${start}\n${file}\n${message}`;
      const known = found.get(key);
      found.set(key, known === undefined ? diagnostic : { ...known, usedBy: bothUses(known, diagnostic) });
    }
  }
  return [...found.values()].sort(
    (a, b) =>
      compare(shortPath(a.file), shortPath(b.file)) || a.start - b.start || b.end - a.end || compare(a.code, b.code),
  );
}

/** Each workflow is declared in one module, so none is counted twice. A problem that needs no user has none. */
function bothUses({ usedBy: known }: Diagnostic, { usedBy: other }: Diagnostic): Diagnostic["usedBy"] {
  return known === null || other === null ? null : { ...known, others: known.others + 1 + other.others };
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
