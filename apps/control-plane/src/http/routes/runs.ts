import {
  AwaitRun,
  InNamespace,
  ListRuns,
  pageOf,
  RunDetails,
  RunOutcome,
  RunPath,
  RUNS_SORT,
  RunSummary,
  RunWithoutValues,
  ShowRun,
  StartedRunBody,
  StartRunBody,
  WithIdempotencyKey,
} from "@cairnjs/schemas/rest";
import { PAYLOAD_BYTES_MAX } from "@cairnjs/schemas";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { lengthOf } from "../../blobs/reference.ts";
import { isRunId } from "../../ids.ts";
import { deletedError } from "../../library/engine-error.ts";
import type { RunView } from "../../store/find-runs.ts";
import { listRuns } from "../../store/list-runs.ts";
import { foundRun, foundRunWithValues } from "../found-run.ts";
import { heldRequest } from "../held-request.ts";
import { Order, strangeCursor } from "../paging.ts";
import type { RestApp, RestContext } from "../rest.ts";
import { filterOf } from "../run-filter.ts";
import { detailsOf, endOf, summaryOf, traceOf, withoutValues } from "../run-views.ts";
import { searched, searcherOf } from "../searches.ts";
import { startRequest } from "../start-request.ts";

/** The largest input, and what stands around it. */
const START_BYTES_MAX = PAYLOAD_BYTES_MAX + 64 * 1024;

/** Starting runs, and looking at them. */
export function addRunRoutes(app: RestApp, context: RestContext): void {
  const { engine, limits, namespaceOf } = context;
  app.post(
    "/runs",
    {
      config: { scope: "operate", audit: "run.start" },
      bodyLimit: START_BYTES_MAX,
      schema: {
        querystring: InNamespace,
        headers: WithIdempotencyKey,
        body: StartRunBody,
        response: { 200: StartedRunBody, 201: StartedRunBody },
      },
    },
    async (request, reply) => {
      const start = await startRequest(context, namespaceOf(request), request, request.body);
      const started = await engine.starter.startOrFind(start);
      return reply.code(started.existed ? 200 : 201).send(started);
    },
  );
  app.get(
    "/runs",
    { config: { scope: "read" }, schema: { querystring: ListRuns, response: { 200: pageOf(RunSummary) } } },
    async (request) => {
      const namespace = namespaceOf(request);
      const { limit } = request.query;
      const order = new Order(request.query, RUNS_SORT);
      const { cursor = null } = order;
      if (cursor !== null && !isRunId(cursor)) throw strangeCursor();
      const look = { after: cursor, oldestFirst: !order.isDescending, limit };
      const filter = filterOf(request.query);
      const { runs, next } = await searched(context, searcherOf(namespace, request), filter, () =>
        listRuns(engine.client, namespace, filter, look),
      );
      return { items: runs.map(summaryOf), next: order.next(next) };
    },
  );
  app.get(
    "/runs/:id",
    {
      config: { scope: "read" },
      schema: { params: RunPath, querystring: ShowRun, response: { 200: z.union([RunDetails, RunWithoutValues]) } },
    },
    async (request, reply) => {
      if (request.query.values === false) return withoutValues(await foundRun(context, request));
      const run = await foundRunWithValues(context, request);
      limits.hold(request, reply, lengthOf(run.payload) + lengthOf(run.result) + lengthOf(run.error));
      return detailsOf(engine.blobs, run);
    },
  );
  app.get(
    "/runs/:id/result",
    {
      config: { scope: "read" },
      schema: { params: RunPath, querystring: AwaitRun, response: { 200: RunOutcome, 202: RunOutcome } },
    },
    async (request, reply) => {
      const { id, status, phase, ...run } = await endedRun(context, request, reply, request.query.waitMs);
      limits.hold(request, reply, lengthOf(run.result) + lengthOf(run.error));
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
  const first = await foundRunWithValues(context, request);
  if (first.deletedAt !== null) throw deletedError(first.id);
  if (first.endedAt !== null || waitMs === 0) return first;
  await heldRequest(context, request, reply, waitMs, (over) =>
    context.engine.waiters.wait(first.namespace, first.id, over),
  );
  const last = await foundRunWithValues(context, request);
  if (last.deletedAt !== null) throw deletedError(last.id);
  return last;
}
