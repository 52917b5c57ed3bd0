import {
  EmptyBody,
  InNamespace,
  ListRetention,
  pageOf,
  RetentionPath,
  RetentionPreviewed,
  RetentionSummary,
  SetRetentionBody,
} from "@cairnjs/schemas/rest";
import { RETAINED, type Retained } from "@cairnjs/schemas";
import type { FastifyRequest } from "fastify";
import { checkEverywhere } from "../../access/caller.ts";
import { type Retention, retentionOf, type RetentionRule } from "../../library/retention.ts";
import { timeOrNull } from "../json-values.ts";
import { sortedPage } from "../paging.ts";
import type { RestApp, RestContext } from "../rest.ts";

/** How long things are kept, and what is over. */
export function addRetentionRoutes(app: RestApp, { engine, namespaceOf }: RestContext): void {
  const of = (request: FastifyRequest): Retention => retentionOf(engine, namespaceOf(request));
  const one = { params: RetentionPath, querystring: InNamespace };
  app.get(
    "/retention",
    { config: { scope: "read" }, schema: { querystring: ListRetention, response: { 200: pageOf(RetentionSummary) } } },
    async (request) => {
      const { what } = request.query;
      const rules = (await of(request).list()).filter((rule) => rule.what === (what ?? rule.what));
      // In the order in which they are told of.
      return sortedPage(rules, request.query, {
        usual: "what",
        keyOf: ({ what: of, type }) => `${of} ${type}`,
        itemOf: summaryOf,
        sortedBy: (rule, field) => (field === "what" ? RETAINED.indexOf(rule.what) : rule.type),
      });
    },
  );
  app.get(
    "/retention/preview",
    { config: { scope: "read" }, schema: { querystring: InNamespace, response: { 200: RetentionPreviewed } } },
    async (request) => {
      const { types, outbox } = await of(request).preview();
      return { types: [...types], outbox: [...outbox] };
    },
  );
  app.put(
    "/retention/:what/:type",
    {
      config: { scope: "admin", audit: "retention.set" },
      schema: { ...one, body: SetRetentionBody, response: { 200: RetentionSummary } },
    },
    async (request) => {
      checkWhose(request, request.params.what);
      return summaryOf(await of(request).set({ ...request.params, ...request.body }));
    },
  );
  app.delete(
    "/retention/:what/:type",
    {
      config: { scope: "admin", audit: "retention.delete" },
      schema: { ...one, body: EmptyBody, response: { 200: RetentionPath } },
    },
    async (request) => {
      checkWhose(request, request.params.what);
      await of(request).remove(request.params);
      return request.params;
    },
  );
}

/** Who is written down does not say how long for. */
function checkWhose({ caller }: FastifyRequest, what: Retained): void {
  if (what === "audit") checkEverywhere(caller);
}

function summaryOf({ changedAt, ...rule }: RetentionRule): RetentionSummary {
  return { ...rule, changedAt: timeOrNull(changedAt) };
}
