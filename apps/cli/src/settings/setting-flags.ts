import type { Command } from "commander";
import { CONFIG_SETTING, type Setting } from "./known-settings.ts";

/** Tells a command its settings: flags, and in its help the variables. */
export function addSettings(command: Command, settings: readonly Setting[]): void {
  const all = [...settings, CONFIG_SETTING];
  for (const setting of all) {
    if (setting.flag !== undefined) command.option(setting.flag, `${helpOf(setting)}; ${setting.name}`);
  }
  const others = all.filter(({ flag }) => flag === undefined);
  if (others.length === 0) return;
  const width = Math.max(...others.map(({ name }) => name.length));
  const lines = others.map((setting) => `  ${setting.name.padEnd(width)}  ${helpOf(setting)}`);
  command.addHelpText("after", `\nVariables of the environment, beside those named above:\n${lines.join("\n")}`);
}

function helpOf({ help, usual }: Setting): string {
  return usual === undefined ? help : `${help} (${usual})`;
}
