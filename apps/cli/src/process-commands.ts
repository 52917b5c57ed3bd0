import type { Command } from "commander";
import type { DevFlags } from "./commands/dev.ts";
import type { RunFlags } from "./commands/run.ts";
import type { StartFlags } from "./commands/start.ts";
import type { WorkerFlags } from "./commands/worker.ts";
import type { Output } from "./output/output.ts";
import { CONNECTION_SETTINGS, CONTROL_PLANE_SETTINGS, WORKER_SETTINGS } from "./settings/known-settings.ts";
import { addSettings } from "./settings/setting-flags.ts";

/** The commands that are processes, or speak with one. Each is loaded when needed. */
export function addProcesses(program: Command, output: Output, done: (exitCode: number) => void): void {
  const start = program
    .command("start")
    .description("run a control plane: Postgres, runs, and workers over gRPC")
    .option("--no-migrate", "refuse a database whose schema is not what this release needs, instead of migrating it")
    .option("--json", "log one JSON object a line")
    .action(async (flags: StartFlags) => {
      const { startCommand } = await import("./commands/start.ts");
      done(await startCommand(flags, process.env, output));
    });
  addSettings(start, CONTROL_PLANE_SETTINGS);
  const worker = program
    .command("worker")
    .description("run actions, and steps of workflows, for control planes")
    .argument("[files...]", MODULES)
    .option("--json", "log one JSON object a line")
    .action(async (files: string[], flags: WorkerFlags) => {
      const { workerCommand } = await import("./commands/worker.ts");
      done(await workerCommand(files, flags, process.env, output));
    });
  addSettings(worker, [...CONNECTION_SETTINGS, ...WORKER_SETTINGS]);
  const dev = program
    .command("dev")
    .description("run a control plane and a worker that follows your files, and show what runs do")
    .argument("[files...]", MODULES)
    .option("--json", "one JSON object a line")
    .action(async (files: string[], flags: DevFlags) => {
      const { devCommand } = await import("./commands/dev.ts");
      done(await devCommand(files, flags, process.env, output));
    });
  addSettings(dev, [...CONTROL_PLANE_SETTINGS, ...WORKER_SETTINGS]);
  addRun(program, output, done);
}

function addRun(program: Command, output: Output, done: (exitCode: number) => void): void {
  const run = program
    .command("run")
    .description("start a run, and print its id; exit code 1 if it is refused or, with --wait, does not succeed")
    .argument("<type>", "name of a workflow or of an action")
    .option("--input <json>", "its input, as JSON")
    .option("--idempotency-key <key>", "a second start of the type with this key is the first one")
    .option("--wait", "wait until it has ended, and print its result")
    .option("--json", "one line of JSON")
    .action(async (type: string, flags: RunFlags) => {
      const { runCommand } = await import("./commands/run.ts");
      done(await runCommand(type, flags, process.env, output));
    });
  addSettings(run, CONNECTION_SETTINGS);
}

const MODULES = "modules, or patterns; without any, workflows and actions (.ts, .js or folders), here and in src";
