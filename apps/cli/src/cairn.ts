import { readFileSync } from "node:fs";
import { Command, CommanderError, InvalidArgumentError } from "commander";
import { CannotRun } from "./cannot-run.ts";
import type { CheckFlags } from "./commands/check.ts";
import type { CompileFlags } from "./commands/compile.ts";
import type { ExplainFlags } from "./commands/explain.ts";
import type { TryFlags } from "./commands/try.ts";
import { addOperators } from "./operator-commands.ts";
import { Output } from "./output/output.ts";
import { addProcesses } from "./process-commands.ts";
import { UsageMistake } from "./usage-mistake.ts";

const USAGE_MISTAKE = 2;

/** Runs the command line and gives the exit code. */
export async function cairn(args: readonly string[]): Promise<number> {
  const output = new Output(process.stdout, process.stderr);
  const exitCode = await runCommand(args, output);
  await output.flush();
  return exitCode;
}

async function runCommand(args: readonly string[], output: Output): Promise<number> {
  let exitCode = 0;
  const program = commands(output, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE_MISTAKE;
    if (!(error instanceof CannotRun)) throw error;
    output.problem(error.message);
    return error instanceof UsageMistake ? USAGE_MISTAKE : 1;
  }
  return exitCode;
}

function commands(output: Output, done: (exitCode: number) => void): Command {
  const program = new Command("cairn")
    .description("Durable workflows from plain TypeScript.")
    .version(ownVersion(), "-v, --version")
    .exitOverride()
    .showHelpAfterError("(add --help for more)");
  program
    .command("try")
    .description("compile workflows and run them in memory, with their own actions and virtual time")
    .argument("<files...>", "modules whose default export is a workflow")
    .option("--workflow <name>", "run this one instead of the default export")
    .option("--input <json>", "the workflow's input, instead of the module's export `input`")
    .option("--signals <json>", "{ name: [values] } to send, instead of the module's export `signals`")
    .option("--schedule <seed>", "let steps end in a random order that the seed decides")
    .option("--restore-everywhere", "snapshot and restore between every two instructions")
    .option("--json", "one line a file, values in the tagged encoding")
    .action(async (files: string[], flags: TryFlags) => {
      // Loaded when needed: the machine alone takes longer to load than a file to compile.
      const { tryCommand } = await import("./commands/try.ts");
      done(await tryCommand(files, flags, output));
    });
  addChecking(program, output, done);
  program
    .command("compile")
    .description("compile a module's workflows and show what became of them")
    .argument("<file>", "module that declares workflows")
    .option("--listing", "show the instructions")
    .option("--graph", "show the durable calls as a Mermaid flowchart")
    .option("--json", "print the programs and diagnostics as one line of JSON")
    .action(async (file: string, flags: CompileFlags) => {
      const { compileCommand } = await import("./commands/compile.ts");
      done(compileCommand(file, flags, output));
    });
  addProcesses(program, output, done);
  addOperators(program, output, done);
  return program;
}

function addChecking(program: Command, output: Output, done: (exitCode: number) => void): void {
  program
    .command("check")
    .description("report every problem of all workflows and actions; exit code 1 if there are errors")
    .argument("[paths...]", "files or folders; the current folder if none is given")
    .option("--json", "one line of JSON instead of text")
    .option("--watch", "stay, and check again what changes")
    .option("--max-warnings <count>", "exit code 1 also if there are more warnings", wholeNumber)
    .option("--quiet", "show errors only, and nothing if there are none")
    .action(async (paths: string[], flags: CheckFlags) => {
      const { checkCommand } = await import("./commands/check.ts");
      done(await checkCommand(paths, flags, output));
    });
  program
    .command("explain")
    .description("show the page of a diagnostic, or list them all")
    .argument("[code]", "such as CAIRN2006")
    .option("--json", "one line of JSON")
    .action(async (code: string | undefined, flags: ExplainFlags) => {
      const { explainCommand } = await import("./commands/explain.ts");
      explainCommand(code, flags, output);
      done(0);
    });
}

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError("It must be a whole number of at least 0.");
  return Number(text);
}

function ownVersion(): string {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
