import type { CompiledWorkflow } from "@cairnjs/compiler";
import { decodeNative, encodeNative, MalformedValue } from "@cairnjs/ir";
import { InvalidInput } from "cairnjs";
import { type EncodedReport, runEncoded, type RunObserver } from "cairnjs/testing/internal";
import { CannotRun } from "../cannot-run.ts";
import { MissingInput } from "../missing-input.ts";
import { type CompiledFile, Project } from "../compiling/project.ts";
import { workflowModules } from "../compiling/workflow-modules.ts";
import { ModuleLoader } from "../loading/module-loader.ts";
import { withoutExit } from "../loading/refuse-exit.ts";
import { diagnosticsLine, errorLine, reportLine } from "../output/json-line.ts";
import { tellDiagnostics, tellExplanation } from "../output/diagnostics.ts";
import { Output } from "../output/output.ts";
import { Story } from "../output/story.ts";
import { chooseWorkflow, signalsFrom, WorkflowModule } from "./workflow-module.ts";

export interface TryFlags {
  readonly workflow?: string;
  readonly input?: string;
  readonly signals?: string;
  readonly schedule?: string;
  readonly restoreEverywhere?: true;
  readonly json?: true;
}

/** `cairn try FILE…`: 1 if a file does not compile, cannot be run, or ends in an error. */
export async function tryCommand(files: readonly string[], flags: TryFlags, output: Output): Promise<number> {
  const given = givenValues(flags);
  if (flags.json === true) Output.divertStdout();
  const project = new Project();
  // All are compiled before any is loaded: modules are loaded once, and steps are lifted out of them then.
  const compiled = files.map((file) => settle(file, () => project.compile(file)));
  const loader = new ModuleLoader();
  loader.prepare(workflowModules(compiled.filter((each): each is CompiledFile => !(each instanceof Failed))));
  const attempt: Attempt = { project, loader, flags, given, output };
  // One file's stray errors must not end the others.
  process.on("unhandledRejection", (reason) => output.problem(`a rejection that nobody handled: ${String(reason)}`));
  process.on("uncaughtException", (error) => output.problem(`an error that nobody caught: ${String(error)}`));
  let exitCode = 0;
  for (const each of compiled) {
    const isGood = each instanceof Failed ? fail(each.file, each.error, attempt) : await tryFile(each, attempt);
    if (!isGood) exitCode = 1;
  }
  return exitCode;
}

interface Attempt {
  readonly project: Project;
  readonly loader: ModuleLoader;
  readonly flags: TryFlags;
  readonly given: GivenValues;
  readonly output: Output;
}

async function tryFile(compiled: CompiledFile, attempt: Attempt): Promise<boolean> {
  const { project, flags, output } = attempt;
  const { file, diagnostics } = compiled;
  const isSound = !diagnostics.some(({ severity }) => severity === "error");
  if (flags.json !== true) {
    tellDiagnostics(output, diagnostics, (path) => project.source(path));
    tellExplanation(output, diagnostics);
  } else if (!isSound) output.line(diagnosticsLine(file, diagnostics));
  if (!isSound) return false;
  try {
    const report = await withoutExit(() => runWorkflow(compiled, attempt));
    if (flags.json === true) output.line(reportLine(file, report));
    return report.error === undefined;
  } catch (error) {
    return fail(file, error, attempt);
  }
}

async function runWorkflow(compiled: CompiledFile, attempt: Attempt): Promise<EncodedReport> {
  const { loader, flags, given, output } = attempt;
  // Rather now than after its code has run.
  if (compiled.byName.size === 0) throw new CannotRun(`${compiled.file} declares no workflow`);
  const namespace = await loader.import(compiled.path);
  const workflow = chooseWorkflow(compiled, namespace, flags.workflow);
  const module = await WorkflowModule.load(compiled, namespace, loader);
  module.requireActions(workflow);
  const story = flags.json === true ? null : new Story(output);
  story?.begin(compiled.file, workflow.name, workflow.version);
  const report = await run(workflow, module, given, flags, story ?? {});
  story?.end(report);
  return report;
}

function run(
  workflow: CompiledWorkflow,
  module: WorkflowModule,
  given: GivenValues,
  flags: TryFlags,
  observer: RunObserver,
): Promise<EncodedReport> {
  const { input, signals } = { ...module.values(), ...given };
  const running = runEncoded({
    program: workflow.program,
    children: module.children,
    actions: module.findAction,
    // One flag is for all files: those whose workflow takes no input do without.
    input: workflow.input === "none" ? undefined : input,
    signals,
    errorClasses: module.errorClasses,
    observer,
    restoreEverywhere: flags.restoreEverywhere === true,
    ...(flags.schedule === undefined ? {} : { schedule: flags.schedule }),
  });
  return input === undefined ? running.catch((error: unknown) => missed(error, workflow.name, module)) : running;
}

function missed(error: unknown, workflow: string, module: WorkflowModule): never {
  throw error instanceof InvalidInput ? new MissingInput(error, module.inputSchema(workflow)) : error;
}

/** A file that could not be compiled at all. */
class Failed {
  readonly file: string;
  readonly error: unknown;

  constructor(file: string, error: unknown) {
    this.file = file;
    this.error = error;
  }
}

function settle(file: string, compileFile: () => CompiledFile): CompiledFile | Failed {
  try {
    return compileFile();
  } catch (error) {
    return new Failed(file, error);
  }
}

/** Whatever is wrong with one file, the others are tried. */
function fail(file: string, error: unknown, { flags, output }: Attempt): false {
  const thrown = error instanceof MissingInput ? error.refusal : error;
  if (flags.json === true) output.line(errorLine(file, encodeNative(thrown)));
  if (error instanceof CannotRun || error instanceof InvalidInput || error instanceof MissingInput) {
    const message = error instanceof CannotRun ? error.message : `${file}: ${error.message}`;
    if (flags.json !== true) output.problem(message);
  } else {
    output.problem(`${file}: ${error instanceof Error ? error.stack : String(error)}`);
  }
  return false;
}

interface GivenValues {
  readonly input?: unknown;
  readonly signals?: Readonly<Record<string, readonly unknown[]>>;
}

function givenValues({ input, signals }: TryFlags): GivenValues {
  return {
    ...(input === undefined ? {} : { input: parsed("--input", input) }),
    ...(signals === undefined ? {} : { signals: signalsFrom(parsed("--signals", signals), "--signals") }),
  };
}

function parsed(flag: string, text: string): unknown {
  try {
    return decodeNative(text);
  } catch (error) {
    if (!(error instanceof MalformedValue)) throw error;
    throw new CannotRun(`${flag} is not JSON in the tagged encoding: ${error.message}`, { cause: error });
  }
}
