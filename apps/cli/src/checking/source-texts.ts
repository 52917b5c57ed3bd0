import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { SourceHooks } from "@cairnjs/compiler";
import { moduleResolver, type ResolveModule } from "../loading/resolve-module.ts";

/** The files of a project as they are at one moment: each is read once, and found once. */
export class SourceTexts {
  readonly #texts = new Map<string, string>();
  readonly #resolve: ResolveModule = moduleResolver();

  read(path: string): string {
    const known = this.#texts.get(path);
    if (known !== undefined) return known;
    const text = readFileSync(path, "utf8");
    // As bundlers have it: data is the default export.
    const source = path.endsWith(".json") ? `export default ${text}` : text;
    this.#texts.set(path, source);
    return source;
  }

  /** How the compiler reaches them; `read` is told what it asks for. */
  hooks(read: Set<string>): SourceHooks {
    return {
      resolve: (specifier, importer) => this.#find(specifier, importer),
      read: (path) => {
        read.add(path);
        return this.read(path);
      },
    };
  }

  /** A file that is missing is no package: its path is given, and reading it fails. */
  #find(specifier: string, importer: string): string | null {
    const path = this.#resolve(specifier, importer);
    if (path !== null) return path;
    return specifier.startsWith(".") ? resolve(dirname(importer), specifier) : null;
  }
}
