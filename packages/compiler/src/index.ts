export { checkModule } from "./check-module.ts";
export { compile, type CompiledWorkflow, type CompileResult } from "./compile.ts";
export type { StepPlace } from "./2-analyze/check/step-places.ts";
export { compilePrelude } from "./compile-prelude.ts";
export { docsUrl, DOCS_INDEX_URL } from "./docs-url.ts";
export { importsCairn } from "./imports-cairn.ts";
export { ModuleCache } from "./2-analyze/link/module-cache.ts";
export { nameClashes } from "./name-clashes.ts";
export type { DeclaredName } from "./2-analyze/check/declarations.ts";
export type { SourceHooks } from "./2-analyze/link/modules.ts";
export {
  codeFrame,
  positionAt,
  renderDiagnostic,
  usedByText,
  type Diagnostic,
  type WorkflowUse,
} from "./2-analyze/diagnostic.ts";
export { messages, type Code } from "./messages/table.ts";
