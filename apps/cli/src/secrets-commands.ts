import type { Command } from "commander";
import { clientOf, type Operating } from "./operating.ts";
import { OPERATOR_SETTINGS } from "./settings/known-settings.ts";
import { addSettings } from "./settings/setting-flags.ts";

type Json = { readonly json?: true };
type Changing = Json & { readonly yes?: true };

/** `cairn secrets …`. */
export function addSecrets(program: Command, { output, done }: Operating): void {
  const secrets = program.command("secrets").description("set what actions need and nobody may see; change keys");
  secrets
    .command("set")
    .description("set a secret: it is read from the standard input, or asked for")
    .argument("<name>", "letters, digits, dots, hyphens and underscores")
    .action(async (name: string, flags: Json) => {
      const { setSecret } = await import("./commands/secrets.ts");
      const { hiddenText } = await import("./output/hidden-text.ts");
      const read = (): Promise<string> => hiddenText(`${name}: `, `cairn secrets set ${name}`);
      done(await setSecret(await clientOf(flags), name, read, flags, output));
    });
  secrets
    .command("list")
    .description("list secrets: their names, and who has set them when")
    .action(async (flags: Json) => {
      const { listSecrets } = await import("./commands/secrets.ts");
      done(await listSecrets(await clientOf(flags), flags, output));
    });
  secrets
    .command("remove")
    .description("remove a secret")
    .argument("<name>", "of the secret")
    .option("--yes", "do not ask")
    .action(async (name: string, flags: Changing) => {
      const { removeSecret } = await import("./commands/secrets.ts");
      done(await removeSecret(await clientOf(flags), name, flags, output));
    });
  secrets
    .command("rotate")
    .description("encrypt the secrets of all namespaces by a new data key")
    .action(async (flags: Json) => {
      const { rotateSecrets } = await import("./commands/secrets.ts");
      done(await rotateSecrets(await clientOf(flags), flags, output));
    });
  secrets
    .command("rewrap")
    .description("wrap all data keys by CAIRN_MASTER_KEY of the control plane, beside the one from before")
    .option("--remove-old", "and by no other one any more")
    .option("--yes", "do not ask")
    .action(async (flags: Changing & { readonly removeOld?: true }) => {
      const { rewrapSecrets } = await import("./commands/secrets.ts");
      done(await rewrapSecrets(await clientOf(flags), flags, output));
    });
  for (const command of secrets.commands) {
    addSettings(command.option("--json", "one line of JSON"), OPERATOR_SETTINGS);
  }
}
