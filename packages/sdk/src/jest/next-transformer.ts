import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** What we use of Jest's transformers; its own types would make everybody install Jest. */
export interface Transformer {
  readonly canInstrument?: boolean;
  process(source: string, path: string, options: JestOptions): Processed;
  processAsync?(source: string, path: string, options: JestOptions): Promise<Processed>;
  getCacheKey?(source: string, path: string, options: JestOptions): string;
}

export interface JestOptions {
  readonly config: { readonly rootDir: string };
  readonly configString: string;
  readonly instrument: boolean;
  readonly supportsStaticESM: boolean;
  readonly transformerConfig?: unknown;
}

export interface Processed {
  readonly code: string;
  readonly map?: object | string | null;
}

/** A transformer by name, or name and options, as in Jest's own configuration. */
export type TransformerName = string | readonly [name: string, options: object];

export interface NextTransformer {
  readonly transformer: Transformer;
  readonly config: object;
}

export async function loadTransformer(given: TransformerName): Promise<NextTransformer> {
  const [name, config] = typeof given === "string" ? [given, {}] : given;
  const path = createRequire(join(process.cwd(), "cairn")).resolve(name);
  const module = (await import(pathToFileURL(path).href)) as { readonly default?: unknown };
  const exported = unwrapped(unwrapped(module));
  if (!isFactory(exported)) return { transformer: exported as Transformer, config };
  return { transformer: await exported.createTransformer(config), config };
}

/** CommonJS modules have their exports under `default`, those made from ESM once more. */
function unwrapped(module: unknown): unknown {
  const isObject = typeof module === "object" && module !== null;
  if (!isObject || "process" in module || "createTransformer" in module) return module;
  return (module as { readonly default?: unknown }).default ?? module;
}

interface Factory {
  createTransformer(config: object): Transformer | Promise<Transformer>;
}

function isFactory(value: unknown): value is Factory {
  return typeof value === "object" && value !== null && "createTransformer" in value;
}
