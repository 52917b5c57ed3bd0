import { readFileSync, realpathSync } from "node:fs";
import { dirname, relative, resolve, sep } from "node:path";
import type { TransformHooks } from "./transform-module.ts";
import { moduleResolver, type ResolveModule } from "./resolve-module.ts";

/**
 * Owns: how the modules of a project are found and read, and what is known of who imports whom.
 * Does not own: what they mean, which is the compiler's affair.
 */
export class ProjectFiles implements TransformHooks {
  readonly #root: string;
  readonly #resolve: ResolveModule = moduleResolver();
  /** Whether a module leads to `cairnjs`, found out once. */
  readonly #leads = new Map<string, boolean>();

  constructor(root: string = process.cwd()) {
    this.#root = real(root);
  }

  /** Files have changed: what was found out about them may no longer hold. */
  forget(): void {
    this.#leads.clear();
  }

  /** Where a module of the project stands; null for packages and for what is missing. */
  find(specifier: string, importer: string): string | null {
    return this.#resolve(specifier, importer);
  }

  /** A file that is missing is no package: its path is given, and reading it fails. */
  resolve(specifier: string, importer: string): string | null {
    const path = this.find(specifier, importer);
    if (path !== null) return path;
    return specifier.startsWith(".") ? resolve(dirname(importer), specifier) : null;
  }

  read(path: string): string {
    const text = withoutMark(readFileSync(path, "utf8"));
    // As bundlers have it: data is the default export.
    return path.endsWith(".json") ? `export default ${text}` : text;
  }

  /** Relative: where the project stands on this machine is nobody's business. */
  fileId(path: string): string {
    return relative(this.#root, real(path)).split(sep).join("/");
  }

  /**
   * Names may come through modules of the project that pass them on under other names, so the text alone does not
   * say. Too many rather than too few: whoever is let through is compiled, and then it is known.
   */
  mayConcern(path: string, source: string): boolean {
    if (mentionsCairn(source)) return true;
    const seen = new Set([path]);
    const queue = this.#imports(path, source);
    for (const next of queue) {
      if (seen.has(next)) continue;
      seen.add(next);
      const known = this.#leads.get(next);
      if (known === false) continue;
      const text = known === true ? null : this.#text(next);
      if (text === null || mentionsCairn(text)) {
        this.#leads.set(next, true);
        return true;
      }
      queue.push(...this.#imports(next, text));
    }
    seen.delete(path);
    for (const each of seen) this.#leads.set(each, false);
    return false;
  }

  #imports(path: string, source: string): string[] {
    const found: string[] = [];
    for (const [, specifier = ""] of source.matchAll(FROM)) {
      const target = this.find(specifier, path);
      if (target !== null && isScript(target)) found.push(target);
    }
    return found;
  }

  /** A file that cannot be read leads nowhere. */
  #text(path: string): string {
    try {
      return readFileSync(path, "utf8");
    } catch {
      return "";
    }
  }
}

/** `from "./x"` of imports and exports, comments in between allowed. */
const FROM = /\bfrom(?:\s|\/\*[^]*?\*\/|\/\/.*)*["']([^"'\n]+)["']/g;

/** As the compiler has it: the package itself, not what else begins with its name. */
export function mentionsCairn(source: string): boolean {
  return /["']cairnjs["']/.test(source);
}

export function isScript(path: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(path) && !/\.d\.[cm]?ts$/.test(path);
}

/** Some tools take the byte order mark away, others do not: offsets must not depend on it. */
export function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
