import { encodeNative } from "@cairnjs/ir";
import {
  AwaitRun,
  InNamespace,
  ListRuns,
  pageOf,
  RunDetails,
  RunOutcome,
  RunPath,
  RunSummary,
  StartedRunBody,
  StartRunBody,
} from "@cairnjs/schemas/rest";
import { PAYLOAD_BYTES_MAX } from "@cairnjs/schemas";
import type { FastifyReply, FastifyRequest } from "fastify";
import { isRunId } from "../../ids.ts";
import { deletedError } from "../../library/engine-error.ts";
import { isTraceparent, type StartRunOptions } from "../../library/start-options.ts";
import type { RunView } from "../../store/find-runs.ts";
import { listRuns } from "../../store/list-runs.ts";
import { foundRun } from "../found-run.ts";
import { textOfJson } from "../json-values.ts";
import { pageBy, strangeCursor } from "../paging.ts";
import type { RestApp, RestContext } from "../rest.ts";
import { detailsOf, endOf, summaryOf, traceOf } from "../run-views.ts";

/** The largest input, and what stands around it. */
const START_BYTES_MAX = PAYLOAD_BYTES_MAX + 64 * 1024;

/** Starting runs, and looking at them. */
export function addRunRoutes(app: RestApp, context: RestContext): void {
  const { engine, namespaceOf } = context;
  app.post(
    "/runs",
    {
      bodyLimit: START_BYTES_MAX,
      schema: { querystring: InNamespace, body: StartRunBody, response: { 200: StartedRunBody, 201: StartedRunBody } },
    },
    async (request, reply) => {
      const namespace = namespaceOf(request);
      const { type, payload } = request.body;
      const text = payload === undefined ? encodeNative(undefined) : textOfJson("payload", payload);
      const start = { namespace, type, payload: text, checked: false, options: startOptions(request.body, request) };
      const started = await engine.starter.startOrFind(start);
      return reply.code(started.existed ? 200 : 201).send(started);
    },
  );
  app.get("/runs", { schema: { querystring: ListRuns, response: { 200: pageOf(RunSummary) } } }, async (request) => {
    const namespace = namespaceOf(request);
    const { type = null, status = null, phase = null, tag = null, since, until, cursor, limit } = request.query;
    if (cursor !== undefined && !isRunId(cursor)) throw strangeCursor();
    const rows = await listRuns(engine.client, namespace, {
      type,
      statuses: status,
      phases: phase,
      tag,
      since: since === undefined ? null : new Date(since),
      until: until === undefined ? null : new Date(until),
      before: cursor ?? null,
      limit: limit + 1,
    });
    return pageBy(rows, limit, ({ id }) => id, summaryOf);
  });
  app.get(
    "/runs/:id",
    { schema: { params: RunPath, querystring: InNamespace, response: { 200: RunDetails } } },
    async (request) => detailsOf(engine.blobs, await foundRun(context, request)),
  );
  app.get(
    "/runs/:id/result",
    { schema: { params: RunPath, querystring: AwaitRun, response: { 200: RunOutcome, 202: RunOutcome } } },
    async (request, reply) => {
      const { id, status, phase, ...run } = await endedRun(context, request, reply, request.query.waitMs);
      const end = await endOf(engine.blobs, { id, status, phase, ...run });
      const trace = traceOf({ id, status, phase, ...run });
      const isEnded = run.endedAt !== null;
      return reply.code(isEnded ? 200 : 202).send({ id, status, phase, ...end, ...(trace === null ? {} : { trace }) });
    },
  );
}

/** As it is when it has ended, or after so long. */
async function endedRun(
  context: RestContext,
  request: FastifyRequest,
  reply: FastifyReply,
  waitMs: number,
): Promise<RunView> {
  const first = await foundRun(context, request);
  if (first.deletedAt !== null) throw deletedError(first.id);
  if (first.endedAt !== null || waitMs === 0) return first;
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), waitMs);
  reply.raw.once("close", () => over.abort());
  try {
    const silence = new Promise<void>((resolve) => over.signal.addEventListener("abort", () => resolve()));
    await Promise.race([context.engine.waiters.wait(first.namespace, first.id, over.signal), silence]);
  } finally {
    clearTimeout(timer);
    over.abort();
  }
  const last = await foundRun(context, request);
  if (last.deletedAt !== null) throw deletedError(last.id);
  return last;
}

/** The header that is none is passed over, as W3C wants it. */
function traceparentIn({ headers }: FastifyRequest): { readonly traceparent?: string } {
  const { traceparent } = headers;
  return typeof traceparent === "string" && isTraceparent(traceparent) ? { traceparent } : {};
}

function startOptions(body: StartRunBody, request: FastifyRequest): StartRunOptions {
  const { type: _type, payload: _payload, runAt, deadline, debounce, deduplicate, ttlMs, ...options } = body;
  return {
    ...options,
    ...traceparentIn(request),
    ...(runAt === undefined ? {} : { runAt: new Date(runAt) }),
    ...(deadline === undefined ? {} : { deadline: new Date(deadline) }),
    ...(debounce === undefined
      ? {}
      : {
          debounce: {
            key: debounce.key,
            delay: debounce.delayMs,
            ...(debounce.maxMs === undefined ? {} : { max: debounce.maxMs }),
          },
        }),
    ...(deduplicate === undefined ? {} : { deduplicate: { key: deduplicate.key, for: deduplicate.forMs } }),
    ...(ttlMs === undefined ? {} : { ttl: ttlMs }),
  };
}
