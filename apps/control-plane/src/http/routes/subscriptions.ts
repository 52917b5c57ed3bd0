import type { SubscriptionTarget } from "@cairnjs/schemas";
import {
  EmptyBody,
  InNamespace,
  ListSubscriptions,
  pageOf,
  PauseSubscriptionBody,
  SubscriptionPath,
  SubscriptionSummary,
  TestedSubscription,
  UpsertSubscriptionBody,
} from "@cairnjs/schemas/rest";
import type { FastifyRequest } from "fastify";
import { checkEverywhere } from "../../access/caller.ts";
import { type Subscriptions, subscriptionsOf } from "../../library/subscriptions.ts";
import { referencesOf } from "../../outbox/allowed.ts";
import { shownTarget } from "../shown-target.ts";
import type { SubscriptionStatus } from "../../store/subscriptions.ts";
import { timeOf, timeOrNull } from "../json-values.ts";
import { sortedPage } from "../paging.ts";
import type { RestApp, RestContext } from "../rest.ts";

/** Who wants which events, and where. */
export function addSubscriptionRoutes(app: RestApp, { engine, namespaceOf }: RestContext): void {
  const of = (request: FastifyRequest): Subscriptions => subscriptionsOf(engine, namespaceOf(request));
  const path = "/subscriptions/:name";
  const one = { params: SubscriptionPath, querystring: InNamespace, response: { 200: SubscriptionSummary } };
  app.get(
    "/subscriptions",
    {
      config: { scope: "read" },
      schema: { querystring: ListSubscriptions, response: { 200: pageOf(SubscriptionSummary) } },
    },
    async (request) => {
      const { status } = request.query;
      const all = (await of(request).list()).filter((each) => each.status === (status ?? each.status));
      return sortedPage(all, request.query, {
        usual: "name",
        keyOf: ({ name }) => name,
        itemOf: (each) => summaryOf(request, each),
      });
    },
  );
  app.get(path, { config: { scope: "read" }, schema: one }, async (request) =>
    summaryOf(request, await of(request).show(request.params.name)),
  );
  app.put(
    path,
    { config: { scope: "admin", audit: "subscription.set" }, schema: { ...one, body: UpsertSubscriptionBody } },
    async (request) => {
      const subscriptions = of(request);
      // Who may act for one namespace alone gets nothing of the process that all share.
      if (namesOwnThings(request.body.target)) checkEverywhere(request.caller);
      return summaryOf(request, await subscriptions.upsert({ name: request.params.name, ...request.body }));
    },
  );
  app.post(
    `${path}/pause`,
    { config: { scope: "operate", audit: "subscription.pause" }, schema: { ...one, body: PauseSubscriptionBody } },
    async (request) => {
      const { name } = request.params;
      await of(request).pause(name, request.body?.reason);
      return summaryOf(request, await of(request).show(name));
    },
  );
  app.post(
    `${path}/resume`,
    { config: { scope: "operate", audit: "subscription.resume" }, schema: { ...one, body: EmptyBody } },
    async (request) => {
      const { name } = request.params;
      await of(request).resume(name);
      return summaryOf(request, await of(request).show(name));
    },
  );
  app.post(
    `${path}/test`,
    {
      config: { scope: "operate", audit: "subscription.test" },
      schema: { ...one, body: EmptyBody, response: { 200: TestedSubscription } },
    },
    async (request) => of(request).test(request.params.name),
  );
  app.delete(
    path,
    {
      config: { scope: "admin", audit: "subscription.delete" },
      schema: { ...one, body: EmptyBody, response: { 200: SubscriptionPath } },
    },
    async (request) => {
      await of(request).delete(request.params.name);
      return request.params;
    },
  );
}

/** Whether files and variables of the control plane are read or written for it. Secrets of the namespace are its own. */
function namesOwnThings(target: SubscriptionTarget): boolean {
  if (target.kind === "file" || target.kind === "port") return true;
  return referencesOf(target).some((reference) => !("secret" in reference));
}

function summaryOf({ caller }: FastifyRequest, about: SubscriptionStatus): SubscriptionSummary {
  const { namespace: _, ...status } = about;
  return {
    ...status,
    target: shownTarget(status.target, caller),
    types: [...status.types],
    failingSince: timeOrNull(status.failingSince),
    lastDeliveredAt: timeOrNull(status.lastDeliveredAt),
    createdAt: timeOf(status.createdAt),
    changedAt: timeOf(status.changedAt),
  };
}
