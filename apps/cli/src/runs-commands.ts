import type { Command } from "commander";
import type { BulkFlags } from "./commands/runs/bulk.ts";
import type { TokenFlags } from "./commands/audit.ts";
import type { ExportFlags } from "./commands/runs/export.ts";
import type { ListFlags } from "./commands/runs/list.ts";
import type { ForkFlags, Order, OrderFlags, RollBackFlags } from "./commands/runs/orders.ts";
import type { ShowFlags } from "./commands/runs/show.ts";
import type { StateFlags } from "./commands/runs/state.ts";
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
    .option("--type <type>", "of this type, or such a beginning (billing.*); several times for several", several)
    .option("--status <list>", "pending, leased, succeeded, failed, cancelled; several with commas between")
    .option("--phase <list>", "ready, running, sleeping, waiting, paused, cancelling, compensating")
    .option("--tag <tag>", "with this tag; several times for all of them", several)
    .option("--since <time>", "started at this time or later: 2h, 7d, 2026-11-15T21:30:00Z")
    .option("--until <time>", "started before this time")
    .option("--parent <id>", "runs that this one waits for")
    .option("--schedule <name>", "started by this schedule")
    .option("--contains <json>", "whose input contains this")
    .option("--search <text>", "with this text in input, result or error")
    .option("--deleted", "those that were deleted, and no others");
}

function several(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

function addLooking(runs: Command, { output, done }: Operating): void {
  addFilter(runs.command("list").description("list runs, the newest first"))
    .option("--limit <count>", "at most so many", wholeNumber(1, 1_000_000), 50)
    .option("--oldest", "the oldest first")
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
    .command("state")
    .description("show what a run knew after an input: functions that wait, where, and their variables")
    .argument("<id>", "of the run")
    .option("--at <number>", "of the input, as runs show has it; else the newest", wholeNumber(0, NUMBER_MAX))
    .action(async (id: string, flags: StateFlags) => {
      const { showState } = await import("./commands/runs/state.ts");
      done(await showState(await clientOf(flags), id, flags, output));
    });
  runs
    .command("timeline")
    .description("show what happened to a run, what it took, what was tried, and who did what")
    .argument("<id>", "of the run")
    .action(async (id: string, flags: { json?: true }) => {
      const { showTimeline } = await import("./commands/audit.ts");
      done(await showTimeline(await clientOf(flags), id, flags, output));
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
  ["delete", "delete runs: they are executed no more, and listed no more, until they are restored"],
  ["restore", "take back that runs were deleted: those that lived go on"],
];

function addOrders(runs: Command, { output, done }: Operating): void {
  for (const [order, description] of ORDERS) {
    const command = addFilter(runs.command(order).description(description))
      .argument("[ids...]", "of runs; or choose them by flags")
      .option("--dry-run", "of those chosen by flags, show how many there are, and do nothing")
      .option("--yes", "do not ask");
    if (order === "cancel" || order === "delete") command.option("--reason <text>", "for people");
    command.action(async (ids: string[], flags: BulkFlags) => {
      if (await areChosenByFlags(ids, flags)) {
        const { orderMany } = await import("./commands/runs/bulk.ts");
        return done(await orderMany(await clientOf(flags), order, flags, output));
      }
      const { orderRuns } = await import("./commands/runs/orders.ts");
      done(await orderRuns(await clientOf(flags), order, ids, flags, output));
    });
  }
  addFilter(runs.command("signal-all").description("send a signal to all runs that the flags choose"))
    .argument("<name>", "of the signal")
    .option("--value <json>", "what it says")
    .option("--dry-run", "show how many there are, and do nothing")
    .option("--yes", "do not ask")
    .action(async (name: string, flags: BulkFlags) => {
      const { orderMany } = await import("./commands/runs/bulk.ts");
      await areChosenByFlags([], flags);
      done(await orderMany(await clientOf(flags), "signal", flags, output, name));
    });
  runs
    .command("token")
    .description("make an address with which someone sends a signal to a run, once")
    .argument("<id>", "of the run")
    .argument("<signal>", "its name")
    .option("--value <json>", "what is sent; without it, whoever has the address says it")
    .option("--expires <length>", "how long it is valid", "7d")
    .action(async (id: string, signal: string, flags: TokenFlags) => {
      const { makeToken } = await import("./commands/audit.ts");
      done(await makeToken(await clientOf(flags), id, signal, flags, output));
    });
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

/** Throws `UsageMistake` if nothing says which runs are meant, or both do. */
async function areChosenByFlags(ids: readonly string[], flags: BulkFlags): Promise<boolean> {
  const [{ isFiltered }, { UsageMistake }] = await Promise.all([
    import("./commands/runs/run-filter.ts"),
    import("./usage-mistake.ts"),
  ]);
  const byFlags = isFiltered(flags);
  if (ids.length === 0 && !byFlags) throw new UsageMistake("give ids of runs, or choose them by --type and others");
  if (ids.length > 0 && (byFlags || flags.dryRun === true))
    throw new UsageMistake("give ids of runs, or choose them by flags, but not both");
  return byFlags;
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
