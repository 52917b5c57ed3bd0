import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { CannotRun } from "../cannot-run.ts";
import {
  CONFIG_SETTING,
  type ConfigValue,
  type Environment,
  keyOf,
  refuseUnknown,
  type Setting,
  SETTING_NAMES,
  withFlags,
} from "./known-settings.ts";
import { nearest } from "./nearest.ts";

const NAMES = ["ts", "mts", "js", "mjs", "json"].map((extension) => `cairn.config.${extension}`);

/** All settings of a command, as variables: flags count more than the environment, and that more than the file. */
export async function readEnvironment(
  environment: Environment,
  settings: readonly Setting[],
  flags: object,
  folder: string = process.cwd(),
): Promise<Environment> {
  const said = withFlags(environment, [...settings, CONFIG_SETTING], { ...flags });
  refuseUnknown(said);
  const file = configFile(said, folder);
  if (file === null) return said;
  const env: Record<string, string | undefined> = { ...said };
  for (const [name, value] of Object.entries(variablesOf(file, await contentOf(file)))) {
    // An empty variable says nothing, as everywhere.
    if ((env[name] ?? "").trim() === "") env[name] = value;
  }
  return env;
}

/** Where the file is; null: there is none. */
function configFile({ CAIRN_CONFIG: said = "" }: Environment, folder: string): string | null {
  if (said.trim() === "") return NAMES.map((name) => join(folder, name)).find((path) => existsSync(path)) ?? null;
  const path = resolve(folder, said.trim());
  if (!existsSync(path)) throw new CannotRun(`CAIRN_CONFIG is the path of a file, and there is no ${said.trim()}`);
  return path;
}

async function contentOf(file: string): Promise<unknown> {
  try {
    if (file.endsWith(".json")) return JSON.parse(readFileSync(file, "utf8")) as unknown;
    // As modules of workers are.
    if (/\.m?ts$/.test(file)) await import("cairnjs/register");
    const { default: content } = (await import(pathToFileURL(file).href)) as { readonly default?: unknown };
    return content;
  } catch (error) {
    throw new CannotRun(`${file} cannot be loaded: ${String(error).split("\n", 1)[0] ?? ""}`, { cause: error });
  }
}

/** What the file says, by the variables that say the same. */
function variablesOf(file: string, content: unknown): Record<string, string> {
  if (typeof content !== "object" || content === null || Array.isArray(content)) {
    throw new CannotRun(`${file} exports an object of settings by default, such as { apiPort: 9000 }`);
  }
  const names = new Map(Array.from(SETTING_NAMES, (name) => [keyOf(name), name]));
  return Object.fromEntries(
    Object.entries(content).map(([key, value]) => {
      const name = names.get(key);
      if (name === undefined) throw unknownKey(file, key, names.keys());
      return [name, textOf(file, key, value)];
    }),
  );
}

function unknownKey(file: string, key: string, known: Iterable<string>): CannotRun {
  const meant = nearest(key, known);
  return new CannotRun(`${file} has no setting ${key}${meant === null ? "" : `: did you mean ${meant}?`}`);
}

function textOf(file: string, key: string, value: unknown): string {
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value.join(",");
  if (typeof value === "boolean") return value ? "1" : "0";
  if (typeof value === "string" || (typeof value === "number" && Number.isFinite(value))) return String(value);
  const kinds: readonly ConfigValue[] = ["a text", "a number", "true or false", "a list of texts"];
  throw new CannotRun(`${file}: ${key} is ${kinds.join(", ")}, not ${JSON.stringify(value) ?? String(value)}`);
}
