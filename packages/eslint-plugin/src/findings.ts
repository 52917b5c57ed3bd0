import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { checkModule, type Diagnostic, ModuleCache, type SourceHooks } from "@cairnjs/compiler";
import { ProjectFiles } from "./project-files.ts";

/** A problem to be shown in the file that is linted. */
export interface Finding {
  readonly diagnostic: Diagnostic;
  /**
   * Null: it stands in this file. Else it stands in a module that this one's workflows reach and that does not report
   * it itself, since it has no workflow: it is shown at the import, by its specifier, that leads there.
   */
  readonly through: string | null;
}

/**
 * Owns what is known between two lints: modules on disk, and what was found last, which several rules ask for. The
 * text of the linted file is the editor's, saved or not.
 */
export class FindingsOfFiles {
  readonly #files = new ProjectFiles();
  readonly #cache = new ModuleCache();
  readonly #seen = new Set<string>();
  #last: { readonly path: string; readonly text: string; readonly findings: readonly Finding[] } | null = null;

  /** `isFirst`: no other rule has asked about this lint of the file; the disk may have changed since the last one. */
  find(filename: string, text: string, isFirst: boolean): readonly Finding[] {
    const path = realPath(filename);
    if (!isFirst && this.#last?.path === path && this.#last.text === text) return this.#last.findings;
    // A file that comes again is being edited; over all files of a project, lookups are worth keeping.
    if (this.#seen.has(path)) {
      this.#files.lookAgain();
      this.#seen.clear();
    }
    this.#seen.add(path);
    const findings = this.#check(path, text);
    this.#last = { path, text, findings };
    return findings;
  }

  #check(path: string, text: string): Finding[] {
    const imports = new Imports();
    const hooks: SourceHooks = {
      resolve: (specifier, importer) => imports.add(importer, specifier, this.#files.find(specifier, importer)),
      read: (id) => (id === path ? text : this.#files.read(id)),
    };
    const diagnostics = checkModule(path, hooks, this.#cache)?.diagnostics ?? [];
    const ownOf = new Map<string, ReadonlySet<string>>();
    return diagnostics.flatMap((diagnostic): Finding[] => {
      const { file } = diagnostic;
      if (file === path) return [{ diagnostic, through: null }];
      const own = ownOf.get(file) ?? this.#reportedIn(file, hooks);
      ownOf.set(file, own);
      return own.has(key(diagnostic)) ? [] : [{ diagnostic, through: imports.leadingTo(file, path) }];
    });
  }

  /** What a module reports when it is linted itself. */
  #reportedIn(file: string, hooks: SourceHooks): ReadonlySet<string> {
    const diagnostics = checkModule(file, hooks, this.#cache)?.diagnostics ?? [];
    return new Set(diagnostics.filter((each) => each.file === file).map(key));
  }
}

/** Which module imports which, as far as the compiler asked. */
class Imports {
  readonly #targets = new Map<string, Map<string, string>>();

  add(importer: string, specifier: string, target: string | null): string | null {
    if (target === null) return null;
    const known = this.#targets.get(importer) ?? new Map<string, string>();
    this.#targets.set(importer, known.set(specifier, target));
    return target;
  }

  /** The specifier in `from` that leads to a file, the shortest way; empty when none does. */
  leadingTo(file: string, from: string): string {
    const seen = new Set([from]);
    let level = [...(this.#targets.get(from) ?? [])].map(([first, target]) => ({ first, target }));
    while (level.length > 0) {
      const found = level.find(({ target }) => target === file);
      if (found !== undefined) return found.first;
      const fresh = level.filter(({ target }) => !seen.has(target));
      for (const { target } of fresh) seen.add(target);
      level = fresh.flatMap(({ first, target }) =>
        [...(this.#targets.get(target)?.values() ?? [])].map((next) => ({ first, target: next })),
      );
    }
    return "";
  }
}

function key({ code, start, message }: Diagnostic): string {
  return `${code}\n${start}\n${message}`;
}

/** The path that imports lead to. A file that is not saved yet has none. */
function realPath(filename: string): string {
  const path = resolve(filename);
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
