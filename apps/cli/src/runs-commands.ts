import type { Command } from "commander";
import type { ExportFlags } from "./commands/runs/export.ts";
import type { ListFlags } from "./commands/runs/list.ts";
import type { ForkFlags, Order, OrderFlags, RollBackFlags } from "./commands/runs/orders.ts";
import type { ShowFlags } from "./commands/runs/show.ts";
import { clientOf, type Operating, wholeNumber } from "./operating.ts";
import { OPERATOR_SETTINGS } from "./settings/known-settings.ts";
import { addSettings } from "./settings/setting-flags.ts";

const NUMBER_MAX = 2 ** 31 - 1;

/** `cairn runs …`. */
export function addRuns(program: Command, operating: Operating): void {
  const runs = program.command("runs").description("look at runs, and change what becomes of them");
  addLooking(runs, operating);
  addOrders(runs, operating);
  addTurns(runs, operating);
  for (const command of runs.commands) addSettings(command.option("--json", "one line of JSON"), OPERATOR_SETTINGS);
}

function addFilter(command: Command): Command {
  return command
    .option("--type <type>", "of this type alone")
    .option("--status <list>", "pending, leased, succeeded, failed, cancelled; several with commas between")
    .option("--phase <list>", "ready, running, sleeping, waiting, paused, cancelling, compensating")
    .option("--tag <tag>", "with this tag")
    .option("--since <time>", "started at this time or later: 2h, 7d, 2026-11-15T21:30:00Z")
    .option("--until <time>", "started before this time");
}

function addLooking(runs: Command, { output, done }: Operating): void {
  addFilter(runs.command("list").description("list runs, the newest first"))
    .option("--limit <count>", "at most so many", wholeNumber(1, 1_000_000), 50)
    .action(async (flags: ListFlags) => {
      const { listRuns } = await import("./commands/runs/list.ts");
      done(await listRuns(await clientOf(flags), flags, output));
    });
  runs
    .command("show")
    .description("show a run: its input, its steps, its result")
    .argument("<id>", "of the run")
    .option("--no-steps", "without its steps")
    .action(async (id: string, flags: ShowFlags) => {
      const { showRun } = await import("./commands/runs/show.ts");
      done(await showRun(await clientOf(flags), id, flags, output));
    });
  runs
    .command("watch")
    .description("follow a run until it has ended; exit code 1 if it does not succeed")
    .argument("<id>", "of the run")
    .action(async (id: string, flags: { json?: true }) => {
      const { watchRun } = await import("./commands/runs/watch.ts");
      done(await watchRun(await clientOf(flags), id, flags, output));
    });
  addFilter(runs.command("export").description("write runs as JSON, one a line, for cairn replay and for keeping"))
    .argument("[ids...]", "of runs; or choose them by flags")
    .option("--all", "all runs of the namespace")
    .option("--limit <count>", "at most so many", wholeNumber(1, 100_000_000))
    .option("--out <file>", "instead of the output; compressed if it ends in .gz")
    .action(async (ids: string[], flags: ExportFlags) => {
      const { exportRuns } = await import("./commands/runs/export.ts");
      done(await exportRuns(await clientOf(flags), ids, flags, output));
    });
}

const ORDERS: readonly (readonly [order: Order, description: string])[] = [
  ["cancel", "cancel runs: what they have done is undone by their compensations"],
  ["pause", "let runs take nothing further; calls that are under way end"],
  ["resume", "let paused runs go on"],
  ["retry", "let failed runs begin again, with the same input"],
  ["delete", "delete runs: they are never executed again, and are listed no more"],
];

function addOrders(runs: Command, { output, done }: Operating): void {
  for (const [order, description] of ORDERS) {
    const command = runs.command(order).description(description).argument("<ids...>", "of runs");
    if (order === "cancel" || order === "delete") {
      command.option("--reason <text>", "for people").option("--yes", "do not ask");
    }
    command.action(async (ids: string[], flags: OrderFlags & { reason?: string }) => {
      const { orderRuns } = await import("./commands/runs/orders.ts");
      done(await orderRuns(await clientOf(flags), order, ids, flags, output));
    });
  }
  runs
    .command("signal")
    .description("send a signal to a run")
    .argument("<id>", "of the run")
    .argument("<name>", "of the signal")
    .option("--value <json>", "what it says")
    .action(async (id: string, name: string, flags: OrderFlags & { value?: string }) => {
      const { signalRun } = await import("./commands/runs/orders.ts");
      done(await signalRun(await clientOf(flags), id, name, flags, output));
    });
}

function addTurns(runs: Command, { output, done }: Operating): void {
  runs
    .command("rollback")
    .description("take a run back to its state after an input")
    .argument("<id>", "of the run")
    .requiredOption("--to <number>", "of the input, as runs show has it", wholeNumber(1, NUMBER_MAX))
    .option("--compensate", "undo first what was to be compensated since")
    .option("--keep-chance", "random numbers take the same course as before")
    .option("--despite-compensations", "although something was undone that the state takes for done")
    .option("--yes", "do not ask")
    .action(async (id: string, flags: RollBackFlags) => {
      const { rollBackRun } = await import("./commands/runs/orders.ts");
      done(await rollBackRun(await clientOf(flags), id, flags, output));
    });
  runs
    .command("fork")
    .description("start a new run with the state of one after an input, and print its id")
    .argument("<id>", "of the run")
    .requiredOption("--from <number>", "of the input, as runs show has it", wholeNumber(1, NUMBER_MAX))
    .option("--effects <which>", "allowed, forbidden, or names of actions with commas between (forbidden)")
    .option("--compensations", "what the original was to undo is undone by the fork too")
    .option("--keep-chance", "random numbers take the same course as before")
    .action(async (id: string, flags: ForkFlags) => {
      const { forkRun } = await import("./commands/runs/orders.ts");
      done(await forkRun(await clientOf(flags), id, flags, output));
    });
}
