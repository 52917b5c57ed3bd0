import { nameClashes, type Diagnostic } from "@cairnjs/compiler";
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

export function findingsOf(
  checks: readonly ModuleCheck[],
  unreadable: readonly Unreadable[],
  sourceOf: (path: string) => string,
): Findings {
  const checked = checks.filter(({ outcome }) => outcome === "checked");
  const diagnostics = uniqueDiagnostics([
    ...checked.flatMap((each) => each.diagnostics),
    ...clashes(checked, sourceOf),
  ]);
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

/** Names that two of the files declare: in the order of their paths, so that the same one is always the first. */
function clashes(checks: readonly ModuleCheck[], sourceOf: (path: string) => string): Diagnostic[] {
  const naming = checks.filter(({ names }) => names.length > 0).toSorted((a, b) => compare(a.path, b.path));
  const modules = naming.map(({ path, names }) => ({ file: path, source: sourceOf(path), names }));
  return nameClashes(modules, shortPath);
}

function uniqueDiagnostics(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const found = new Map<string, Diagnostic>();
  for (const diagnostic of diagnostics) {
    const { code, file, start, message } = diagnostic;
    const key = `${code}\n${start}\n${file}\n${message}`;
    const known = found.get(key);
    found.set(key, known === undefined ? diagnostic : { ...known, usedBy: bothUses(known, diagnostic) });
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
