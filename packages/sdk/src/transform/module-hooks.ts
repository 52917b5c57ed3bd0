import { readFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { warningsOf } from "./compile-failed.ts";
import { isScript, ProjectFiles } from "./project-files.ts";
import { isInPackage } from "./resolve-module.ts";
import { stripTypes, withInlineMap } from "./strip-types.ts";
import { transformModule } from "./transform-module.ts";

export interface LoadedModule {
  readonly format: "module" | "commonjs";
  /** Without it `require` reads the file itself. */
  readonly source?: string;
  readonly shortCircuit: true;
}

export interface LoadRequest {
  readonly conditions?: readonly string[];
  readonly importAttributes?: Readonly<Record<string, string | undefined>>;
}

/**
 * What Node's module loader is to do with modules of the user's project: find them as bundlers do, compile their
 * workflows, strip their types. null: nothing, whoever is next decides.
 */
export class ModuleHooks {
  readonly #files = new ProjectFiles();
  readonly #warn: (text: string) => void;
  readonly #requiresTypes: boolean;

  /** `requiresTypes`: whether `require` knows what to do with `.cts`. */
  constructor(warn: (text: string) => void, { requiresTypes = false }: { readonly requiresTypes?: boolean } = {}) {
    this.#warn = warn;
    this.#requiresTypes = requiresTypes;
  }

  /** URL of the module. */
  resolve(specifier: string, parentURL: string | undefined): string | null {
    if (parentURL?.startsWith("file:") !== true) return null;
    const importer = fileURLToPath(parentURL);
    const path = isInPackage(importer) ? null : this.#files.find(specifier, importer);
    return path === null ? null : pathToFileURL(path).href;
  }

  load(url: string, request: LoadRequest): LoadedModule | null {
    if (!url.startsWith("file:")) return null;
    const path = fileURLToPath(url);
    if (isInPackage(path)) return null;
    if (isScript(path)) return this.#script(path, url);
    // As bundlers do; Node itself asks for `with { type: "json" }`. `require` knows what to do.
    const isPlainJson = path.endsWith(".json") && request.importAttributes?.["type"] === undefined;
    if (!isPlainJson || request.conditions?.includes("require") === true) return null;
    return asModule(`export default ${readFileSync(path, "utf8")};`);
  }

  #script(path: string, url: string): LoadedModule | null {
    const isCommonJs = /\.c[jt]s$/.test(path);
    if (path.endsWith(".cts") && this.#requiresTypes) return { format: "commonjs", shortCircuit: true };
    const source = readFileSync(path, "utf8");
    const made = isCommonJs ? null : transformModule(path, source, this.#files, { module: url });
    if (made !== null) {
      const warnings = warningsOf(made.diagnostics, path, source, (file) => this.#files.read(file));
      if (warnings !== null) this.#warn(warnings);
    }
    if (/\.([cm]?ts|[jt]sx)$/.test(path)) {
      const plain = withInlineMap(stripTypes(path, made?.code ?? source, made?.map?.toString() ?? null));
      return { ...asModule(plain), format: isCommonJs ? "commonjs" : "module" };
    }
    if (made === null || made.map === null) return null;
    return asModule(withInlineMap({ code: made.code, map: made.map.toString() }));
  }
}

function asModule(source: string): LoadedModule {
  return { format: "module", source, shortCircuit: true };
}
