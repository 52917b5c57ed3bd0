import { type Command, Option } from "commander";
import { AUDIT_WINDOWS } from "@cairnjs/schemas/rest";
import type { AuditFlags } from "./commands/audit.ts";
import { clientOf, type Operating, wholeNumber } from "./operating.ts";
import { OPERATOR_SETTINGS } from "./settings/known-settings.ts";
import { addSettings } from "./settings/setting-flags.ts";

/** `cairn audit …`. */
export function addAudit(program: Command, { output, done }: Operating): void {
  const audit = program.command("audit").description("look at who did what");
  audit
    .command("list")
    .description("list what was done, the newest first")
    .option("--who <name>", "by this key or token")
    .option("--action <action>", "such as run.cancel, or a beginning: 'run.*'")
    .option("--run <id>", "to this run")
    .option("--since <time>", "at this time or later: 2h, 7d, 2026-11-15T21:30:00Z")
    .option("--until <time>", "before this time")
    .option("--limit <count>", "at most so many", wholeNumber(1, 1_000_000), 50)
    .action(async (flags: AuditFlags) => {
      const { listAudit } = await import("./commands/audit.ts");
      done(await listAudit(await clientOf(flags), flags, output));
    });
  audit
    .command("summary")
    .description("count what was done lately, by action and by caller")
    .addOption(new Option("--window <length>", "of time, up to now").choices(AUDIT_WINDOWS).default("24h"))
    .action(async (flags: { json?: true; window: string }) => {
      const { summarizeAudit } = await import("./commands/audit.ts");
      done(await summarizeAudit(await clientOf(flags), flags, output));
    });
  for (const command of audit.commands) addSettings(command.option("--json", "one line of JSON"), OPERATOR_SETTINGS);
}
