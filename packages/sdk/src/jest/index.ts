import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import remapping from "@jridgewell/remapping";
import { parseSync } from "oxc-parser";
import { warningsOf } from "../transform/compile-failed.ts";
import { ProjectFiles } from "../transform/project-files.ts";
import { stripTypes } from "../transform/strip-types.ts";
import { type TransformedModule, transformModule } from "../transform/transform-module.ts";
import {
  type JestOptions,
  loadTransformer,
  type NextTransformer,
  type Processed,
  type Transformer,
  type TransformerName,
} from "./next-transformer.ts";

export interface JestTransformerOptions {
  /** The transformer that gets the module next: `"@swc/jest"`, `["babel-jest", { … }]`. */
  readonly then?: TransformerName;
}

/** `transform: { "\\.[cm]?[jt]sx?$": ["cairnjs/jest", { then: "@swc/jest" }] }` */
export default {
  async createTransformer(options: JestTransformerOptions = {}): Promise<Transformer> {
    const next = options.then === undefined ? null : await loadTransformer(options.then);
    return transformer(next);
  },
};

function transformer(next: NextTransformer | null): Transformer {
  const modules = new Modules();
  const passed = (options: JestOptions): JestOptions =>
    next === null ? options : { ...options, transformerConfig: next.config };
  return {
    canInstrument: next?.transformer.canInstrument ?? false,
    process(source, path, options) {
      const made = modules.transform(source, path, options);
      if (next === null) return alone(made, source, path, options);
      return withMap(next.transformer.process(made?.code ?? source, path, passed(options)), made);
    },
    async processAsync(source, path, options) {
      const made = modules.transform(source, path, options);
      if (next === null) return alone(made, source, path, options);
      const { transformer } = next;
      const work = transformer.processAsync?.bind(transformer) ?? transformer.process.bind(transformer);
      return withMap(await work(made?.code ?? source, path, passed(options)), made);
    },
    getCacheKey(source, path, options) {
      const made = modules.transform(source, path, options);
      const { configString, instrument, supportsStaticESM } = options;
      const after = next?.transformer.getCacheKey?.(made?.code ?? source, path, passed(options)) ?? "";
      // The code made has everything of the modules that it was made from.
      const parts = [VERSION, path, configString, instrument, supportsStaticESM, after, made?.code ?? source];
      return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
    },
  };
}

const { version: VERSION } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  readonly version: string;
};

/** Owns: the module that was transformed last. Jest asks for its key first, then for the module itself. */
class Modules {
  readonly #projects = new Map<string, ProjectFiles>();
  #last: { readonly path: string; readonly source: string; readonly made: TransformedModule | null } | null = null;

  transform(source: string, path: string, { config }: JestOptions): TransformedModule | null {
    const last = this.#last;
    this.#last = null;
    if (last?.path === path && last.source === source) return last.made;
    const project = this.#project(config.rootDir);
    const made = transformModule(path, source, project, { module: pathToFileURL(path).href, typeChecked: true });
    const warnings = made === null ? null : warningsOf(made.diagnostics, path, source, (file) => project.read(file));
    if (warnings !== null) console.warn(warnings);
    this.#last = { path, source, made };
    return made;
  }

  #project(root: string): ProjectFiles {
    const known = this.#projects.get(root) ?? new ProjectFiles(root);
    this.#projects.set(root, known);
    return known;
  }
}

function alone(made: TransformedModule | null, source: string, path: string, options: JestOptions): Processed {
  const code = made?.code ?? source;
  const map = made?.map?.toString() ?? null;
  if (!options.supportsStaticESM && parseSync(path, code).module.hasModuleSyntax) {
    throw new Error(
      `Jest runs ${path} as CommonJS, but it is an ES module. Let another transformer convert it behind this one, ["cairnjs/jest", { then: "@swc/jest" }], or run Jest with ES modules (node --experimental-vm-modules).`,
    );
  }
  if (!/\.([cm]?ts|[jt]sx)$/.test(path)) return { code, map };
  return stripTypes(path, code, map);
}

/** The map of both. */
function withMap(processed: Processed, made: TransformedModule | null): Processed {
  if (made === null || made.map === null) return processed;
  const { code, map } = mapOutside(processed);
  if (map === null) return { code, map };
  const text = typeof map === "string" ? map : JSON.stringify(map);
  return { code, map: remapping([text, made.map.toString()], () => null).toString() };
}

const INLINE_MAP = /^\/\/# sourceMappingURL=data:application\/json;(?:charset=utf-8;)?base64,([\w+/=]+)\s*$/m;

/** Some transformers write the map into the code. */
function mapOutside({ code, map }: Processed): { readonly code: string; readonly map: object | string | null } {
  const [comment, base64] = INLINE_MAP.exec(code) ?? [];
  if (comment === undefined || base64 === undefined) return { code, map: map ?? null };
  return { code: code.replace(comment, ""), map: map ?? Buffer.from(base64, "base64").toString("utf8") };
}
