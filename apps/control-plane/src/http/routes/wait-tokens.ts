import { encodeNative } from "@cairnjs/ir";
import {
  InNamespace,
  NewWaitTokenBody,
  PostedValue,
  RotatedSigningKey,
  RotateSigningKeyBody,
  RunPath,
  TOKEN_MS_MAX,
  UsedWaitToken,
  WaitToken,
  WaitTokenDetails,
  WaitTokenPath,
} from "@cairnjs/schemas/rest";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { checkEverywhere } from "../../access/caller.ts";
import { type WaitGrant, WaitTokens } from "../../access/wait-tokens.ts";
import { codeOf } from "../../grpc/status.ts";
import { Refused } from "../../hub/refused.ts";
import { overError } from "../../library/engine-error.ts";
import { runContext } from "../../library/run-of.ts";
import { checkSignalValue, sendSignal } from "../../library/send-signal.ts";
import type { NewAuditEntry } from "../../store/audit-log.ts";
import { isUsed } from "../../store/mail.ts";
import { databaseTime } from "../../store/time.ts";
import { foundRun } from "../found-run.ts";
import { textOfJson, timeOf } from "../json-values.ts";
import { Posted, takePostedValues } from "../posted-value.ts";
import { problemOf } from "../problems.ts";
import type { RestApp, RestContext } from "../rest.ts";
import { sendPage, wantsPage } from "../wait-page.ts";

/** Of those who are not asked who they are. What they post is parsed, and everybody waits meanwhile. */
const VALUE_BYTES_MAX = 1024 * 1024;

/** Signals by signed addresses, for e-mails and webhooks: whoever has one may send it, and nothing else. */
export function addWaitTokenRoutes(app: RestApp, context: RestContext): void {
  const { engine } = context;
  const tokens = new WaitTokens(engine.secrets.signingKeys);
  const grants = new WeakMap<FastifyRequest, WaitGrant>();
  const timeNow = (): Promise<number> => databaseTime(engine.client);
  /** Before anything of a body is read: whoever has no token is nobody. */
  const onRequest = async (request: FastifyRequest): Promise<void> => {
    grants.set(request, await tokens.read((request.params as { readonly token: string }).token, timeNow));
  };
  app.post(
    "/runs/:id/tokens",
    {
      config: { scope: "operate", audit: "run.token" },
      schema: { params: RunPath, querystring: InNamespace, body: NewWaitTokenBody, response: { 201: WaitToken } },
    },
    async (request, reply) => {
      const run = await foundRun(context, request);
      if (run.endedAt !== null || run.deletedAt !== null) throw overError(run);
      const { signal, value, expiresInMs } = request.body;
      const text = value === undefined ? null : textOfJson("value", value);
      // Whoever uses the token could not mend it.
      if (text !== null) checkSignalValue(signal, text);
      const expiresAtMs = Math.floor(await timeNow()) + expiresInMs;
      const { id: runId, namespace } = run;
      const { token, newKey } = await tokens.issue({ namespace, runId, signal, expiresAtMs, value: text });
      if (newKey !== null) await context.audit.write(madeKey(request, newKey));
      const url = `${context.publicUrl ?? `${request.protocol}://${request.host}`}/v1/tokens/${token}`;
      return reply.code(201).send({ token, url, expiresAt: timeOf(expiresAtMs) });
    },
  );
  app.post(
    "/signing-key/rotate",
    {
      config: { scope: "admin", audit: "signing-key.rotate" },
      schema: { querystring: InNamespace, body: RotateSigningKeyBody, response: { 200: RotatedSigningKey } },
    },
    async (request) => {
      // Tokens of all namespaces are signed with it.
      checkEverywhere(request.caller);
      const isRevoking = request.body?.revoke ?? false;
      const rotated = await engine.secrets.signingKeys.rotate(isRevoking ? null : TOKEN_MS_MAX);
      request.answeredSubject = rotated.id;
      return rotated;
    },
  );
  app.get(
    "/tokens/:token",
    {
      config: { scope: "public" },
      onRequest,
      errorHandler,
      schema: { params: WaitTokenPath, response: { 200: WaitTokenDetails } },
    },
    async (request, reply) => {
      const { signal, runId, key, expiresAtMs, value } = grants.get(request)!;
      const wasUsed = await isUsed(engine.client, key);
      if (wantsPage(request)) {
        if (wasUsed) return sentPage(reply, signal, true) as never;
        return sendPage(reply, signal, `Send “${signal}” now?`, "Send") as never;
      }
      return { signal, runId, expiresAt: timeOf(expiresAtMs), hasValue: value !== null, isUsed: wasUsed };
    },
  );
  void app.register(async (scope) => {
    // Here alone: elsewhere a page of others could send forms and texts with the cookies of whoever looks at it.
    takePostedValues(scope);
    scope.withTypeProvider<ZodTypeProvider>().post(
      "/tokens/:token",
      {
        config: { scope: "public", audit: "run.signal" },
        onRequest,
        bodyLimit: VALUE_BYTES_MAX,
        schema: { params: WaitTokenPath, body: PostedValue, response: { 202: UsedWaitToken } },
        errorHandler,
      },
      async (request, reply) => {
        const grant = grants.get(request)!;
        const { namespace, runId, signal: name, key, expiresAtMs } = grant;
        request.caller = { name: "a wait token", scopes: [], namespace };
        request.answeredRun = runId;
        const sent = { runId, name, text: valueOf(grant, request.body), key, keyUntil: new Date(expiresAtMs) };
        // Whoever has a token may say it as often as he likes.
        request.changedNothing = true;
        const isNew = sendSignal(runContext(engine, namespace), namespace, sent);
        const isButton = wantsPage(request) && postedIn(request.body) === undefined;
        const existed = !(await (isButton ? isNew.catch(sentOtherwise) : isNew));
        request.changedNothing = existed;
        if (wantsPage(request)) return sentPage(reply.code(202), name, existed) as never;
        return reply.code(202).send({ runId, signal: name, existed });
      },
    );
  });
}

/** That a key was made for the token is another thing than that a token was. */
function madeKey({ caller, ip }: FastifyRequest, id: string): NewAuditEntry {
  return {
    namespace: "default",
    who: caller.name,
    keyId: caller.keyId ?? null,
    action: "signing-key.create",
    subject: id,
    runId: null,
    detail: "{}",
    status: 201,
    via: "rest",
    address: ip,
  };
}

/** People are told as people what did not work. */
function errorHandler(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const said = problemOf(error);
  if (said === null || !wantsPage(request)) throw error;
  sendPage(reply.code(said.status), "This did not work", said.detail, null);
}

/** Others have sent it with a value of theirs, of which whoever presses a button knows nothing. */
function sentOtherwise(error: unknown): false {
  if (codeOf(error) === "IdempotencyConflict") return false;
  throw error;
}

function sentPage(reply: FastifyReply, signal: string, existed: boolean): FastifyReply {
  const text = existed ? "It was sent before, and is not sent again." : "You can close this page.";
  return sendPage(reply, `“${signal}” was sent`, text, null);
}

function postedIn(body: unknown): unknown {
  return body instanceof Posted ? body.value : undefined;
}

/** Whoever posts it does not know our encoding: what looks like a tag of it is none. */
function valueOf({ value }: WaitGrant, body: unknown): string {
  const posted = postedIn(body);
  if (value !== null && posted !== undefined) {
    throw new Refused("InvalidMessage", "The token says what is sent: it is posted to without a body");
  }
  // What is nested too deeply is too deep for the database, too; and numbers are those that were sent.
  textOfJson("body", posted);
  return value ?? encodeNative(posted);
}
