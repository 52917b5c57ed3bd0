import type { Node } from "oxc-parser";
import type { ParsedModule } from "../../1-parse/parse.ts";
import type { ModuleScopes } from "../scope/module-scopes.ts";

/** A module that the linker has read. */
export interface Module extends ParsedModule {
  readonly scopes: ModuleScopes;
  readonly imports: ReadonlyMap<string, ImportTarget>;
  readonly exports: ReadonlyMap<string, ExportTarget>;
  /** Specifiers of `export * from`. */
  readonly stars: readonly string[];
  /** Specifiers of all modules that are evaluated before this one, in order. */
  readonly requests: readonly string[];
  /** SHA-256 of the text. */
  readonly sourceHash: string;
}

/** What an imported name stands for: an export of another module, or (`*`) its namespace. */
export interface ImportTarget {
  readonly specifier: string;
  readonly name: string;
}

export type ExportTarget =
  | { readonly kind: "local"; readonly name: string }
  | { readonly kind: "from"; readonly specifier: string; readonly name: string }
  /** `export default` of an expression or an anonymous function or class. */
  | { readonly kind: "default"; readonly node: Node };
