import type { Command } from "commander";
import type { CreateKeyFlags } from "./commands/keys.ts";
import { clientOf, type Operating } from "./operating.ts";
import { readEnvironment } from "./settings/config-file.ts";
import { DIRECT_SETTINGS, OPERATOR_SETTINGS } from "./settings/known-settings.ts";
import { addSettings } from "./settings/setting-flags.ts";

type Json = { readonly json?: true };

/** `cairn keys …`. */
export function addKeys(program: Command, { output, done }: Operating): void {
  const keys = program.command("keys").description("look at who may ask a control plane, and change it");
  const list = keys
    .command("list")
    .description("list the keys that can be used")
    .option("--all", "those that are revoked or expired too")
    .action(async (flags: Json & { all?: true }) => {
      const { listKeys } = await import("./commands/keys.ts");
      done(await listKeys(await clientOf(flags), flags, output));
    });
  const create = keys
    .command("create")
    .description("make a key, which is shown this once; with --namespace, for this one alone")
    .argument("[name]", "whose it is, or what for", "admin")
    .option("--scopes <list>", "what it may do: read, operate, admin, worker, separated by commas")
    .option("--expires <when>", "after a length of time such as 90d, or at a time")
    .option("--direct", "in the database itself, for the first one; without --scopes, it may do everything")
    .action(async (name: string, flags: CreateKeyFlags) => {
      if (flags.direct === true) {
        const env = await readEnvironment(process.env, [...DIRECT_SETTINGS, ...OPERATOR_SETTINGS], flags);
        const { createFirstKey } = await import("./commands/create-first-key.ts");
        return done(await createFirstKey(name, flags, env, output));
      }
      const { createKey } = await import("./commands/keys.ts");
      done(await createKey(await clientOf(flags), name, flags, output));
    });
  const revoke = keys
    .command("revoke")
    .description("take a key back: whoever has it is sent away")
    .argument("<key>", "what it begins with, or its id")
    .option("--yes", "do not ask")
    .action(async (key: string, flags: Json & { yes?: true }) => {
      const { revokeKey } = await import("./commands/keys.ts");
      done(await revokeKey(await clientOf(flags), key, flags, output));
    });
  const rotate = keys
    .command("rotate-signing")
    .description("sign wait tokens with a new key; those from before are valid until they expire")
    .option("--revoke", "no: they end at once")
    .option("--yes", "do not ask")
    .action(async (flags: Json & { revoke?: true; yes?: true }) => {
      const { rotateSigningKey } = await import("./commands/keys.ts");
      done(await rotateSigningKey(await clientOf(flags), flags, output));
    });
  for (const command of [list, create, revoke, rotate]) {
    const more = command === create ? DIRECT_SETTINGS : [];
    addSettings(command.option("--json", "one line of JSON"), [...OPERATOR_SETTINGS, ...more]);
  }
}
