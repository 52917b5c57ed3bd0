import type { SubscriptionTarget } from "@cairnjs/schemas";
import {
  EmptyBody,
  InNamespace,
  InPages,
  pageOf,
  PauseSubscriptionBody,
  SubscriptionPath,
  SubscriptionSummary,
  TestedSubscription,
  UpsertSubscriptionBody,
} from "@cairnjs/schemas/rest";
import type { FastifyRequest } from "fastify";
import { type Subscriptions, subscriptionsOf } from "../../library/subscriptions.ts";
import type { SubscriptionStatus } from "../../store/subscriptions.ts";
import { timeOf, timeOrNull } from "../json-values.ts";
import { pageOfAll } from "../paging.ts";
import type { RestApp, RestContext } from "../rest.ts";

/** Who wants which events, and where. */
export function addSubscriptionRoutes(app: RestApp, { engine, namespaceOf, tokens }: RestContext): void {
  const of = (request: FastifyRequest): Subscriptions => subscriptionsOf(engine, namespaceOf(request));
  const path = "/subscriptions/:name";
  const one = { params: SubscriptionPath, querystring: InNamespace, response: { 200: SubscriptionSummary } };
  app.get(
    "/subscriptions",
    { schema: { querystring: InPages, response: { 200: pageOf(SubscriptionSummary) } } },
    async (request) => pageOfAll(await of(request).list(), request.query, summaryOf),
  );
  app.get(path, { schema: one }, async (request) => summaryOf(await of(request).show(request.params.name)));
  app.put(path, { schema: { ...one, body: UpsertSubscriptionBody } }, async (request) => {
    const subscriptions = of(request);
    // Who may act for one namespace alone gets nothing of the process that all share.
    if (namesOwnThings(request.body.target)) tokens.checkAll(request.headers.authorization);
    return summaryOf(await subscriptions.upsert({ name: request.params.name, ...request.body }));
  });
  app.post(`${path}/pause`, { schema: { ...one, body: PauseSubscriptionBody } }, async (request) => {
    const { name } = request.params;
    await of(request).pause(name, request.body?.reason);
    return summaryOf(await of(request).show(name));
  });
  app.post(`${path}/resume`, { schema: { ...one, body: EmptyBody } }, async (request) => {
    const { name } = request.params;
    await of(request).resume(name);
    return summaryOf(await of(request).show(name));
  });
  app.post(
    `${path}/test`,
    { schema: { ...one, body: EmptyBody, response: { 200: TestedSubscription } } },
    async (request) => of(request).test(request.params.name),
  );
  app.delete(path, { schema: { ...one, body: EmptyBody, response: { 200: SubscriptionPath } } }, async (request) => {
    await of(request).delete(request.params.name);
    return request.params;
  });
}

/** Whether files and variables of the control plane are read or written for it. */
function namesOwnThings(target: SubscriptionTarget): boolean {
  if (target.kind === "webhook") return (target.secrets ?? []).length > 0;
  if (target.kind === "nats") return target.token !== undefined || target.credentials !== undefined;
  return true;
}

function summaryOf(about: SubscriptionStatus): SubscriptionSummary {
  const { namespace: _, ...status } = about;
  return {
    ...status,
    types: [...status.types],
    failingSince: timeOrNull(status.failingSince),
    lastDeliveredAt: timeOrNull(status.lastDeliveredAt),
    createdAt: timeOf(status.createdAt),
    changedAt: timeOf(status.changedAt),
  };
}
