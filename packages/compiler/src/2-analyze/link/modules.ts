import type { Node } from "oxc-parser";
import type { UnknownReason } from "../resolution.ts";
import { CAIRN } from "./cairn-exports.ts";
import type { Module } from "./module.ts";
import { ModuleCache } from "./module-cache.ts";

/** How the compiler reaches source: it never touches a file system. */
export interface SourceHooks {
  /** Absolute id of an imported module, or null when it is a package, which is not followed. */
  resolve(specifier: string, importer: string): string | null;
  read(id: string): string;
}

/**
 * Owns the modules read so far. They are read when a name leads to them, so what a workflow never mentions is never
 * parsed, and import cycles need no care.
 */
export class Modules {
  readonly #hooks: SourceHooks;
  readonly #known = new Map<string, Module>();

  readonly #cache: ModuleCache;

  constructor(hooks: SourceHooks, cache = new ModuleCache()) {
    this.#hooks = hooks;
    this.#cache = cache;
  }

  ids(): Iterable<string> {
    return this.#known.keys();
  }

  [Symbol.iterator](): Iterator<Module> {
    return this.#known.values();
  }

  load(id: string): Module {
    return this.#known.get(id) ?? this.add(id, this.#hooks.read(id));
  }

  add(id: string, source: string): Module {
    const module = this.#cache.read(id, source);
    this.keep(module);
    return module;
  }

  /** One that was read before. */
  keep(module: Module): void {
    this.#known.set(module.id, module);
  }

  /** The module whose tree has the node. */
  holding(node: Node): Module | null {
    for (const module of this.#known.values()) {
      if (module.program === node || module.scopes.parents.has(node)) return module;
    }
    return null;
  }

  /** The modules that a module is evaluated after, as far as names have led to them. */
  importedBy(module: Module): Module[] {
    return module.requests.flatMap((specifier) => {
      const id = specifier === CAIRN ? null : this.#hooks.resolve(specifier, module.id);
      const imported = id === null ? undefined : this.#known.get(id);
      return imported === undefined ? [] : [imported];
    });
  }

  /** The module that an import leads to, or why there is none. */
  follow(importer: Module, specifier: string): Module | UnknownReason {
    const id = this.#hooks.resolve(specifier, importer.id);
    if (id === null) return "package";
    if (id.endsWith(".json")) return "json";
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    let source: string;
    try {
      source = this.#hooks.read(id);
    } catch {
      return "module";
    }
    return this.add(id, source);
  }
}
