export { checkModule } from "./check-module.ts";
export { compile, type CompiledWorkflow, type CompileResult } from "./compile.ts";
export { compilePrelude } from "./compile-prelude.ts";
export { docsUrl, DOCS_INDEX_URL } from "./docs-url.ts";
export { importsCairn } from "./imports-cairn.ts";
export { ModuleCache } from "./2-analyze/link/module-cache.ts";
export type { SourceHooks } from "./2-analyze/link/linker.ts";
export { codeFrame, positionAt, renderDiagnostic, type Diagnostic } from "./2-analyze/diagnostic.ts";
export { messages, type Code } from "./messages/table.ts";
