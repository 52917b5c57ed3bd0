import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import remapping from "@jridgewell/remapping";
import { transformSync } from "oxc-transform";

export interface PlainModule {
  readonly code: string;
  /** JSON text, from `code` to what the user wrote. */
  readonly map: string;
}

/** JavaScript that Node can run. `map`, JSON text, leads from `code` to the user's source if something has changed it before. */
export function stripTypes(path: string, code: string, map: string | null): PlainModule {
  const result = transformSync(path, code, { sourcemap: true, sourceType: "module", target: TARGET });
  const [error] = result.errors;
  if (error !== undefined) throw new SyntaxError(`${path}: ${error.codeframe ?? error.message}`);
  const own = JSON.stringify(result.map ?? { version: 3, sources: [], names: [], mappings: "" });
  // What is left of `import type` in a module that has nothing else of an ES module.
  const plain = path.endsWith(".cts") ? result.code.replace(/^export \{\};$/m, "") : result.code;
  return {
    code: withOwnHelpers(plain, Object.values(result.helpersUsed)),
    map: map === null ? own : remapping([own, map], () => null).toString(),
  };
}

/** Syntax that this Node does not know is written in another way: `using`, before 24. */
const TARGET = `node${process.versions.node}`;

/** What that calls belongs to this package; from the user's module it would not be found. */
function withOwnHelpers(code: string, helpers: readonly string[]): string {
  let own = code;
  for (const helper of helpers) {
    const { href } = pathToFileURL(createRequire(import.meta.url).resolve(helper));
    own = own.replace(`from ${JSON.stringify(helper)}`, () => `from ${JSON.stringify(href)}`);
  }
  return own;
}

export function withInlineMap({ code, map }: PlainModule): string {
  const encoded = Buffer.from(map).toString("base64");
  return `${code}\n//# sourceMappingURL=data:application/json;base64,${encoded}\n`;
}
