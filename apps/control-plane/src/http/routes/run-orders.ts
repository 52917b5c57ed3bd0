import { randomUUID } from "node:crypto";
import { encodeNative } from "@cairnjs/ir";
import { PAYLOAD_BYTES_MAX } from "@cairnjs/schemas";
import {
  AcceptedForRun,
  CancelRunBody,
  DeleteRunQuery,
  EmptyBody,
  ForkedRun,
  ForkRunBody,
  InNamespace,
  RollBackRunBody,
  RunPath,
  SignalRunBody,
  WithIdempotencyKey,
} from "@cairnjs/schemas/rest";
import type { FastifyRequest } from "fastify";
import type { RunHandle } from "../../library/run-handle.ts";
import { runContext, runOf } from "../../library/run-of.ts";
import { sendSignal } from "../../library/send-signal.ts";
import { foundRun } from "../found-run.ts";
import { keyOfParts } from "../../library/key-of-parts.ts";
import { idempotencyKey, idUnder, letterKey } from "../idempotency.ts";
import { textOfJson } from "../json-values.ts";
import { traceparentIn } from "../start-request.ts";
import type { RestApp, RestContext } from "../rest.ts";

/** The largest value, and what stands around it. */
const SIGNAL_BYTES_MAX = PAYLOAD_BYTES_MAX + 64 * 1024;

/** What operators want of runs. Each answer comes when it is durable that they do; then it happens soon. */
export function addRunOrderRoutes(app: RestApp, context: RestContext): void {
  const { engine, namespaceOf } = context;
  const accepted = { params: RunPath, querystring: InNamespace, response: { 202: AcceptedForRun } };
  const handle = (request: FastifyRequest): RunHandle =>
    runOf(engine, namespaceOf(request), (request.params as RunPath).id);
  const now = async (request: FastifyRequest): Promise<AcceptedForRun> => {
    const { id, status, phase } = await foundRun(context, request);
    return { id, status, phase };
  };
  const once = (request: FastifyRequest): { readonly key?: string } => {
    const key = idempotencyKey(request);
    return key === null ? {} : { key: letterKey(namespaceOf(request), request, key) };
  };
  app.post(
    "/runs/:id/cancel",
    {
      config: { scope: "operate", audit: "run.cancel" },
      schema: { ...accepted, headers: WithIdempotencyKey, body: CancelRunBody },
    },
    async (request, reply) => {
      await handle(request).cancel(request.body?.reason);
      const { id, status, phase } = await now(request);
      // Whoever holds it reads that in a moment.
      return reply.code(202).send({ id, status, phase: phase === null ? null : "cancelling" });
    },
  );
  for (const order of ["pause", "resume", "restore"] as const) {
    app.post(
      `/runs/:id/${order}`,
      {
        config: { scope: "operate", audit: `run.${order}` },
        schema: { ...accepted, headers: WithIdempotencyKey, body: EmptyBody },
      },
      async (request, reply) => {
        const run = handle(request);
        // This one is the same when it is done twice.
        await (order === "restore" ? run.restore() : run[order](once(request)));
        return reply.code(202).send(await now(request));
      },
    );
  }
  app.post(
    "/runs/:id/retry",
    {
      config: { scope: "operate", audit: "run.retry" },
      schema: { ...accepted, headers: WithIdempotencyKey, body: EmptyBody },
    },
    async (request, reply) => {
      await handle(request).retry(once(request));
      return reply.code(202).send(await now(request));
    },
  );
  app.post(
    "/runs/:id/rollback",
    {
      config: { scope: "operate", audit: "run.rollback" },
      schema: { ...accepted, headers: WithIdempotencyKey, body: RollBackRunBody },
    },
    async (request, reply) => {
      const { to, ...options } = request.body;
      await handle(request).rollback(to, { ...options, ...once(request) });
      return reply.code(202).send(await now(request));
    },
  );
  app.delete(
    "/runs/:id",
    {
      config: { scope: "operate", audit: "run.delete" },
      schema: { ...accepted, querystring: DeleteRunQuery, body: EmptyBody },
    },
    async (request, reply) => {
      await handle(request).delete(request.query.reason);
      return reply.code(202).send(await now(request));
    },
  );
  app.post(
    "/runs/:id/signal",
    {
      config: { scope: "operate", audit: "run.signal" },
      bodyLimit: SIGNAL_BYTES_MAX,
      schema: { ...accepted, headers: WithIdempotencyKey, body: SignalRunBody },
    },
    async (request, reply) => {
      const { id: runId, namespace } = await foundRun(context, request);
      const { name, value, key: own } = request.body;
      const key = own === undefined ? (once(request).key ?? randomUUID()) : keyOfParts(namespace, runId, own);
      const text = value === undefined ? encodeNative(undefined) : textOfJson("value", value);
      await sendSignal(runContext(engine, namespace), namespace, { runId, name, text, key });
      return reply.code(202).send(await now(request));
    },
  );
  app.post(
    "/runs/:id/fork",
    {
      config: { scope: "operate", audit: "run.fork" },
      schema: {
        params: RunPath,
        querystring: InNamespace,
        headers: WithIdempotencyKey,
        body: ForkRunBody,
        response: { 201: ForkedRun },
      },
    },
    async (request, reply) => {
      const { from, deadline, ...options } = request.body;
      const until = deadline === undefined ? {} : { deadline: new Date(deadline) };
      const key = idempotencyKey(request);
      const given =
        key === null ? {} : { id: await idUnder(context, namespaceOf(request), request, key, request.body) };
      const { id } = await handle(request).fork(from, { ...given, ...options, ...until, ...traceparentIn(request) });
      return reply.code(201).send({ id });
    },
  );
}
