import {
  EmptyBody,
  InNamespace,
  ListSecrets,
  pageOf,
  RewrappedSecrets,
  RewrapSecretsBody,
  RotatedSecrets,
  SecretPath,
  SecretSummary,
  SetSecretBody,
} from "@cairnjs/schemas/rest";
import type { FastifyRequest } from "fastify";
import { checkEverywhere } from "../../access/caller.ts";
import { type Secrets, secretsOf } from "../../library/secrets.ts";
import type { SecretSummary as StoredSummary } from "../../store/secrets.ts";
import { timeOf } from "../json-values.ts";
import { sortedPage } from "../paging.ts";
import type { RestApp, RestContext } from "../rest.ts";

/** Secrets: they come in, and nothing here gives them out. */
export function addSecretRoutes(app: RestApp, { engine, namespaceOf }: RestContext): void {
  const of = (request: FastifyRequest): Secrets => secretsOf(engine, namespaceOf(request), request.caller.name);
  const changing = (audit: string) => ({ scope: "admin" as const, audit });
  const one = { params: SecretPath, querystring: InNamespace };
  app.get(
    "/secrets",
    { config: { scope: "admin" }, schema: { querystring: ListSecrets, response: { 200: pageOf(SecretSummary) } } },
    async (request) => {
      const { name } = request.query;
      const all = await of(request).list();
      const rows = name === undefined ? all : all.filter((secret) => secret.name === name);
      return sortedPage(rows, request.query, { usual: "name", keyOf: ({ name: own }) => own, itemOf: summaryOf });
    },
  );
  app.put(
    "/secrets/:name",
    { config: changing("secret.set"), schema: { ...one, body: SetSecretBody, response: { 200: SecretSummary } } },
    async (request) => summaryOf(await of(request).set(request.params.name, request.body.value)),
  );
  app.delete(
    "/secrets/:name",
    { config: changing("secret.remove"), schema: { ...one, body: EmptyBody, response: { 200: SecretPath } } },
    async (request) => {
      await of(request).remove(request.params.name);
      return request.params;
    },
  );
  // Data keys are those of all namespaces.
  app.post(
    "/secrets/rotate",
    {
      config: changing("secret.rotate"),
      schema: { querystring: InNamespace, body: EmptyBody, response: { 200: RotatedSecrets } },
    },
    async (request) => {
      checkEverywhere(request.caller);
      const { secrets, unreadable } = await of(request).rotate();
      return { secrets, unreadable: [...unreadable] };
    },
  );
  app.post(
    "/secrets/rewrap",
    {
      config: changing("secret.rewrap"),
      schema: { querystring: InNamespace, body: RewrapSecretsBody, response: { 200: RewrappedSecrets } },
    },
    async (request) => {
      checkEverywhere(request.caller);
      const rewrapped = await of(request).rewrap(request.body ?? {});
      const { masterKey, added, removedMasterKeys } = rewrapped;
      request.answeredSubject = masterKey;
      request.answeredDetail = { added, removedMasterKeys };
      return rewrapped;
    },
  );
}

function summaryOf({ changedAt, ...about }: StoredSummary): SecretSummary {
  return { ...about, changedAt: timeOf(changedAt) };
}
