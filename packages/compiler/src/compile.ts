import { programHash, type Program } from "@cairnjs/ir";
import { checkModule, checkSyntax, checkWorkflow } from "./2-analyze/check/check.ts";
import { report, type Diagnostic } from "./2-analyze/diagnostic.ts";
import { DiagnosticList } from "./2-analyze/diagnostic-list.ts";
import { Linker, type SourceHooks } from "./2-analyze/link/linker.ts";
import { linkWorkflow, type LinkedWorkflow } from "./2-analyze/link/reach.ts";
import { workflowsOf } from "./2-analyze/link/workflows.ts";
import { lowerProgram } from "./3-lower/program.ts";
import { Unlowerable } from "./3-lower/unlowerable.ts";

export interface CompileResult {
  /** Those without errors; the default export first. */
  readonly workflows: readonly CompiledWorkflow[];
  /** All problems at once. */
  readonly diagnostics: readonly Diagnostic[];
}

export interface CompiledWorkflow {
  readonly name: string;
  readonly exportName: string;
  readonly program: Program;
  readonly hash: string;
  /** The first 12 digits of the hash. */
  readonly version: string;
}

const VERSION_DIGITS = 12;

/** Every workflow that a module declares: parse → link → check → lower. */
export function compile(entry: string, hooks: SourceHooks): CompileResult {
  const linker = new Linker(hooks);
  const diagnostics = new DiagnosticList();
  const workflows: CompiledWorkflow[] = [];
  const module = linker.load(entry);
  if (checkSyntax(module, diagnostics)) {
    checkModule(module, linker, diagnostics);
    for (const declaration of workflowsOf(module, linker)) {
      const workflow = linkWorkflow(declaration, linker);
      const compiled = workflow === null ? null : compileWorkflow(workflow, linker, diagnostics);
      if (compiled !== null) workflows.push(compiled);
    }
    for (const other of linker.modules.values()) checkSyntax(other, diagnostics);
  }
  return { workflows, diagnostics: diagnostics.sorted() };
}

function compileWorkflow(
  workflow: LinkedWorkflow,
  linker: Linker,
  diagnostics: DiagnosticList,
): CompiledWorkflow | null {
  const { name, exportName, module, call } = workflow;
  const before = diagnostics.errorsMet;
  checkWorkflow(workflow, linker, diagnostics);
  if (diagnostics.errorsMet > before || diagnostics.hasErrorWithin(module.id, call)) return null;
  const program = lower(workflow, linker, diagnostics);
  if (program === null) return null;
  const hash = programHash(program);
  return { name, exportName, program, hash, version: hash.slice(0, VERSION_DIGITS) };
}

function lower(workflow: LinkedWorkflow, linker: Linker, diagnostics: DiagnosticList): Program | null {
  try {
    return lowerProgram(workflow, linker);
  } catch (error) {
    if (!(error instanceof Unlowerable)) throw error;
    const { id: file, source } = error.module ?? workflow.module;
    report({ file, source, diagnostics }, "CAIRN1002", error.node, { kind: error.message });
    return null;
  }
}
