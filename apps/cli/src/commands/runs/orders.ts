import type { AcceptedForRun, ForkedRun } from "@cairnjs/schemas/rest";
import { confirm } from "../../output/confirm.ts";
import type { Output } from "../../output/output.ts";
import { Progress } from "../../output/progress.ts";
import { Refusal, type RestClient } from "../../rest/rest-client.ts";
import { jsonOf } from "../flag-values.ts";

export interface OrderFlags {
  readonly json?: true;
  readonly yes?: true;
}

export type Order = "cancel" | "pause" | "resume" | "retry" | "delete" | "restore";

/** Those that cannot be taken back. */
const DESTRUCTIVE: ReadonlySet<Order> = new Set<Order>(["cancel", "delete"]);

/** `cairn runs cancel|pause|resume|retry|delete|restore ID…`: 1 if one of them refuses it. */
export async function orderRuns(
  client: RestClient,
  order: Order,
  ids: readonly string[],
  flags: OrderFlags & { readonly reason?: string },
  output: Output,
): Promise<number> {
  if (DESTRUCTIVE.has(order))
    await confirm(`${order} ${ids.length === 1 ? ids[0]! : `${ids.length} runs`}?`, flags.yes === true);
  const done: Done = { runs: [], refused: [] };
  const progress = new Progress(output, order);
  try {
    for (const [index, id] of ids.entries()) {
      await orderOne(client, order, id, flags.reason, done);
      if (ids.length > 1) progress.show(index + 1, ids.length);
    }
  } catch (error) {
    // What was done before nobody answered any more is done.
    if (done.runs.length + done.refused.length > 0) tellDone(done, order, flags, output);
    throw error;
  } finally {
    progress.end();
  }
  tellDone(done, order, flags, output);
  return done.refused.length === 0 ? 0 : 1;
}

interface Done {
  readonly runs: AcceptedForRun[];
  readonly refused: { readonly id: string; readonly code: string; readonly message: string }[];
}

async function orderOne(
  client: RestClient,
  order: Order,
  id: string,
  reason: string | undefined,
  done: Done,
): Promise<void> {
  try {
    done.runs.push(await ask(client, order, id, reason));
  } catch (error) {
    // The others have nothing to do with it.
    if (!(error instanceof Refusal) || error.code === "Unauthenticated") throw error;
    done.refused.push({ id, code: error.code, message: error.message });
  }
}

function tellDone({ runs, refused }: Done, order: Order, flags: OrderFlags, output: Output): void {
  if (flags.json === true) output.line(JSON.stringify({ runs, refused }));
  else for (const run of runs) output.line(acceptedText(run, order));
  for (const { message } of refused) output.problem(message);
}

function ask(client: RestClient, order: Order, id: string, reason: string | undefined): Promise<AcceptedForRun> {
  const path = `/runs/${encodeURIComponent(id)}`;
  if (order === "delete") return client.delete(path, { reason });
  // The key is the command's own: a retry is asked for once, however often the request is repeated.
  const key = order === "retry" ? { "idempotency-key": crypto.randomUUID() } : {};
  return client.post(`${path}/${order}`, reason === undefined ? {} : { reason }, key);
}

/** What was asked for happens in a moment: until then the run is as it was. */
function acceptedText({ id, status, phase }: AcceptedForRun, order: string): string {
  return `${id}  ${order} asked for; now ${phase ?? status}`;
}

/** `cairn runs signal ID NAME`. */
export async function signalRun(
  client: RestClient,
  id: string,
  name: string,
  flags: OrderFlags & { readonly value?: string },
  output: Output,
): Promise<number> {
  const value = flags.value === undefined ? {} : { value: jsonOf("--value", flags.value) };
  // The key is the command's own: it is sent once, however often the request is repeated.
  const body = { name, ...value, key: crypto.randomUUID() };
  return told(await client.post(`/runs/${encodeURIComponent(id)}/signal`, body), "signal", flags, output);
}

export interface RollBackFlags extends OrderFlags {
  readonly to: number;
  readonly compensate?: true;
  readonly keepChance?: true;
  readonly despiteCompensations?: true;
}

/** `cairn runs rollback ID --to NUMBER`. */
export async function rollBackRun(
  client: RestClient,
  id: string,
  flags: RollBackFlags,
  output: Output,
): Promise<number> {
  const { to, compensate, keepChance, despiteCompensations } = flags;
  await confirm(`roll ${id} back to input ${to}?`, flags.yes === true);
  const body = { to, compensate, keepChance, despiteCompensations };
  return told(await client.post(`/runs/${encodeURIComponent(id)}/rollback`, body), "rollback", flags, output);
}

export interface ForkFlags {
  readonly from: number;
  readonly effects?: string;
  readonly compensations?: true;
  readonly keepChance?: true;
  readonly json?: true;
}

/** `cairn runs fork ID --from NUMBER`: prints the id of the new run. */
export async function forkRun(client: RestClient, id: string, flags: ForkFlags, output: Output): Promise<number> {
  const { from, effects, compensations, keepChance } = flags;
  const allowed =
    effects === undefined || effects === "allowed" || effects === "forbidden" ? effects : { allow: effects.split(",") };
  const body = { from, effects: allowed, compensations, keepChance };
  const fork = await client.post<ForkedRun>(`/runs/${encodeURIComponent(id)}/fork`, body);
  output.line(flags.json === true ? JSON.stringify(fork) : fork.id);
  return 0;
}

function told(run: AcceptedForRun, order: string, { json: isJson }: OrderFlags, output: Output): number {
  output.line(isJson === true ? JSON.stringify(run) : acceptedText(run, order));
  return 0;
}
