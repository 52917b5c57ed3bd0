import { parse } from "../../1-parse/parse.ts";
import type { Module } from "./module.ts";
import { readModule } from "./read-module.ts";

/** About 220 MB of trees, at 55 bytes a character: beyond this, modules not asked for lately are dropped. */
const SOURCE_LENGTH_MAX = 4_000_000;

/**
 * Modules as they were read, for compilations that have some in common: a module of actions that 1,000 workflows
 * import is parsed once. One whose text has changed is read anew. Nothing in a module depends on who imports it, so
 * compilations do not see each other.
 */
export class ModuleCache {
  /** The one used last is the last. */
  readonly #modules = new Map<string, Module>();
  #sourceLength = 0;

  read(id: string, source: string): Module {
    const known = this.#modules.get(id);
    if (known !== undefined) this.#drop(known);
    const module = known?.source === source ? known : readModule(parse(id, source));
    this.#modules.set(id, module);
    this.#sourceLength += source.length;
    for (const oldest of this.#modules.values()) {
      if (this.#sourceLength <= SOURCE_LENGTH_MAX) break;
      this.#drop(oldest);
    }
    return module;
  }

  #drop({ id, source }: Module): void {
    this.#modules.delete(id);
    this.#sourceLength -= source.length;
  }
}
