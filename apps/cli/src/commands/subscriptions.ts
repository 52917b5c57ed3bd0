import type { SubscriptionPath, SubscriptionSummary, TestedSubscription } from "@cairnjs/schemas/rest";
import { confirm } from "../output/confirm.ts";
import type { Output } from "../output/output.ts";
import { type Cell, tableLines, tellAll } from "../output/table.ts";
import { exactLength, lengthOfTime } from "@cairnjs/schemas/length-of-time";
import { relativeTime } from "../output/times.ts";
import { collected, type RestClient } from "../rest/rest-client.ts";
import { UsageMistake } from "../usage-mistake.ts";
import { jsonOf, lengthOf, listOf } from "./flag-values.ts";

interface Flags {
  readonly json?: true;
}

function pathOf(name: string): string {
  return `/subscriptions/${encodeURIComponent(name)}`;
}

/** `cairn subscriptions list`: by name. */
export async function listSubscriptions(client: RestClient, flags: Flags, output: Output): Promise<number> {
  const subscriptions = await collected(client.list<SubscriptionSummary>("/subscriptions"));
  if (flags.json === true) output.line(JSON.stringify({ subscriptions }));
  else if (subscriptions.length === 0) output.note("there are no subscriptions");
  else for (const line of subscriptionLines(output, subscriptions, Date.now())) output.line(line);
  return 0;
}

const TITLES = ["NAME", "TYPES", "TARGET", "STATUS", "DELIVERED", "LAST", "WAITING", "DEAD", ""];

function subscriptionLines(output: Output, subscriptions: readonly SubscriptionSummary[], now: number): string[] {
  const rows = subscriptions.map((each) => [
    { text: each.name, style: "bold" as const },
    each.types.join(","),
    targetText(each),
    statusOf(each),
    String(each.delivered),
    relativeTime(each.lastDeliveredAt, now),
    String(each.waiting),
    String(each.dead),
    { text: troubleOf(each) ?? "", style: "dim" as const },
  ]);
  return tableLines(output, TITLES, rows);
}

function targetText({ target }: SubscriptionSummary): string {
  if (target.kind === "webhook") return target.url;
  if (target.kind === "nats") return `${target.url} ${target.subject}`;
  return target.kind === "file" ? target.path : `port ${target.port}`;
}

function statusOf({ status, failingSince }: SubscriptionSummary): Cell {
  if (status === "paused") return { text: status, style: "yellow" };
  return failingSince === null ? { text: "active", style: "green" } : { text: "failing", style: "red" };
}

/** What is wrong now: an error of the past is not. */
function troubleOf({ pausedReason, failingSince, lastError }: SubscriptionSummary): string | null {
  return pausedReason ?? (failingSince === null ? null : lastError);
}

/** `cairn subscriptions show NAME`. */
export async function showSubscription(
  client: RestClient,
  name: string,
  flags: Flags,
  output: Output,
): Promise<number> {
  const found = await client.get<SubscriptionSummary>(pathOf(name));
  if (flags.json === true) output.line(JSON.stringify(found));
  else tellSubscription(found, output);
  return 0;
}

function tellSubscription(found: SubscriptionSummary, output: Output): void {
  const now = Date.now();
  const { text, style = "bold" } = statusOf(found);
  const { failingSince, lastError, maxAttempts, timeoutMs, backoffMs, backoffMaxMs } = found;
  const since =
    failingSince === null || found.status === "paused" ? "" : ` for ${lengthOfTime(now - Date.parse(failingSince))}`;
  const reason = found.pausedReason === null ? "" : `  ${found.pausedReason}`;
  const tries = `${maxAttempts}, of ${exactLength(timeoutMs)} each, after ${exactLength(backoffMs)} to ${exactLength(backoffMaxMs)}`;
  const last = relativeTime(found.lastDeliveredAt, now);
  tellAll(output, [
    ["name", output.paint("bold", found.name)],
    ["types", found.types.join(", ")],
    ["target", `${found.target.kind}  ${targetText(found)}`],
    ["status", `${output.paint(style, text)}${since}${reason}`],
    ["attempts", tries],
    ["delivered", `${found.delivered}${last === "" ? "" : `, the last one ${last}`}`],
    ["refused", found.refused === 0 ? "" : String(found.refused)],
    ["waiting", String(found.waiting)],
    ["dead", String(found.dead)],
    ["error", lastError ?? ""],
  ]);
}

export interface SetSubscriptionFlags extends Flags {
  readonly types: string;
  readonly webhook?: string;
  readonly secrets?: string;
  readonly nats?: string;
  readonly subject?: string;
  readonly file?: string;
  readonly target?: string;
  readonly maxAttempts?: number;
  readonly timeout?: string;
  readonly backoff?: string;
  readonly backoffMax?: string;
}

/** `cairn subscriptions set NAME`: makes it, or makes it what is said. */
export async function setSubscription(
  client: RestClient,
  name: string,
  flags: SetSubscriptionFlags,
  output: Output,
): Promise<number> {
  const body = {
    types: listOf(flags.types),
    target: targetOf(flags),
    maxAttempts: flags.maxAttempts,
    timeoutMs: lengthOf("--timeout", flags.timeout),
    backoffMs: lengthOf("--backoff", flags.backoff),
    backoffMaxMs: lengthOf("--backoff-max", flags.backoffMax),
  };
  return told(await client.put<SubscriptionSummary>(pathOf(name), body), flags, output);
}

function targetOf(flags: SetSubscriptionFlags): unknown {
  const { webhook, nats, subject, file, target } = flags;
  const given = [webhook, nats, file, target].filter((each) => each !== undefined);
  if (given.length !== 1) throw new UsageMistake("give one of --webhook, --nats, --file and --target");
  if (flags.secrets !== undefined && webhook === undefined) throw new UsageMistake("--secrets are for --webhook");
  if ((nats === undefined) !== (subject === undefined)) throw new UsageMistake("--nats and --subject belong together");
  if (webhook !== undefined) {
    return { kind: "webhook", url: webhook, secrets: listOf(flags.secrets)?.map(secretOf) };
  }
  if (nats !== undefined) return { kind: "nats", url: nats, subject };
  return file === undefined ? jsonOf("--target", target) : { kind: "file", path: file };
}

/** Where it is: a secret of the namespace, a variable, or a file if it is a path. */
function secretOf(text: string): Readonly<Record<string, string>> {
  if (text.startsWith("secret:")) return { secret: text.slice("secret:".length) };
  return text.includes("/") ? { file: text } : { env: text };
}

/** `cairn subscriptions pause|resume NAME`. */
export async function orderSubscription(
  client: RestClient,
  order: "pause" | "resume",
  name: string,
  flags: Flags & { readonly reason?: string },
  output: Output,
): Promise<number> {
  const { reason } = flags;
  return told(await client.post<SubscriptionSummary>(`${pathOf(name)}/${order}`, { reason }), flags, output);
}

function told(subscription: SubscriptionSummary, flags: Flags, output: Output): number {
  const { name, status, types, waiting } = subscription;
  const text = `${name}: ${status}, for ${types.join(", ")}; ${waiting} waiting`;
  output.line(flags.json === true ? JSON.stringify(subscription) : text);
  return 0;
}

/** `cairn subscriptions test NAME`: 1 if it does not take what it is sent. */
export async function testSubscription(
  client: RestClient,
  name: string,
  flags: Flags,
  output: Output,
): Promise<number> {
  const tested = await client.post<TestedSubscription>(`${pathOf(name)}/test`, {});
  const { taken, error, tookMs } = tested;
  if (flags.json === true) output.line(JSON.stringify(tested));
  else if (taken) output.line(`${name} has taken it, in ${tookMs} ms`);
  else output.problem(`${name} has not taken it: ${error ?? ""}`);
  return taken ? 0 : 1;
}

/** `cairn subscriptions delete NAME`: with what waits for it. */
export async function deleteSubscription(
  client: RestClient,
  name: string,
  flags: Flags & { readonly yes?: true },
  output: Output,
): Promise<number> {
  await confirm(`delete the subscription ${name}, and what waits for it?`, flags.yes === true);
  const gone = await client.delete<SubscriptionPath>(pathOf(name));
  output.line(flags.json === true ? JSON.stringify(gone) : `${gone.name}: deleted`);
  return 0;
}
