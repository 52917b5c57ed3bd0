import { statSync } from "node:fs";
import type { Warn } from "../warn.ts";

const NAMES = ["CAIRN_MASTER_KEY_FILE", "CAIRN_MASTER_KEY_OLD_FILE"];
const BY_OTHERS = 0o006;

/** Warns of master keys that every user of the machine could read or replace. */
export function warnOfKeyFiles(env: Readonly<Record<string, string | undefined>>, warn: Warn): void {
  // There, modes say nothing.
  if (process.platform === "win32") return;
  for (const name of NAMES) {
    const file = env[name]?.trim() ?? "";
    const mode = file === "" ? 0 : (statSync(file, { throwIfNoEntry: false })?.mode ?? 0);
    if ((mode & BY_OTHERS) === 0) continue;
    const shown = (mode & 0o777).toString(8);
    warn("Others can read a master key", new Error(`${file} (${name}) has the mode ${shown}: chmod 600 ${file}`));
  }
}
