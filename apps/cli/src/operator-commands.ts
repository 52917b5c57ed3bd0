import type { Command } from "commander";
import type { DoctorFlags } from "./commands/doctor.ts";
import type { MigrateFlags } from "./commands/migrate.ts";
import type { ReplayFlags } from "./commands/replay.ts";
import type { VersionPart } from "./commands/versions.ts";
import { addAudit } from "./audit-commands.ts";
import { addEvents } from "./events-commands.ts";
import { addRetention } from "./retention-commands.ts";
import { addKeys } from "./keys-commands.ts";
import { clientOf, type Operating } from "./operating.ts";
import type { Output } from "./output/output.ts";
import { RestClient } from "./rest/rest-client.ts";
import { addRuns } from "./runs-commands.ts";
import { addSecrets } from "./secrets-commands.ts";
import { addSchedules } from "./schedules-commands.ts";
import { readEnvironment } from "./settings/config-file.ts";
import { addSettings } from "./settings/setting-flags.ts";
import { DATABASE_SETTINGS, OPERATOR_SETTINGS } from "./settings/known-settings.ts";

/** The commands for those who look after runs. Each is loaded when needed. */
export function addOperators(program: Command, output: Output, done: (exitCode: number) => void): void {
  const operating: Operating = { output, done };
  addRuns(program, operating);
  addSchedules(program, operating);
  addEvents(program, operating);
  addRetention(program, operating);
  addSecrets(program, operating);
  addAudit(program, operating);
  addFleet(program, operating);
  addKeys(program, operating);
  addDatabase(program, operating);
  program
    .command("replay")
    .description("run exported runs again, offline; exit code 1 if one does otherwise than it did")
    .argument("<file>", "made by cairn runs export; - for the standard input")
    .option("--json", "one line of JSON")
    .action(async (file: string, flags: ReplayFlags) => {
      const { replayCommand } = await import("./commands/replay.ts");
      done(await replayCommand(file, flags, output));
    });
}

function addFleet(program: Command, { output, done }: Operating): void {
  const workers = program
    .command("workers")
    .description("list the workers, and how they do")
    .option("--json", "one line of JSON")
    .action(async (flags: { json?: true }) => {
      const { workersCommand } = await import("./commands/workers.ts");
      done(await workersCommand(await clientOf(flags), flags, output));
    });
  const workflows = program
    .command("workflows")
    .description("list what can be started, or the versions of one")
    .argument("[name]", "of a workflow or an action")
    .option("--json", "one line of JSON")
    .action(async (name: string | undefined, flags: { json?: true }) => {
      const { workflowsCommand } = await import("./commands/workflows.ts");
      done(await workflowsCommand(await clientOf(flags), name, flags, output));
    });
  const promote = program
    .command("promote")
    .description("let new runs of a workflow have this version")
    .argument("<name>", "of the workflow")
    .argument("<version>", "as cairn workflows NAME shows it")
    .option("--json", "one line of JSON")
    .action(async (name: string, version: string, flags: { json?: true }) => {
      const { promoteCommand } = await import("./commands/workflows.ts");
      done(await promoteCommand(await clientOf(flags), name, version, flags, output));
    });
  const limits = program
    .command("limits")
    .description("list what limits actions: who has slots, and who waits")
    .argument("[name]", "of an action, or a beginning such as billing.*")
    .option("--json", "one line of JSON")
    .action(async (name: string | undefined, flags: { json?: true }) => {
      const { limitsCommand } = await import("./commands/limits.ts");
      done(await limitsCommand(await clientOf(flags), name, flags, output));
    });
  addVersions(workflows, { output, done });
  for (const command of [workers, workflows, promote, limits]) addSettings(command, OPERATOR_SETTINGS);
}

const VERSION_PARTS: readonly (readonly [part: VersionPart, description: string])[] = [
  ["show", "show a version: its input, where its code is"],
  ["source", "print the source of a version"],
  ["listing", "print the instructions of a version, as cairn compile --listing does"],
  ["graph", "print the durable calls of a version as a Mermaid flowchart, as cairn compile --graph does"],
];

function addVersions(workflows: Command, { output, done }: Operating): void {
  for (const [part, description] of VERSION_PARTS) {
    const command = workflows
      .command(part)
      .description(description)
      .argument("<name>", "of a workflow or an action")
      .argument("[version]", "else the current one")
      .option("--json", "one line of JSON")
      .action(async (name: string, version: string | undefined, _: object, self: Command) => {
        // A flag that the command above has too is taken by it.
        const flags = self.optsWithGlobals<{ json?: true }>();
        const { versionCommand } = await import("./commands/versions.ts");
        done(await versionCommand(await clientOf(flags), part, [name, version], flags, output));
      });
    addSettings(command, OPERATOR_SETTINGS);
  }
}

function addDatabase(program: Command, { output, done }: Operating): void {
  const migrate = program
    .command("migrate")
    .description("bring the database to what this release needs; cairn start does so too")
    .option("--status", "show what was done and what is missing; exit code 1 if something is")
    .option("--json", "one line of JSON")
    .action(async (flags: MigrateFlags) => {
      const env = await readEnvironment(process.env, DATABASE_SETTINGS, flags);
      const { migrateCommand } = await import("./commands/migrate.ts");
      done(await migrateCommand(flags, env, output));
    });
  addSettings(migrate, DATABASE_SETTINGS);
  const doctor = program
    .command("doctor")
    .description("look at the database and the control plane; exit code 1 if something is wrong")
    .option("--restored", "declare that the database was restored from a backup, before anything runs on it")
    .option("--yes", "do not ask")
    .option("--json", "one line of JSON")
    .action(async (flags: DoctorFlags) => {
      const env = await readEnvironment(process.env, [...DATABASE_SETTINGS, ...OPERATOR_SETTINGS], flags);
      const { doctorCommand } = await import("./commands/doctor.ts");
      done(await doctorCommand(new RestClient(env), flags, env, output));
    });
  addSettings(doctor, [...DATABASE_SETTINGS, ...OPERATOR_SETTINGS]);
}
