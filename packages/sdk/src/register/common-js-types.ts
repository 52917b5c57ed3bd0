import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { stripTypes, withInlineMap } from "../transform/strip-types.ts";

/** What Node.js calls with a CommonJS module and its file, as `require.extensions` has it. */
type Extension = (module: { _compile(code: string, file: string): void }, file: string) => void;

/** Of Node.js from 24 on the hooks do all. */
export const REQUIRES_TYPES = Number.parseInt(process.versions.node, 10) < 24;

/**
 * Lets `require` load `.cts`. A CommonJS module whose text comes from a hook gets a `require` of another kind, which on Node 20
 * and 22 cannot load ES modules such as this package.
 */
export function registerCommonJsTypes(): void {
  if (!REQUIRES_TYPES) return;
  const { extensions } = createRequire(import.meta.url) as unknown as {
    readonly extensions: Record<string, Extension>;
  };
  extensions[".cts"] = (module, file) => {
    module["_compile"](withInlineMap(stripTypes(file, readFileSync(file, "utf8"), null)), file);
  };
}
