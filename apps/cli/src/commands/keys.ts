import { type Scope, SCOPES } from "@cairnjs/schemas";
import type { CreatedKey, KeySummary, RotatedSigningKey } from "@cairnjs/schemas/rest";
import { CannotRun } from "../cannot-run.ts";
import { lengthGiven } from "@cairnjs/schemas/length-of-time";
import { confirm } from "../output/confirm.ts";
import { counted } from "../output/counted.ts";
import type { Output } from "../output/output.ts";
import { tableLines } from "../output/table.ts";
import { relativeTime, timeGiven } from "../output/times.ts";
import { collected, type RestClient } from "../rest/rest-client.ts";
import { UsageMistake } from "../usage-mistake.ts";

interface Flags {
  readonly json?: true;
}

export interface CreateKeyFlags extends Flags {
  readonly scopes?: string;
  readonly expires?: string;
  readonly direct?: true;
}

/** `cairn keys list`: those that can be used; with `--all`, the others too. */
export async function listKeys(
  client: RestClient,
  flags: Flags & { readonly all?: true },
  output: Output,
): Promise<number> {
  const now = Date.now();
  const every = await collected(client.list<KeySummary>("/keys"));
  const keys = flags.all === true ? every : every.filter((key) => stateOf(key, now) === "");
  if (flags.json === true) output.line(JSON.stringify({ keys }));
  else if (keys.length === 0) output.note("there are no keys");
  else for (const line of keyLines(output, keys, now)) output.line(line);
  return 0;
}

const TITLES = ["KEY", "NAME", "NAMESPACE", "SCOPES", "CREATED", "EXPIRES", "USED", ""];

function keyLines(output: Output, keys: readonly KeySummary[], now: number): string[] {
  const rows = keys.map((key) => [
    { text: key.prefix, style: "bold" as const },
    key.name,
    key.namespace ?? "*",
    key.scopes.join(","),
    relativeTime(key.createdAt, now),
    relativeTime(key.expiresAt, now),
    key.lastUsedAt === null ? "never" : relativeTime(key.lastUsedAt, now),
    stateOf(key, now),
  ]);
  return tableLines(output, TITLES, rows);
}

function stateOf({ revokedAt, expiresAt }: KeySummary, now: number): string {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && Date.parse(expiresAt) <= now ? "expired" : "";
}

/** `cairn keys create NAME`: over REST. */
export async function createKey(
  client: RestClient,
  name: string,
  flags: CreateKeyFlags,
  output: Output,
): Promise<number> {
  if (flags.scopes === undefined) throw new UsageMistake(`--scopes says what it may do: ${SCOPES.join(", ")}`);
  const expiresAt = expiryOf(flags.expires);
  const body = { name, scopes: scopesOf(flags.scopes), ...(expiresAt === null ? {} : { expiresAt }) };
  tellCreated(await client.post<CreatedKey>("/keys", body), flags, output);
  return 0;
}

export function tellCreated(created: CreatedKey, flags: Flags, output: Output): void {
  if (flags.json === true) return output.line(JSON.stringify(created));
  const { key, name, scopes, namespace } = created;
  output.line(key);
  const where = namespace === null ? "all namespaces" : `the namespace ${namespace}`;
  output.note(`the key ${name} has ${scopes.join(" and ")} in ${where}; it is shown this once: give it as CAIRN_KEY`);
}

export function scopesOf(text: string): Scope[] {
  return text.split(",").map((each) => {
    const scope = SCOPES.find((known) => known === each.trim());
    if (scope === undefined)
      throw new UsageMistake(`--scopes are of ${SCOPES.join(", ")}, not ${JSON.stringify(each)}`);
    return scope;
  });
}

/** Years have four digits. */
const LAST_TIME = Date.UTC(10_000, 0, 1);

export function expiryOf(text: string | undefined): string | null {
  if (text === undefined) return null;
  const span = lengthGiven(text);
  const time = span === null ? timeGiven(text, Date.now()) : timeIn(span);
  if (time === null || Date.parse(time) <= Date.now()) {
    throw new UsageMistake(`--expires is a length such as 90d, or a time to come such as 2027-01-31, not ${text}`);
  }
  return time;
}

/** Null: there is no such time. */
function timeIn(ms: number): string | null {
  const time = new Date(Date.now() + ms);
  return time.getTime() < LAST_TIME ? time.toISOString() : null;
}

/** `cairn keys revoke KEY`: by its prefix or its id. */
export async function revokeKey(
  client: RestClient,
  wanted: string,
  flags: Flags & { readonly yes?: true },
  output: Output,
): Promise<number> {
  const keys = await collected(client.list<KeySummary>("/keys"));
  const given = wanted.replace(/^cairn_([a-z0-9]{8})_?.*$/, "$1");
  const [key, ...others] = keys.filter(({ id, prefix }) => id === given || prefix === given);
  if (key === undefined) throw new CannotRun(`there is no key ${given}`);
  if (others.length > 0) throw new CannotRun(`several keys begin with ${given}: give the id of one`);
  await confirm(`revoke the key ${key.name} (${key.prefix})? Whoever has it is sent away`, flags.yes === true);
  const revoked = await client.delete<KeySummary>(`/keys/${key.id}`);
  output.line(flags.json === true ? JSON.stringify(revoked) : `revoked ${revoked.name} (${revoked.prefix})`);
  return 0;
}

/** `cairn keys rotate-signing`: the key that wait tokens of all namespaces are signed with. */
export async function rotateSigningKey(
  client: RestClient,
  flags: Flags & { readonly revoke?: true; readonly yes?: true },
  output: Output,
): Promise<number> {
  const revoke = flags.revoke === true;
  if (revoke) await confirm("end all wait tokens that were made until now?", flags.yes === true);
  const rotated = await client.post<RotatedSigningKey>("/signing-key/rotate", { revoke });
  const { id, earlier } = rotated;
  if (flags.json === true) output.line(JSON.stringify(rotated));
  else {
    output.line(`wait tokens are signed with the key ${id} from now on`);
    output.line(
      revoke ? "those from before are over" : `kept until their tokens expire: ${counted(earlier, "earlier key")}`,
    );
  }
  return 0;
}
