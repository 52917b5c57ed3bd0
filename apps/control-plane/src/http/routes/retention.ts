import {
  EmptyBody,
  InNamespace,
  InPages,
  pageOf,
  RetentionPath,
  RetentionPreviewed,
  RetentionSummary,
  SetRetentionBody,
} from "@cairnjs/schemas/rest";
import type { FastifyRequest } from "fastify";
import { type Retention, retentionOf, type RetentionRule } from "../../library/retention.ts";
import { timeOrNull } from "../json-values.ts";
import { pageOfAll } from "../paging.ts";
import type { RestApp, RestContext } from "../rest.ts";

/** How long things are kept, and what is over. */
export function addRetentionRoutes(app: RestApp, { engine, namespaceOf }: RestContext): void {
  const of = (request: FastifyRequest): Retention => retentionOf(engine, namespaceOf(request));
  const one = { params: RetentionPath, querystring: InNamespace };
  app.get(
    "/retention",
    { schema: { querystring: InPages, response: { 200: pageOf(RetentionSummary) } } },
    async (request) => pageOfAll(await of(request).list(), request.query, summaryOf),
  );
  app.get(
    "/retention/preview",
    { schema: { querystring: InNamespace, response: { 200: RetentionPreviewed } } },
    async (request) => {
      const { types, outbox } = await of(request).preview();
      return { types: [...types], outbox: [...outbox] };
    },
  );
  app.put(
    "/retention/:what/:type",
    { schema: { ...one, body: SetRetentionBody, response: { 200: RetentionSummary } } },
    async (request) => summaryOf(await of(request).set({ ...request.params, ...request.body })),
  );
  app.delete(
    "/retention/:what/:type",
    { schema: { ...one, body: EmptyBody, response: { 200: RetentionPath } } },
    async (request) => {
      await of(request).remove(request.params);
      return request.params;
    },
  );
}

function summaryOf({ changedAt, ...rule }: RetentionRule): RetentionSummary {
  return { ...rule, changedAt: timeOrNull(changedAt) };
}
