import type { SourceHooks } from "@cairnjs/compiler";
import { ProjectFiles } from "cairnjs/transform";

/** The files of a project as they are at one moment: each is read once, and found once. */
export class SourceTexts {
  readonly #texts = new Map<string, string>();
  readonly #files = new ProjectFiles();

  read(path: string): string {
    const known = this.#texts.get(path);
    if (known !== undefined) return known;
    const source = this.#files.read(path);
    this.#texts.set(path, source);
    return source;
  }

  /** Where a module of the project stands; null for packages and for what is missing. */
  find(specifier: string, importer: string): string | null {
    return this.#files.find(specifier, importer);
  }

  /** How the compiler reaches them; `read` is told what it asks for. */
  hooks(read: Set<string>): SourceHooks {
    return {
      resolve: (specifier, importer) => this.#files.resolve(specifier, importer),
      read: (path) => {
        read.add(path);
        return this.read(path);
      },
    };
  }
}
