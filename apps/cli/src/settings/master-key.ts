import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CannotRun } from "../cannot-run.ts";
import type { Environment } from "./known-settings.ts";

const NAME = "master-key";
const NAMES = ["CAIRN_MASTER_KEY", "CAIRN_MASTER_KEY_FILE"];

/** While code is written, nobody should have to make a key: the first start makes one, which is its user's alone. */
export function withMasterKey(env: Environment): Environment {
  if (NAMES.some((name) => (env[name] ?? "").trim() !== "")) return env;
  const folder = env["CAIRN_FOLDER"]?.trim() || ".cairn";
  const file = join(folder, NAME);
  try {
    mkdirSync(folder, { recursive: true });
    ignoreInGit(folder);
    writeFileSync(file, `${randomBytes(32).toString("base64")}\n`, { mode: 0o600, flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") {
      throw new CannotRun(`A master key for secrets cannot be written to ${file}: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }
  return { ...env, CAIRN_MASTER_KEY_FILE: file };
}

/** Whoever commits everything that is there does not commit this. One that is there stays as it is. */
function ignoreInGit(folder: string): void {
  try {
    writeFileSync(join(folder, ".gitignore"), "*\n", { flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** Workers have no keys: they are given secrets one call at a time. */
export function withoutMasterKeys(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("CAIRN_MASTER_KEY")));
}

/** What a setting says itself, or in a file. Null: nothing. */
export function readMasterKey(env: Environment, name: string): string | null {
  const said = env[name]?.trim() ?? "";
  const file = env[`${name}_FILE`]?.trim() ?? "";
  if (said !== "" && file !== "")
    throw new CannotRun(`${name} and ${name}_FILE say the same thing twice: give one of them`);
  if (file === "") return said === "" ? null : said;
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new CannotRun(`${name}_FILE is the path of a file: ${(error as Error).message}`, { cause: error });
  }
}
