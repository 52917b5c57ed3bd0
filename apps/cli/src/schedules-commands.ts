import type { Command } from "commander";
import type { Key, ListSchedulesFlags, SetScheduleFlags } from "./commands/schedules.ts";
import { clientOf, type Operating, wholeNumber } from "./operating.ts";
import { OPERATOR_SETTINGS } from "./settings/known-settings.ts";
import { addSettings } from "./settings/setting-flags.ts";

type Json = { readonly json?: true };

/** `cairn schedules …`. */
export function addSchedules(program: Command, operating: Operating): void {
  const schedules = program.command("schedules").description("look at schedules, and change them");
  addLooking(schedules, operating);
  addSet(schedules, operating);
  addOrders(schedules, operating);
  for (const command of schedules.commands) {
    addSettings(command.option("--json", "one line of JSON"), OPERATOR_SETTINGS);
  }
}

/** A command about one schedule. */
function one(schedules: Command, name: string, description: string): Command {
  return schedules
    .command(name)
    .description(description)
    .argument("<type>", "what it starts")
    .argument("<name>", "of the schedule");
}

function addLooking(schedules: Command, { output, done }: Operating): void {
  schedules
    .command("list")
    .description("list schedules, by type and name")
    .option("--type <type>", "that start this type alone")
    .option("--status <status>", "active or paused")
    .option("--limit <count>", "at most so many", wholeNumber(1, 1_000_000), 1_000)
    .action(async (flags: ListSchedulesFlags) => {
      const { listSchedules } = await import("./commands/schedules.ts");
      done(await listSchedules(await clientOf(flags), flags, output));
    });
  one(schedules, "show", "show a schedule, and its next times")
    .option("--upcoming <count>", "so many of them", wholeNumber(0, 100), 5)
    .action(async (type: string, name: string, flags: Json & { upcoming: number }) => {
      const { showSchedule } = await import("./commands/schedules.ts");
      done(await showSchedule(await clientOf(flags), { type, name }, flags, output));
    });
}

function addSet(schedules: Command, { output, done }: Operating): void {
  one(schedules, "set", "make a schedule, or make it what is said; what is not said is as usual")
    .option(
      "--cron <expression>",
      '"30 9 * * MON-FRI": minute, hour, day, month, weekday; six fields begin with the second',
    )
    .option("--time-zone <zone>", "whose clocks that is about: Europe/Berlin (UTC)")
    .option("--every <length>", "instead of --cron: 90s, 15m, 2h, 7d")
    .option("--anchor <time>", "one of the times of --every")
    .option("--jitter <length>", "runs begin up to so long after they are due")
    .option("--input <json>", "what all its runs get")
    .option("--allow-duplicate", "also while a run of it lives")
    .option("--catch-up <which>", "of what was missed: none, last or all (last)")
    .option("--priority <number>", "of its runs; higher ones first", priority)
    .option("--max-attempts <count>", "of each run", wholeNumber(1, 1_000))
    .option("--tags <list>", "of its runs, with commas between")
    .option("--deadline <length>", "a run that has not ended so long after it began fails")
    .option("--dead-letter-type <type>", "what is started with a run that has failed")
    .option("--keep-paused", "one that is paused stays so")
    .action(async (type: string, name: string, flags: SetScheduleFlags) => {
      const { setSchedule } = await import("./commands/schedules.ts");
      done(await setSchedule(await clientOf(flags), { type, name }, flags, output));
    });
}

const positive = wholeNumber(0, 100);

function priority(text: string): number {
  return text.startsWith("-") ? -positive(text.slice(1)) : positive(text);
}

function addOrders(schedules: Command, { output, done }: Operating): void {
  const orders = [
    ["pause", "nothing is started until it is resumed"],
    ["resume", "let a paused one go on; what was due in the meantime is not started"],
  ] as const;
  for (const [order, description] of orders) {
    const command = one(schedules, order, description);
    if (order === "pause") command.option("--reason <text>", "for people");
    command.action(async (type: string, name: string, flags: Json & { reason?: string }) => {
      const { orderSchedule } = await import("./commands/schedules.ts");
      done(await orderSchedule(await clientOf(flags), order, { type, name }, flags, output));
    });
  }
  one(schedules, "trigger", "start a run now, whatever is due when, and print its id")
    .option("--allow-duplicate", "also while a run of it lives")
    .action(async (type: string, name: string, flags: Json & { allowDuplicate?: true }) => {
      const { triggerSchedule } = await import("./commands/schedules.ts");
      done(await triggerSchedule(await clientOf(flags), { type, name }, flags, output));
    });
  one(schedules, "backfill", "start a run for each due time of the past that has none")
    .requiredOption("--from <time>", "7d, 2026-11-01T00:00:00Z")
    .option("--to <time>", "both are included; without it, now")
    .action(async (type: string, name: string, flags: Json & { from: string; to?: string }) => {
      const { backfillSchedule } = await import("./commands/schedules.ts");
      done(await backfillSchedule(await clientOf(flags), { type, name }, flags, output));
    });
  one(schedules, "delete", "delete a schedule; its runs stay")
    .option("--yes", "do not ask")
    .action(async (type: string, name: string, flags: Json & { yes?: true }) => {
      const key: Key = { type, name };
      const { deleteSchedule } = await import("./commands/schedules.ts");
      done(await deleteSchedule(await clientOf(flags), key, flags, output));
    });
}
