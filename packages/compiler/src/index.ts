export { compile, type CompiledWorkflow, type CompileResult } from "./compile.ts";
export type { StepPlace } from "./2-analyze/check/step-places.ts";
export { compilePrelude } from "./compile-prelude.ts";
export type { SourceHooks } from "./2-analyze/link/linker.ts";
export { codeFrame, positionAt, renderDiagnostic, type Diagnostic } from "./2-analyze/diagnostic.ts";
