import type { Readable } from "node:stream";
import {
  BATCH_MAX,
  BulkRunsAnswer,
  BulkRunsBody,
  InNamespace,
  StartedRunsBody,
  StartRunBody,
  StartRunsBody,
  whatIsWanted,
  WithIdempotencyKey,
} from "@cairnjs/schemas/rest";
import type { FastifyRequest } from "fastify";
import { Refused } from "../../hub/refused.ts";
import { bulkRuns } from "../bulk-runs.ts";
import { ByteRoom, type Guest } from "../byte-room.ts";
import { admittedBody } from "../guard/admitted-body.ts";
import { holderOfRequest } from "../guard/request-limits.ts";
import { whenOver } from "../guard/when-over.ts";
import { internalProblem, invalidProblem, problemOf } from "../problems.ts";
import type { RestApp, RestContext } from "../rest.ts";
import { startRequest } from "../start-request.ts";

type Item = StartedRunsBody["items"][number];

const BATCH_BYTES_MAX = 64 * 1024 * 1024;
/** Of all batches that are read at one time, of one namespace half: what is made of a body takes several times its bytes. */
const ROOM_BYTES = 128 * 1024 * 1024;
/** Of each batch: small ones pass beside the large ones. */
const FREE_BYTES = 1024 * 1024;
/** Less than a request may take to arrive. */
const ROOM_WAIT_MS = 5_000;
/** Started together, in one transaction. */
const TOGETHER = 1_000;
const TYPES_SHOWN = 20;

/** Starting many runs in one call. */
export function addRunBatchRoutes(app: RestApp, context: RestContext): void {
  const room = new ByteRoom(ROOM_BYTES, ROOM_WAIT_MS);
  app.post(
    "/runs/batch",
    {
      config: { scope: "operate", audit: "run.batch", hasRoom: true },
      bodyLimit: BATCH_BYTES_MAX,
      schema: {
        querystring: InNamespace,
        headers: WithIdempotencyKey,
        body: StartRunsBody,
        response: { 200: StartedRunsBody },
      },
      preParsing: async (request, reply, payload) => {
        const guest = room.open(holderOfRequest(request).tenant);
        whenOver(reply.raw, guest.leave);
        return withRoom(payload, guest);
      },
    },
    async (request) => {
      const namespace = context.namespaceOf(request);
      const { runs } = request.body;
      const types = new Set<string>();
      const items: Item[] = [];
      for (let from = 0; from < runs.length; from += TOGETHER) {
        const some = runs.slice(from, from + TOGETHER);
        noteTypes(types, some);
        // Those that are started are needed no more.
        runs.fill(null, from, from + TOGETHER);
        items.push(
          ...(await Promise.all(some.map((run, index) => started(context, namespace, request, run, from + index)))),
        );
      }
      const ids = items.flatMap((item) => ("id" in item ? [item.id] : []));
      request.answeredRuns = { ids, detail: { runs: items.length, started: ids.length, types: [...types] } };
      return { items };
    },
  );
}

/** Some of them, for those who want to know what was started. */
function noteTypes(types: Set<string>, runs: readonly unknown[]): void {
  for (const run of runs) {
    const { type } = (run ?? {}) as { readonly type?: unknown };
    if (typeof type === "string" && types.size < TYPES_SHOWN) types.add(type);
  }
}

/** The same for all runs of a filter. */
export function addBulkRoutes(app: RestApp, context: RestContext): void {
  app.post(
    "/runs/bulk",
    {
      config: { scope: "operate", audit: "run.bulk" },
      schema: {
        querystring: InNamespace,
        headers: WithIdempotencyKey,
        body: BulkRunsBody,
        response: { 200: BulkRunsAnswer },
      },
    },
    async (request) => bulkRuns(context, context.namespaceOf(request), request),
  );
}

/** A body, as there is room for it: whatever it says of its size, and however slowly it comes, it holds what has come. */
function withRoom(body: Readable, guest: Guest): Readable {
  let free = FREE_BYTES;
  return admittedBody(body, async ({ length }) => {
    const bytes = Math.max(0, length - free);
    free = Math.max(0, free - length);
    if (bytes > 0 && !(await guest.take(bytes)))
      throw new Refused("RateLimited", "Other batches are being started: try again in a while");
  });
}

/** Whatever is wrong with it is its own problem. */
async function started(
  context: RestContext,
  namespace: string,
  request: FastifyRequest,
  run: unknown,
  place: number,
): Promise<Item> {
  const { success, data, error } = StartRunBody.safeParse(run, { error: whatIsWanted });
  if (!success) return { problem: invalidProblem(error.issues, "run") };
  try {
    const start = await startRequest(context, namespace, request, data, place);
    const { id, existed } = await context.engine.starter.startOrFind(start);
    return { id, existed };
  } catch (cause) {
    const said = problemOf(cause);
    if (said === null) context.warn(`A run of a batch of at most ${BATCH_MAX} could not be started`, cause);
    return { problem: said ?? internalProblem() };
  }
}
