import type { DeclaredName } from "./2-analyze/check/declarations.ts";
import { positionAt, report, type Diagnostic } from "./2-analyze/diagnostic.ts";
import { DiagnosticList } from "./2-analyze/diagnostic-list.ts";

/** A module of a project and the names that it declares. */
export interface NamingModule {
  readonly file: string;
  readonly source: string;
  readonly names: readonly DeclaredName[];
}

/**
 * Names that two files of a project declare. Warnings, though within one file this is an error: the two may be served by
 * different processes, or one of them be a test. `shown` is a path as a message has it.
 */
export function nameClashes(modules: readonly NamingModule[], shown: (path: string) => string): Diagnostic[] {
  const diagnostics = new DiagnosticList();
  const first = new Map<string, { readonly module: NamingModule; readonly start: number }>();
  for (const module of modules) {
    const { file, source, names } = module;
    for (const { kind, name, start, end } of names) {
      const key = `${kind} ${name}`;
      const known = first.get(key);
      if (known === undefined) {
        first.set(key, { module, start });
      } else if (known.module !== module) {
        const other = `${shown(known.module.file)}:${positionAt(known.module.source, known.start).line}`;
        report({ file, source, diagnostics }, "CAIRN5006", { start, end }, { kind, name, other });
      }
    }
  }
  return diagnostics.sorted().map((diagnostic) => ({ ...diagnostic, severity: "warning" }));
}
