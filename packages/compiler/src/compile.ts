import { InvalidProgram, programHash, validateProgram, type JsonSchema, type Program } from "@cairnjs/ir";
import { TOO_DEEP } from "./1-parse/parse.ts";
import { Checker } from "./2-analyze/check/check.ts";
import { declaredNames, type DeclaredName } from "./2-analyze/check/declarations.ts";
import { type KeyPlace, keyPlaces } from "./2-analyze/check/key-places.ts";
import { stepPlaces, type StepPlace } from "./2-analyze/check/step-places.ts";
import { checkSyntax } from "./2-analyze/check/syntax.ts";
import { checkUnread } from "./2-analyze/check/unchecked-input.ts";
import { attributeTo } from "./2-analyze/check/uses.ts";
import { report, type Diagnostic } from "./2-analyze/diagnostic.ts";
import { DiagnosticList } from "./2-analyze/diagnostic-list.ts";
import { workflowInput, type WorkflowInput } from "./2-analyze/input-schema/input-schema.ts";
import { TypeNames } from "./2-analyze/input-schema/type-names.ts";
import { Linker } from "./2-analyze/link/linker.ts";
import type { SourceHooks } from "./2-analyze/link/modules.ts";
import type { Module } from "./2-analyze/link/module.ts";
import type { ModuleCache } from "./2-analyze/link/module-cache.ts";
import { linkWorkflow, type LinkedWorkflow } from "./2-analyze/link/reach.ts";
import { workflowsOf } from "./2-analyze/link/workflows.ts";
import { lowerProgram } from "./3-lower/program.ts";
import { type CompiledKey, compileKeys } from "./compile-keys.ts";
import { Unlowerable } from "./3-lower/unlowerable.ts";

export interface CompileResult {
  /** Those without errors; the default export first. */
  readonly workflows: readonly CompiledWorkflow[];
  /** Names of all that the module declares, those with errors too. */
  readonly declared: readonly string[];
  /** Names of all actions and workflows that stand in the module, at its top level. */
  readonly names: readonly DeclaredName[];
  /** All problems at once. */
  readonly diagnostics: readonly Diagnostic[];
  /** Modules that were read, the entry first: a change in one of them changes the result. */
  readonly modules: readonly string[];
  /** Where the entry module has steps, also those that no workflow of its own reaches: a helper's. */
  readonly steps: readonly StepPlace[];
  /** Functions of the entry module that make the keys of limits. */
  readonly keys: readonly CompiledKey[];
}

export interface CompiledWorkflow {
  readonly name: string;
  readonly exportName: string;
  readonly program: Program;
  readonly hash: string;
  /** The first 12 digits of the hash. */
  readonly version: string;
  /** Where `workflow(…)` stands in the entry module. */
  readonly call: { readonly start: number; readonly end: number };
  /**
   * JSON Schema of the input in its tagged encoding, from the annotation of the body's parameter; null when none
   * could be derived, or the workflow takes no input.
   */
  readonly inputSchema: JsonSchema | null;
  /** Whether the body has a parameter, and whether it may be left out. */
  readonly input: "none" | "optional" | "required";
}

const VERSION_DIGITS = 12;

/**
 * Every workflow that a module declares: parse → link → check → lower. Any text is answered, with diagnostics. Who
 * compiles many modules gives the same cache to each.
 */
export function compile(entry: string, hooks: SourceHooks, cache?: ModuleCache): CompileResult {
  const { keyPlaces: places, ...result } = compileWorkflows(entry, hooks, cache);
  if (places.length === 0) return { ...result, keys: [] };
  const { keys, diagnostics } = compileKeys(
    entry,
    hooks.read(entry),
    hooks,
    places,
    result.diagnostics,
    compileWorkflows,
  );
  return { ...result, diagnostics: [...result.diagnostics, ...diagnostics], keys };
}

function compileWorkflows(
  entry: string,
  hooks: SourceHooks,
  cache?: ModuleCache,
): Omit<CompileResult, "keys"> & { readonly keyPlaces: readonly KeyPlace[] } {
  const source = hooks.read(entry);
  const linker = new Linker(hooks, cache);
  const diagnostics = new DiagnosticList();
  let workflows: CompiledWorkflow[] = [];
  let declared: string[] = [];
  let names: DeclaredName[] = [];
  let steps: StepPlace[] = [];
  let keys: KeyPlace[] = [];
  let modules: Iterable<string> = [entry];
  try {
    const module = linker.modules.add(entry, source);
    const isParsed = checkSyntax(module, diagnostics);
    declared = isParsed ? workflowsOf(module, linker).map(({ name }) => name) : [];
    names = isParsed ? declaredNames(module, linker) : [];
    const checked = isParsed ? compileModule(module, linker, diagnostics) : [];
    steps = isParsed ? stepPlaces(module, linker) : [];
    keys = isParsed ? keyPlaces(module, linker, diagnostics) : [];
    modules = linker.modules.ids();
    // Types come last: what only they lead to is no part of any program.
    const types = new TypeNames(hooks, linker.modules, cache);
    workflows = checked.flatMap(({ workflow, program }) => {
      const { unread, ...input } = workflowInput(workflow, types);
      if (unread !== null) checkUnread(workflow, unread, { values: linker, types }, diagnostics);
      return program === null ? [] : [compiled(workflow, program, input)];
    });
    modules = types.modules;
  } catch (error) {
    if (!isStackOverflow(error)) throw error;
    report({ file: entry, source, diagnostics }, "CAIRN1028", { start: 0, end: 0 }, { problem: TOO_DEEP });
  }
  const about = { workflows, declared, names, diagnostics: diagnostics.sorted() };
  return { ...about, modules: [...modules], steps, keyPlaces: keys };
}

interface CheckedWorkflow {
  readonly workflow: LinkedWorkflow;
  /** null when it has errors. */
  readonly program: Program | null;
}

function compileModule(module: Module, linker: Linker, diagnostics: DiagnosticList): CheckedWorkflow[] {
  const workflows: CheckedWorkflow[] = [];
  const checker = new Checker(linker, diagnostics);
  checker.module(module);
  for (const declaration of workflowsOf(module, linker)) {
    const workflow = linkWorkflow(declaration, linker);
    if (workflow === null) continue;
    const before = diagnostics.errorsMet;
    checker.workflow(workflow);
    const isSound = diagnostics.errorsMet === before && !diagnostics.hasErrorWithin(module.id, declaration.call);
    const program = isSound ? lower(workflow, linker, diagnostics) : null;
    attributeTo(workflow, diagnostics);
    workflows.push({ workflow, program });
  }
  checker.misplaced(module);
  return workflows;
}

/**
 * The limit on nesting prevents it on the default stack; a caller may have less left, and a chain of thousands of
 * constants that each name the one before is not nested.
 */
function isStackOverflow(error: unknown): boolean {
  return error instanceof RangeError && error.message === "Maximum call stack size exceeded";
}

function compiled(workflow: LinkedWorkflow, program: Program, input: WorkflowInput): CompiledWorkflow {
  const { name, exportName, call } = workflow;
  const hash = programHash(program);
  const version = hash.slice(0, VERSION_DIGITS);
  const { start, end } = call;
  return { name, exportName, program, hash, version, call: { start, end }, ...input };
}

/** null for what the checks or a limit of programs refuse: what is returned is valid. */
function lower(workflow: LinkedWorkflow, linker: Linker, diagnostics: DiagnosticList): Program | null {
  try {
    return validateProgram(lowerProgram(workflow, linker));
  } catch (error) {
    if (error instanceof Unlowerable) {
      const { id: file, source } = linker.modules.holding(error.node) ?? workflow.module;
      report({ file, source, diagnostics }, "CAIRN1002", error.node, { kind: error.message });
    } else if (error instanceof InvalidProgram) {
      const { module, call } = workflow;
      const sink = { file: module.id, source: module.source, diagnostics };
      report(sink, "CAIRN1028", call.arguments[0] ?? call, { problem: error.message });
    } else {
      throw error;
    }
    return null;
  }
}
