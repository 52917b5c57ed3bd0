import { encodeNative } from "@cairnjs/ir";
import { PAYLOAD_BYTES_MAX } from "@cairnjs/schemas";
import {
  InNamespace,
  NewWaitTokenBody,
  RotatedSigningKey,
  RotateSigningKeyBody,
  RunPath,
  TOKEN_MS_MAX,
  UsedWaitToken,
  UseWaitTokenBody,
  WaitToken,
  WaitTokenDetails,
  WaitTokenPath,
} from "@cairnjs/schemas/rest";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { checkEverywhere } from "../../access/caller.ts";
import { type WaitGrant, WaitTokens } from "../../access/wait-tokens.ts";
import { Refused } from "../../hub/refused.ts";
import { overError } from "../../library/engine-error.ts";
import { runContext } from "../../library/run-of.ts";
import { sendSignal } from "../../library/send-signal.ts";
import type { NewAuditEntry } from "../../store/audit-log.ts";
import { databaseTime } from "../../store/time.ts";
import { foundRun } from "../found-run.ts";
import { textOfJson, timeOf } from "../json-values.ts";
import { problemOf } from "../problems.ts";
import type { RestApp, RestContext } from "../rest.ts";
import { sendPage, wantsPage } from "../wait-page.ts";

/** A form of a browser says nothing but that the button was pressed. */
const FORM = "application/x-www-form-urlencoded";
const FORM_BYTES_MAX = 1_024;
const VALUE_BYTES_MAX = PAYLOAD_BYTES_MAX + 64 * 1024;

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
      const expiresAtMs = Math.floor(await timeNow()) + expiresInMs;
      const text = value === undefined ? null : textOfJson("value", value);
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
    { config: { scope: "public" }, onRequest, schema: { params: WaitTokenPath, response: { 200: WaitTokenDetails } } },
    async (request, reply) => {
      const { signal, runId, expiresAtMs, value } = grants.get(request)!;
      if (wantsPage(request)) return sendPage(reply, signal, `Send “${signal}” now?`, "Send") as never;
      return { signal, runId, expiresAt: timeOf(expiresAtMs), hasValue: value !== null };
    },
  );
  void app.register(async (scope) => {
    // Here alone: elsewhere a page of others could send forms with the cookies of whoever looks at it.
    scope.addContentTypeParser(FORM, { bodyLimit: FORM_BYTES_MAX, parseAs: "string" }, (_request, _body, done) =>
      done(null, null),
    );
    scope.withTypeProvider<ZodTypeProvider>().post(
      "/tokens/:token",
      {
        config: { scope: "public", audit: "run.signal" },
        onRequest,
        bodyLimit: VALUE_BYTES_MAX,
        schema: { params: WaitTokenPath, body: UseWaitTokenBody, response: { 202: UsedWaitToken } },
        errorHandler: (error, request, reply) => {
          const said = problemOf(error);
          if (said === null || !wantsPage(request)) throw error;
          return void sendPage((reply as FastifyReply).code(said.status), "This did not work", said.detail, null);
        },
      },
      async (request, reply) => {
        const grant = grants.get(request)!;
        const { namespace, runId, signal: name, key, expiresAtMs } = grant;
        request.caller = { name: "a wait token", scopes: [], namespace };
        request.answeredRun = runId;
        const sent = { runId, name, text: valueOf(grant, request.body), key, keyUntil: new Date(expiresAtMs) };
        const existed = !(await sendSignal(runContext(engine, namespace), namespace, sent));
        if (wantsPage(request)) {
          const text = existed ? "It was sent before, and is not sent again." : "You can close this page.";
          return sendPage(reply.code(202), `“${name}” was sent`, text, null) as never;
        }
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

function valueOf({ value }: WaitGrant, body: { readonly value?: unknown } | null | undefined): string {
  const said = body?.value;
  if (value !== null && said !== undefined) {
    throw new Refused("InvalidMessage", "value: the token says what is sent");
  }
  return value ?? (said === undefined ? encodeNative(undefined) : textOfJson("value", said));
}
