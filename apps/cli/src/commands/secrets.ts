import type { RewrappedSecrets, RotatedSecrets, SecretPath, SecretSummary } from "@cairnjs/schemas/rest";
import { CannotRun } from "../cannot-run.ts";
import { confirm } from "../output/confirm.ts";
import { counted } from "../output/counted.ts";
import type { Output } from "../output/output.ts";
import { tableLines } from "../output/table.ts";
import { relativeTime } from "../output/times.ts";
import { collected, type RestClient } from "../rest/rest-client.ts";

interface Flags {
  readonly json?: true;
}

interface Changing extends Flags {
  readonly yes?: true;
}

function pathOf(name: string): string {
  return `/secrets/${encodeURIComponent(name)}`;
}

/** `cairn secrets set NAME`. `read`: where the value comes from. */
export async function setSecret(
  client: RestClient,
  name: string,
  read: () => Promise<string>,
  flags: Flags,
  output: Output,
): Promise<number> {
  const value = await read();
  if (value === "") throw new CannotRun("the secret is empty: give it on the standard input, or type it");
  const set = await client.put<SecretSummary>(pathOf(name), { value });
  output.line(flags.json === true ? JSON.stringify(set) : `${set.name}: version ${set.version}`);
  return 0;
}

/** `cairn secrets list`: all but what they are. */
export async function listSecrets(client: RestClient, flags: Flags, output: Output): Promise<number> {
  const secrets = await collected(client.list<SecretSummary>("/secrets"));
  if (flags.json === true) {
    output.line(JSON.stringify({ secrets }));
    return 0;
  }
  if (secrets.length === 0) {
    output.note("there are no secrets");
    return 0;
  }
  const now = Date.now();
  const rows = secrets.map(({ name, version, changedAt, changedBy }) => [
    { text: name, style: "bold" as const },
    String(version),
    relativeTime(changedAt, now),
    changedBy,
  ]);
  for (const line of tableLines(output, ["NAME", "VERSION", "SET", "BY"], rows)) output.line(line);
  return 0;
}

/** `cairn secrets remove NAME`: calls that need it fail from then on. */
export async function removeSecret(client: RestClient, name: string, flags: Changing, output: Output): Promise<number> {
  await confirm(`remove the secret ${name}? Calls that need it fail from then on.`, flags.yes === true);
  const removed = await client.delete<SecretPath>(pathOf(name));
  output.line(flags.json === true ? JSON.stringify(removed) : `${removed.name}: removed`);
  return 0;
}

/** `cairn secrets rotate`: a new data key. Exit code 1 if some could not be read. */
export async function rotateSecrets(client: RestClient, flags: Flags, output: Output): Promise<number> {
  const rotated = await client.post<RotatedSecrets>("/secrets/rotate", null);
  const { secrets, unreadable } = rotated;
  if (flags.json === true) output.line(JSON.stringify(rotated));
  else {
    output.line(`${counted(secrets, "secret")} encrypted by a new data key`);
    for (const each of unreadable) output.line(`${each} cannot be read, and is as it was`);
  }
  return unreadable.length === 0 ? 0 : 1;
}

/** `cairn secrets rewrap`: another master key. */
export async function rewrapSecrets(
  client: RestClient,
  flags: Changing & { readonly removeOld?: true },
  output: Output,
): Promise<number> {
  const wrapped = await client.post<RewrappedSecrets>("/secrets/rewrap", {});
  const rewrapped = flags.removeOld === true ? await withoutOld(client, wrapped, flags.yes === true) : wrapped;
  const { masterKey, added, removed, removedMasterKeys, otherMasterKeys } = rewrapped;
  if (flags.json === true) output.line(JSON.stringify(rewrapped));
  else {
    output.line(`${counted(added, "data key")} wrapped by the master key ${masterKey}`);
    if (flags.removeOld === true) output.line(`${counted(removed, "wrap")} by ${said(removedMasterKeys)} removed`);
    if (otherMasterKeys.length > 0) output.line(`still wrapped by ${said(otherMasterKeys)} too`);
  }
  return 0;
}

/** The key that stays is named: of several control planes behind one address, another one may answer, and it may have another key. */
async function withoutOld(client: RestClient, wrapped: RewrappedSecrets, isSure: boolean): Promise<RewrappedSecrets> {
  const { masterKey, added, otherMasterKeys: others } = wrapped;
  if (others.length === 0) return wrapped;
  const question = `keep the master key ${masterKey}, and remove what ${said(others)} wrapped?`;
  await confirm(`${question} Whoever has only ${said(others)} can read no secrets then.`, isSure);
  const removed = await client.post<RewrappedSecrets>("/secrets/rewrap", { removeOld: true, masterKey });
  return { ...removed, added: added + removed.added };
}

function said(ids: readonly string[]): string {
  return ids.length === 0 ? "others" : ids.join(" and ");
}
