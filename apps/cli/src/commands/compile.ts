import { graphOf, graphText, listProgram, type Program } from "@cairnjs/ir";
import { CannotRun } from "../cannot-run.ts";
import { type CompiledFile, Project } from "../compiling/project.ts";
import { tellDiagnostics, tellExplanation } from "../output/diagnostics.ts";
import { type Output, shortPath } from "../output/output.ts";

export interface CompileFlags {
  readonly listing?: true;
  readonly graph?: true;
  readonly json?: true;
}

/** `cairn compile FILE`: 1 if it has errors. */
export function compileCommand(file: string, flags: CompileFlags, output: Output): number {
  const project = new Project();
  const compiled = project.compile(file);
  const isSound = !compiled.diagnostics.some(({ severity }) => severity === "error");
  if (flags.json === true) {
    printJson(compiled, output);
  } else {
    tellDiagnostics(output, compiled.diagnostics, (path) => project.source(path));
    tellExplanation(output, compiled.diagnostics);
    if (isSound && compiled.workflows.length === 0) throw new CannotRun(`${file} declares no workflow`);
    if (isSound) printWorkflows(compiled, flags, project, output);
  }
  return isSound ? 0 : 1;
}

function printJson({ file, workflows, diagnostics }: CompiledFile, output: Output): void {
  const shown = diagnostics.map((diagnostic) => ({ ...diagnostic, file: shortPath(diagnostic.file) }));
  const programs = workflows.map((workflow) => ({ ...workflow, program: withShortPaths(workflow.program) }));
  output.line(JSON.stringify({ file, workflows: programs, diagnostics: shown }));
}

/** Where the project stands on this machine is nobody's business. */
function withShortPaths(program: Program): Program {
  const files = program.debug.files.map((path) => shortPath(path));
  const steps = program.steps.map((step) => ({ ...step, file: shortPath(step.file) }));
  return { ...program, steps, debug: { ...program.debug, files } };
}

function printWorkflows({ workflows }: CompiledFile, flags: CompileFlags, project: Project, output: Output): void {
  for (const { name, exportName, program, version } of workflows) {
    if (flags.listing === true) {
      const sources = Object.fromEntries(program.debug.files.map((path) => [shortPath(path), project.source(path)]));
      output.line(listProgram(withShortPaths(program), sources));
    }
    if (flags.graph === true) output.line(graphText(graphOf(program)));
    if (flags.listing === true || flags.graph === true) continue;
    const instructions = program.functions.reduce((sum, { code }) => sum + code.length, 0);
    output.line(`${output.paint("bold", name)}  version ${version}, export ${exportName}`);
    output.line(`  ${program.functions.length} functions, ${instructions} words of code`);
    for (const { id, kind, name: called } of program.nodes) {
      output.line(`  ${output.paint("cyan", id)}  ${kind}${called === "" ? "" : ` ${called}`}`);
    }
    output.line();
  }
}
