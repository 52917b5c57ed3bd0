import { lstat, realpath } from "node:fs/promises";
import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import type { SecretReference, SubscriptionTarget } from "@cairnjs/schemas";
import { EngineError } from "../library/engine-error.ts";

/** What of the process subscriptions may use: whoever makes them over REST is not whoever runs it. */
export interface Allowed {
  /** Variables of the environment with secrets. */
  readonly env: readonly string[];
  /** The folder of files with secrets; null: there is none. */
  readonly secretsFolder: string | null;
  /** The folder of files that events are written to; null: there is none. */
  readonly eventsFolder: string | null;
}

/** Our own settings, and those of Postgres: whoever has them has everything. */
const NEVER = /^(?:CAIRN_|PG)|^DATABASE_URL$/i;

export function isOwnSetting(name: string): boolean {
  return NEVER.test(name);
}

/** Throws an EngineError that says what of the process is not for subscriptions. Null: all of it is, as in library mode. */
export function checkTarget(target: SubscriptionTarget, allowed: Allowed | null): void {
  if (allowed === null) return;
  if (target.kind === "file") fileIn(target.path, allowed.eventsFolder, "CAIRN_EVENTS_FOLDER");
  for (const reference of referencesOf(target)) checkReference(reference, allowed);
}

export function checkReference(reference: SecretReference, allowed: Allowed | null): void {
  if (allowed === null || "secret" in reference) return;
  if ("file" in reference) {
    fileIn(reference.file, allowed.secretsFolder, "CAIRN_SUBSCRIPTION_SECRETS");
    return;
  }
  const { env } = reference;
  if (isOwnSetting(env)) refuse(`The variable ${env} is none that subscriptions may have`);
  if (!allowed.env.includes(env))
    refuse(`Subscriptions may not have the variable ${env}: CAIRN_SUBSCRIPTION_ENV lacks it`);
}

/** The path of a file below a folder; what is no whole path begins there. */
export function fileIn(path: string, folder: string | null, setting: string): string {
  if (folder === null) refuse(`Subscriptions may name no file here: the process was given no ${setting}`);
  const whole = resolve(folder, path);
  const isBelow = isWithin(resolve(folder), whole) && !path.split(/[\\/]/).includes("..");
  if (!isBelow) refuse(`The file ${path} is not below the folder of ${setting}`);
  return whole;
}

/** Rejects where a symbolic link leads out of the folder, whether or not the file is there. */
export async function checkLinks(file: string, folder: string): Promise<void> {
  const root = await realpath(folder).catch(() => resolve(folder));
  let existing = file;
  while (existing !== dirname(existing) && !(await isThere(existing))) existing = dirname(existing);
  // What is above the folder is not there yet either.
  if (isWithin(existing, resolve(folder))) return;
  if (!isWithin(root, await realpath(existing))) throw new Error(`The file ${file} leads out of its folder`);
}

/** As itself: a link that leads nowhere is there. */
function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** All secrets that it names. */
export function referencesOf(target: SubscriptionTarget): readonly SecretReference[] {
  if (target.kind === "webhook") {
    const headers = Object.values(target.headers ?? {}).filter((value) => typeof value !== "string");
    return [...(target.secrets ?? []), ...headers];
  }
  if (target.kind !== "nats") return [];
  return [target.token, target.credentials].filter((each) => each !== undefined);
}

function refuse(message: string): never {
  throw new EngineError("InvalidOption", message);
}
