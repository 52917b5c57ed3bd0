import { checkModule, type DeclaredName, type Diagnostic, importsCairn, ModuleCache } from "@cairnjs/compiler";
import { reasonOf, type FoundFiles } from "./find-files.ts";
import { SourceTexts } from "../compiling/source-texts.ts";

/** Nobody writes workflows in a file that long: it is generated, and compiling it takes seconds. */
const SOURCE_LENGTH_MAX = 1_000_000;

/** What is known about one file. */
export interface ModuleCheck {
  readonly path: string;
  /** `other`: it declares nothing of ours. */
  readonly outcome: "checked" | "other" | "too long" | "unreadable";
  /** Why it is unreadable. */
  readonly reason?: string;
  readonly diagnostics: readonly Diagnostic[];
  /** How many workflows it declares. */
  readonly workflows: number;
  /** Of its actions and workflows. */
  readonly names: readonly DeclaredName[];
  /** The files that the answer rests on, this one too. */
  readonly modules: ReadonlySet<string>;
}

/**
 * Owns what is known about the files of a project.
 *
 * I1 An answer is kept until a file that it rests on changes, or the set of files does: what an import leads to may
 *    have changed then.
 * I2 Within one `update`, every file is read at most once.
 */
export class ModuleChecks {
  readonly #cache = new ModuleCache();
  #checks = new Map<string, ModuleCheck>();
  #texts = new SourceTexts();

  /** `changed` is null when anything may have changed. */
  update(
    { files, named }: FoundFiles,
    changed: ReadonlySet<string> | null,
    progress: (done: number, all: number) => void,
  ): readonly ModuleCheck[] {
    const before = this.#checks;
    this.#texts = new SourceTexts();
    this.#checks = new Map();
    for (const [index, path] of files.entries()) {
      const known = before.get(path);
      const isValid = known !== undefined && changed !== null && !isAny(changed, known.modules);
      if (!isValid) progress(index, files.length);
      this.#checks.set(path, isValid ? known : this.#check(path, named.has(path)));
    }
    return [...this.#checks.values()];
  }

  /** All files that the answers rest on. */
  modules(): Set<string> {
    return new Set([...this.#checks.values()].flatMap(({ modules }) => [...modules]));
  }

  /** Text of a file that a diagnostic is in; it may have been deleted since. */
  source(path: string): string {
    try {
      return this.#texts.read(path);
    } catch {
      return "";
    }
  }

  #check(path: string, isNamed: boolean): ModuleCheck {
    const modules = new Set([path]);
    const nothing = { path, diagnostics: [], workflows: 0, names: [], modules };
    const hooks = this.#texts.hooks(modules);
    let source: string;
    try {
      source = this.#texts.read(path);
    } catch (error) {
      return { ...nothing, outcome: "unreadable", reason: reasonOf(error) };
    }
    if (source.length > SOURCE_LENGTH_MAX && !isNamed && importsCairn(path, source, hooks) !== "no") {
      return { ...nothing, outcome: "too long" };
    }
    const checked = checkModule(path, hooks, this.#cache);
    if (checked === null) return { ...nothing, outcome: "other" };
    const { declared, names, diagnostics } = checked;
    return { path, outcome: "checked", diagnostics, workflows: declared.length, names, modules };
  }
}

function isAny(paths: ReadonlySet<string>, among: ReadonlySet<string>): boolean {
  for (const path of paths) if (among.has(path)) return true;
  return false;
}
