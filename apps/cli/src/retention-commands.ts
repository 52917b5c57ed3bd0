import type { Command } from "commander";
import { clientOf, type Operating } from "./operating.ts";
import { OPERATOR_SETTINGS } from "./settings/known-settings.ts";
import { addSettings } from "./settings/setting-flags.ts";

type Json = { readonly json?: true };
type Changing = Json & { readonly yes?: true };

const WHAT =
  "events (of runs), outbox (published events), runs, deleted (runs that were deleted), or audit (who did what)";
const TYPE = "a type (of audit: an action), a beginning such as 'billing.*', or '*'";

/** `cairn retention …`. */
export function addRetention(program: Command, { output, done }: Operating): void {
  const retention = program.command("retention").description("look at how long things are kept, and change it");
  retention
    .command("list")
    .description("list rules, and what holds where there are none")
    .action(async (flags: Json) => {
      const { listRetention } = await import("./commands/retention.ts");
      done(await listRetention(await clientOf(flags), flags, output));
    });
  retention
    .command("set")
    .description("keep something of these types for so long")
    .argument("<what>", WHAT)
    .argument("<type>", TYPE)
    .argument("<keep>", "such as 12h, 30d or 4w, or forever")
    .option("--yes", "do not ask")
    .action(async (what: string, type: string, keep: string, flags: Changing) => {
      const { setRetention } = await import("./commands/retention.ts");
      done(await setRetention(await clientOf(flags), { what, type, keep }, flags, output));
    });
  retention
    .command("remove")
    .description("take a rule back: it is kept as long as is usual")
    .argument("<what>", WHAT)
    .argument("<type>", "as the rule says it")
    .option("--yes", "do not ask")
    .action(async (what: string, type: string, flags: Changing) => {
      const { removeRetention } = await import("./commands/retention.ts");
      done(await removeRetention(await clientOf(flags), what, type, flags, output));
    });
  retention
    .command("preview")
    .description("count what would be removed now")
    .action(async (flags: Json) => {
      const { previewRetention } = await import("./commands/retention.ts");
      done(await previewRetention(await clientOf(flags), flags, output));
    });
  for (const command of retention.commands) {
    addSettings(command.option("--json", "one line of JSON"), OPERATOR_SETTINGS);
  }
}
