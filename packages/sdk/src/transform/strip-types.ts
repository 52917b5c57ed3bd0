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
  return { code: result.code, map: map === null ? own : remapping([own, map], () => null).toString() };
}

/** Syntax that this Node does not know is written in another way: `using`, before 24. */
const TARGET = `node${process.versions.node}`;

export function withInlineMap({ code, map }: PlainModule): string {
  const encoded = Buffer.from(map).toString("base64");
  return `${code}\n//# sourceMappingURL=data:application/json;base64,${encoded}\n`;
}
