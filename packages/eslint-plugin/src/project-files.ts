import { readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { ResolverFactory } from "oxc-resolver";

interface KnownText {
  readonly mtimeMs: number;
  readonly size: number;
  readonly text: string;
}

/** The modules that a linted file imports, as they are on disk. A text is kept until its file changes. */
export class ProjectFiles {
  readonly #texts = new Map<string, KnownText>();
  // As `cairn check` finds modules: `paths` of the nearest tsconfig.json, `#names`, `./x` and `./x.js` for `./x.ts`.
  readonly #resolver = new ResolverFactory({
    tsconfig: "auto",
    modules: [],
    extensions: [".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json"],
    extensionAlias: {
      ".js": [".ts", ".tsx", ".js", ".jsx"],
      ".jsx": [".tsx", ".jsx"],
      ".mjs": [".mts", ".mjs"],
      ".cjs": [".cts", ".cjs"],
    },
    conditionNames: ["node", "import", "module", "default"],
  });

  read(path: string): string {
    const { mtimeMs, size } = statSync(path);
    const known = this.#texts.get(path);
    if (known?.mtimeMs === mtimeMs && known.size === size) return known.text;
    const written = readFileSync(path, "utf8");
    // As bundlers have it: data is the default export.
    const text = path.endsWith(".json") ? `export default ${written}` : written;
    this.#texts.set(path, { mtimeMs, size, text });
    return text;
  }

  /** Null for packages. A file that is missing is none: its path is given, and reading it fails. */
  find(specifier: string, importer: string): string | null {
    const path = this.#resolver.resolveFileSync(importer, specifier).path ?? null;
    if (path !== null) return /[/\\]node_modules[/\\]/.test(path) ? null : path;
    return specifier.startsWith(".") ? resolve(dirname(importer), specifier) : null;
  }

  /** Files may have been made, moved or removed: where imports lead is looked up again. */
  lookAgain(): void {
    this.#resolver.clearCache();
  }
}
