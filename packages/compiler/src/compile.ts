import { programHash, type Program } from "@cairnjs/ir";
import { checkModule, checkSyntax, checkUnits } from "./2-analyze/check/check.ts";
import { report, sortDiagnostics, type Diagnostic } from "./2-analyze/diagnostic.ts";
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
  const diagnostics: Diagnostic[] = [];
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
  return { workflows, diagnostics: sortDiagnostics(diagnostics) };
}

function compileWorkflow(workflow: LinkedWorkflow, linker: Linker, diagnostics: Diagnostic[]): CompiledWorkflow | null {
  const found: Diagnostic[] = [];
  checkUnits(workflow.units, linker, found);
  const isSound = !found.some(({ severity }) => severity === "error");
  const program = isSound ? lower(workflow, linker, found) : null;
  const isNew = (diagnostic: Diagnostic): boolean => !diagnostics.some((other) => isSame(diagnostic, other));
  diagnostics.push(...found.filter(isNew));
  if (program === null) return null;
  const hash = programHash(program);
  const { name, exportName } = workflow;
  return { name, exportName, program, hash, version: hash.slice(0, VERSION_DIGITS) };
}

/** A helper that two workflows reach is checked for each. */
function isSame(a: Diagnostic, b: Diagnostic): boolean {
  return a.code === b.code && a.file === b.file && a.start === b.start && a.message === b.message;
}

function lower(workflow: LinkedWorkflow, linker: Linker, found: Diagnostic[]): Program | null {
  try {
    return lowerProgram(workflow, linker);
  } catch (error) {
    if (!(error instanceof Unlowerable)) throw error;
    const { id: file, source } = error.module ?? workflow.module;
    report({ file, source, diagnostics: found }, "CAIRN1002", error.node, { kind: error.message });
    return null;
  }
}
