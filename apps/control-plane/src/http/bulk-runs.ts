import { setTimeout as delay } from "node:timers/promises";
import { encodeNative } from "@cairnjs/ir";
import type { BulkRunsAnswer, BulkRunsBody } from "@cairnjs/schemas/rest";
import type { FastifyRequest } from "fastify";
import type { z } from "zod";
import { storedForm } from "../blobs/stored-values.ts";
import { Refused } from "../hub/refused.ts";
import { isRunId } from "../ids.ts";
import { keyOfParts } from "../library/key-of-parts.ts";
import { checkSignalValue } from "../library/send-signal.ts";
import {
  type BulkOrder,
  findOrder,
  keepOrder,
  type KeptOrder,
  orderRuns,
  type RefusingRun,
} from "../store/bulk-orders.ts";
import { isContention } from "../store/contention.ts";
import { findRunIds } from "../store/list-runs.ts";
import type { RunFilter } from "../store/run-filter.ts";
import { dryRun } from "./bulk-dry-run.ts";
import { BulkRefusals, detailOf } from "./bulk-refusals.ts";
import { idempotencyKey, idUnder } from "./idempotency.ts";
import { textOfJson } from "./json-values.ts";
import { strangeCursor } from "./paging.ts";
import type { RestContext } from "./rest.ts";
import { filterOf } from "./run-filter.ts";
import type { Holder } from "../shares.ts";
import { searched, searcherOf } from "./searches.ts";

type Wanted = z.output<typeof BulkRunsBody>;

/** Whoever holds a run that was deleted just now lets go of it when he has read that. */
const HELD_UP_TRIES_MAX = 50;
const TRY_AGAIN_MS = 100;
/** Others that have locked the same runs in another order. */
const CONTENTION_TRIES_MAX = 5;

/** What comes of an order for all runs of a filter. */
export async function bulkRuns(
  context: RestContext,
  namespace: string,
  request: FastifyRequest,
): Promise<BulkRunsAnswer> {
  const wanted = request.body as Wanted;
  const { action, cursor = null } = wanted;
  checkParts(wanted);
  const text = signalText(wanted);
  if (cursor !== null && !isRunId(cursor)) throw strangeCursor();
  // Only what was deleted is restored.
  const filter = { ...filterOf(wanted.filter), ...(action === "restore" ? { deleted: true } : {}) };
  const searcher = searcherOf(namespace, request);
  if (wanted.dryRun === true)
    return context.searches.take(searcher, () => dryRun(context, namespace, action, filter, request));
  const key = await pageKey(context, namespace, request, wanted);
  const { ids, next } = await chosenRuns(context, searcher, filter, wanted, key);
  const refusing = await carriedOut(context, { key, ids, ...(await partsOf(context, wanted, text)) });
  const refusals = new BulkRefusals();
  for (const { id, code, status, detail } of refusing)
    refusals.add(code, 1, [id], detail ?? detailOf(code, id, status));
  const refused = new Set(refusing.map(({ id }) => id));
  const done = ids.length - refused.size;
  request.answeredRuns = { ids: ids.filter((id) => !refused.has(id)), detail: { matched: ids.length, done } };
  const channels = ["cairn_mail", "cairn_work", "cairn_ended"] as const;
  if (done > 0) for (const channel of channels) context.engine.tell(channel);
  return { matched: ids.length, done, refused: refusals.all, sample: [], next };
}

/** What cannot be, whatever the runs are. */
function checkParts({ action, filter, reason, name, value }: Wanted): void {
  if ((name !== undefined) !== (action === "signal"))
    throw new Refused("InvalidMessage", "name: a signal has one, and nothing else");
  if (value !== undefined && action !== "signal")
    throw new Refused("InvalidMessage", "value: a signal may have one, and nothing else");
  if (reason !== undefined && action !== "cancel" && action !== "delete")
    throw new Refused("InvalidMessage", "reason: a cancel or a delete may have one, and nothing else");
  if (filter.deleted === false && action === "restore")
    throw new Refused("InvalidMessage", "filter.deleted: a restore is for runs that were deleted, and no others");
}

/** All pages of an order are kept under its id, which the key of the request has for this order alone. */
async function pageKey(
  context: RestContext,
  namespace: string,
  request: FastifyRequest,
  wanted: Wanted,
): Promise<string | null> {
  const header = idempotencyKey(request);
  if (header === null) return null;
  const { cursor = null, dryRun: _, ...order } = wanted;
  return keyOfParts(await idUnder(context, namespace, request, header, order, "An order"), cursor);
}

/** Under a key, those that were chosen when it was first asked for: what it has done changes which runs a filter finds. */
async function chosenRuns(
  context: RestContext,
  searcher: Holder,
  filter: RunFilter,
  wanted: Wanted,
  key: string | null,
): Promise<KeptOrder> {
  const { cursor = null, limit } = wanted;
  const { client } = context.engine;
  const before = key === null ? undefined : await findOrder(client, key);
  if (before !== undefined) return before;
  const look = { after: cursor, oldestFirst: false, limit };
  const found = await searched(context, searcher, filter, () => findRunIds(client, searcher.tenant, filter, look));
  return key === null ? found : keepOrder(client, key, found);
}

/** The value of a signal. Throws if it is none, whatever the runs are; null: it is no signal. */
function signalText({ name, value }: Wanted): string | null {
  if (name === undefined) return null;
  const text = value === undefined ? encodeNative(undefined) : textOfJson("value", value);
  checkSignalValue(name, text);
  return text;
}

/** What is said to all of the runs, as it is stored. */
async function partsOf(
  { engine }: RestContext,
  wanted: Wanted,
  text: string | null,
): Promise<Pick<BulkOrder, "action" | "reason" | "name" | "value">> {
  const { action, reason = null, name = null } = wanted;
  return { action, reason, name, value: text === null ? null : await storedForm(engine.blobs, text) };
}

async function carriedOut({ engine }: RestContext, order: Omit<BulkOrder, "isLast">): Promise<RefusingRun[]> {
  if (order.ids.length === 0) return [];
  for (let [tries, contentions] = [1, 0]; ; tries++) {
    const isLast = tries >= HELD_UP_TRIES_MAX;
    try {
      const refusing = await orderRuns(engine.client, { ...order, isLast });
      if (isLast || !refusing.some(({ code }) => code === "HeldUp")) return refusing;
    } catch (error) {
      contentions += 1;
      if (!isContention(error) || contentions >= CONTENTION_TRIES_MAX) throw error;
    }
    await delay(TRY_AGAIN_MS);
  }
}
