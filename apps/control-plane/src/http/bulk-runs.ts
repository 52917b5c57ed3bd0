import { randomUUID } from "node:crypto";
import { encodeNative } from "@cairnjs/ir";
import type { ErrorCode } from "@cairnjs/schemas";
import { type BulkRunsAnswer, BulkRunsBody, COUNTED_MAX } from "@cairnjs/schemas/rest";
import type { FastifyRequest } from "fastify";
import type { z } from "zod";
import { codeOf } from "../grpc/status.ts";
import { Refused } from "../hub/refused.ts";
import { isRunId } from "../ids.ts";
import { deletedError, overError } from "../library/engine-error.ts";
import { requireRun } from "../library/require-run.ts";
import { restore } from "../library/restoring.ts";
import { type RunContext, RunHandle } from "../library/run-handle.ts";
import { runContext } from "../library/run-of.ts";
import { sendSignal } from "../library/send-signal.ts";
import { cancelRun, deleteRun } from "../store/end-runs.ts";
import { findRunIds, type FoundIds, listRuns } from "../store/list-runs.ts";
import type { RunFilter } from "../store/run-filter.ts";
import { idempotencyKey, letterKey } from "./idempotency.ts";
import { textOfJson } from "./json-values.ts";
import { strangeCursor } from "./paging.ts";
import type { RestContext } from "./rest.ts";
import { searched } from "./searches.ts";
import { filterOf } from "./run-filter.ts";
import { summaryOf } from "./run-views.ts";

type Wanted = z.output<typeof BulkRunsBody>;

/** At one time: others want something of the database too. */
const TOGETHER = 20;
const SAMPLE = 10;
/** Of those that refuse for one reason. */
const IDS_SHOWN = 10;
/** Runs that a dry run counts in one look, and how long it goes on. */
const COUNTED_AT_A_TIME = 5_000;
const COUNTING_MS_MAX = 2_000;

/** What comes of an order for all runs of a filter. */
export async function bulkRuns(
  context: RestContext,
  namespace: string,
  request: FastifyRequest,
): Promise<BulkRunsAnswer> {
  const wanted = request.body as Wanted;
  const { action, cursor = null, limit, dryRun = false } = wanted;
  checkParts(wanted);
  if (cursor !== null && !isRunId(cursor)) throw strangeCursor();
  // Only what was deleted is restored.
  const filter = { ...filterOf(wanted.filter), ...(action === "restore" ? { deleted: true } : {}) };
  if (dryRun) return context.searches.take(() => counted(context, namespace, filter, request));
  const look = { after: cursor, oldestFirst: false, limit };
  const { ids, next } = await searched(context, filter, () =>
    findRunIds(context.engine.client, namespace, filter, look),
  );
  const one = orderOf(context, namespace, request, wanted);
  const refusals = new Map<ErrorCode, BulkRunsAnswer["refused"][number]>();
  let done = 0;
  for (let from = 0; from < ids.length; from += TOGETHER) {
    const some = ids.slice(from, from + TOGETHER);
    const outcomes = await Promise.allSettled(some.map(one));
    outcomes.forEach((outcome, index) => {
      if (outcome.status === "fulfilled") done += 1;
      else noteRefusal(refusals, some[index]!, outcome.reason);
    });
  }
  const channels = ["cairn_mail", "cairn_work", "cairn_ended"] as const;
  if (done > 0) for (const channel of channels) context.engine.tell(channel);
  return { matched: ids.length, done, refused: [...refusals.values()], sample: [], next };
}

/** What cannot be, whatever the runs are. */
function checkParts({ action, reason, name, value }: Wanted): void {
  if ((name !== undefined) !== (action === "signal"))
    throw new Refused("InvalidMessage", "name: a signal has one, and nothing else");
  if (value !== undefined && action !== "signal")
    throw new Refused("InvalidMessage", "value: a signal may have one, and nothing else");
  if (reason !== undefined && action !== "cancel" && action !== "delete")
    throw new Refused("InvalidMessage", "reason: a cancel or a delete may have one, and nothing else");
}

/** Some of the looks at least: as long as it may, and as there is someone to hear it. */
async function counted(
  { engine }: RestContext,
  namespace: string,
  filter: RunFilter,
  { raw }: FastifyRequest,
): Promise<BulkRunsAnswer> {
  let matched = 0;
  let after: string | null = null;
  const until = performance.now() + COUNTING_MS_MAX;
  while (matched < COUNTED_MAX && performance.now() < until && !raw.socket.destroyed) {
    const look = { after, oldestFirst: false, limit: COUNTED_AT_A_TIME };
    const { ids, next }: FoundIds = await findRunIds(engine.client, namespace, filter, look);
    matched += ids.length;
    after = next;
    if (after === null) break;
  }
  const first = { after: null, oldestFirst: false, limit: SAMPLE };
  const { runs } = await listRuns(engine.client, namespace, filter, first);
  return { matched: Math.min(matched, COUNTED_MAX), done: 0, refused: [], sample: runs.map(summaryOf), next: after };
}

/** What is done with one run. Rejects with what it refuses. */
function orderOf(
  context: RestContext,
  namespace: string,
  request: FastifyRequest,
  { action, reason, name, value }: Wanted,
): (id: string) => Promise<void> {
  const runs: RunContext = { ...runContext(context.engine, namespace), tell: () => {} };
  const { client } = runs;
  const header = idempotencyKey(request);
  const keyOf = (id: string): string => (header === null ? randomUUID() : letterKey(namespace, request, header, id));
  switch (action) {
    case "cancel":
      return async (id) => {
        if (!(await cancelRun(client, id, reason ?? "cancelled")))
          throw overError(await requireRun(client, namespace, id));
      };
    case "delete":
      return async (id) => {
        if (!(await deleteRun(client, id, reason ?? null))) throw deletedError(id);
      };
    case "restore":
      return async (id) => {
        // It has come back with the one that it was deleted with, which is of the same order.
        if (!(await restore(client, id))) await requireRun(client, namespace, id);
      };
    case "retry":
      return (id) => new RunHandle(id, runs).retry({ key: keyOf(id) });
    case "signal": {
      const text = value === undefined ? encodeNative(undefined) : textOfJson("value", value);
      return async (id) => {
        await sendSignal(runs, namespace, { runId: id, name: name!, text, key: keyOf(id) });
      };
    }
    default:
      return (id) => new RunHandle(id, runs)[action]();
  }
}

function noteRefusal(refusals: Map<ErrorCode, BulkRunsAnswer["refused"][number]>, id: string, error: unknown): void {
  const code = codeOf(error);
  if (code === null) throw error;
  const noted = refusals.get(code) ?? { code, count: 0, detail: (error as Error).message, ids: [] };
  const ids = noted.ids.length < IDS_SHOWN ? [...noted.ids, id] : noted.ids;
  refusals.set(code, { ...noted, count: noted.count + 1, ids });
}
