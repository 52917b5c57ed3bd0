import {
  CreatedKey,
  CreateKeyBody,
  EmptyBody,
  InNamespace,
  KeyPath,
  KeySummary,
  ListKeys,
  LoginBody,
  Me,
  pageOf,
  ShowKey,
} from "@cairnjs/schemas/rest";
import { Uuid } from "@cairnjs/schemas";
import type { FastifyRequest } from "fastify";
import { checkGivenExpiry, checkGivenScopes, makeKey } from "../../access/api-keys.ts";
import type { Caller } from "../../access/caller.ts";
import { Refused } from "../../hub/refused.ts";
import { type ApiKey, listApiKeys, revokeApiKey, showApiKey } from "../../store/api-keys.ts";
import { createdKey, keySummary } from "../key-views.ts";
import { Order, pageBy, strangeCursor } from "../paging.ts";
import type { RestApp, RestContext } from "../rest.ts";
import { endedCookie, sessionCookie, sessionSecret } from "../session-cookie.ts";

const LOGIN_BYTES_MAX = 16 * 1024;

/** Who may ask, and who asks. */
export function addAccessRoutes(app: RestApp, context: RestContext): void {
  addKeyRoutes(app, context);
  addSessionRoutes(app, context);
}

function addKeyRoutes(app: RestApp, { engine, access, namespaceOf }: RestContext): void {
  const { client } = engine;
  /** Null: of all, for who may be in all and names none. */
  const ofKeys = (request: FastifyRequest): string | null => {
    const { namespace } = request.query as { readonly namespace?: string };
    const isNamed = namespace !== undefined || request.headers["cairn-namespace"] !== undefined;
    return isNamed || request.caller.namespace !== null ? namespaceOf(request) : null;
  };
  /** Of the key that is asked with; null: never, as of a token. */
  const expiryOf = async ({ keyId }: Caller): Promise<number | null> =>
    keyId === undefined ? null : ((await showApiKey(client, keyId, null))?.expiresAt ?? null);
  const one = { params: KeyPath, querystring: ShowKey, response: { 200: KeySummary } };
  app.get(
    "/keys",
    { config: { scope: "admin" }, schema: { querystring: ListKeys, response: { 200: pageOf(KeySummary) } } },
    async (request) => {
      const { limit, name = null, scope = null, revoked: isRevoked = null } = request.query;
      const order = new Order(request.query, "-createdAt");
      const { cursor: after = null } = order;
      if (after !== null && !Uuid.safeParse(after).success) throw strangeCursor();
      const look = { name, scope, isRevoked, after, oldestFirst: !order.isDescending, limit: limit + 1 };
      const rows = await listApiKeys(client, ofKeys(request), look);
      return pageBy(rows, limit, ({ id }) => order.next(id)!, keySummary);
    },
  );
  app.post(
    "/keys",
    {
      config: { scope: "admin", audit: "key.create" },
      schema: { querystring: InNamespace, body: CreateKeyBody, response: { 201: CreatedKey } },
    },
    async (request, reply) => {
      const namespace = ofKeys(request);
      const { name, scopes, expiresAt } = request.body;
      checkGivenScopes(request.caller, scopes);
      const until = expiresAt === undefined ? null : Date.parse(expiresAt);
      if (until !== null && until <= engine.now())
        throw new Refused("InvalidMessage", "expiresAt: must be in the future");
      const latest = await expiryOf(request.caller);
      checkGivenExpiry(request.caller, until, latest);
      const wanted = { namespace, name, scopes, expiresAt: until ?? latest };
      const made = await makeKey(client, wanted, request.caller.name);
      return reply.code(201).header("cache-control", "no-store").send(createdKey(made));
    },
  );
  app.get("/keys/:id", { config: { scope: "admin" }, schema: one }, async (request) =>
    found(request.params.id, await showApiKey(client, request.params.id, ofKeys(request))),
  );
  const revoking = { config: { scope: "admin", audit: "key.revoke" }, schema: { ...one, body: EmptyBody } } as const;
  app.delete("/keys/:id", revoking, async (request) => {
    const { id } = request.params;
    const revoked = found(id, await revokeApiKey(client, id, ofKeys(request)));
    access.revoked(id);
    return revoked;
  });
}

function addSessionRoutes(app: RestApp, { access, limits }: RestContext): void {
  app.get(
    "/me",
    { config: { scope: "any" }, schema: { querystring: InNamespace, response: { 200: Me } } },
    async ({ caller }) => meOf(caller),
  );
  app.post(
    "/login",
    {
      config: { scope: "public", audit: "session.open" },
      bodyLimit: LOGIN_BYTES_MAX,
      schema: { querystring: InNamespace, body: LoginBody, response: { 200: Me } },
    },
    async (request, reply) => {
      const { key } = request.body;
      // Who guesses here guesses as if he had asked with it.
      const asking = { ip: request.ip, credential: key };
      const { caller, secret } = await limits.authenticated(asking, reply, () => access.login(key));
      request.caller = caller;
      if (secret !== null) void reply.header("set-cookie", sessionCookie(secret, request.raw));
      return reply.header("cache-control", "no-store").send(meOf(caller));
    },
  );
  app.post(
    "/logout",
    {
      config: { scope: "any", audit: "session.close" },
      schema: { querystring: InNamespace, body: EmptyBody, response: { 200: EmptyBody } },
    },
    async (request, reply) => {
      const secret = sessionSecret(request.raw);
      if (secret !== null) await access.logout(secret);
      return reply.header("set-cookie", endedCookie(request.raw)).send({});
    },
  );
}

function meOf({ name, scopes, namespace }: Caller): Me {
  return { name, scopes: [...scopes], namespace };
}

function found(id: string, key: ApiKey | null): KeySummary {
  if (key === null) throw new Refused("NotFound", `There is no key ${id}`);
  return keySummary(key);
}
