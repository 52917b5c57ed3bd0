import type { Engine } from "../library/engine.ts";
import type { Access } from "../access/access.ts";
import { type Caller, checkNamespace, checkScope } from "../access/caller.ts";
import { auditedRequest } from "./audited-request.ts";
import type { AuditLog } from "../audit/audit-log.ts";
import { isRunId } from "../ids.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { Scope } from "@cairnjs/schemas";
import type { Problem } from "@cairnjs/schemas/rest";
import type { FastifyInstance, FastifyRequest, RawServerDefault } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { FastifyBaseLogger } from "fastify";
import type { IncomingMessage, ServerResponse } from "node:http";
import { SMALL_BYTES } from "./guard/byte-budget.ts";
import { LargeAnswer } from "./guard/large-answer.ts";
import type { RequestLimits } from "./guard/request-limits.ts";
import type { LiveClients } from "./live/live-clients.ts";
import { namespaceFor } from "./namespace.ts";
import { addAccessRoutes } from "./routes/access.ts";
import { addAuditRoutes } from "./routes/audit.ts";
import { addHealthRoutes } from "./routes/health.ts";
import { addLimitRoutes } from "./routes/limits.ts";
import { addLiveRoutes } from "./routes/live.ts";
import { addOutboxRoutes } from "./routes/outbox.ts";
import { addRetentionRoutes } from "./routes/retention.ts";
import { addBulkRoutes, addRunBatchRoutes } from "./routes/run-batches.ts";
import { addRunOrderRoutes } from "./routes/run-orders.ts";
import { addRunPartRoutes } from "./routes/run-parts.ts";
import { addRunRoutes } from "./routes/runs.ts";
import { addRunWaitRoutes } from "./routes/run-waits.ts";
import { addScheduleRoutes } from "./routes/schedules.ts";
import { addSecretRoutes } from "./routes/secrets.ts";
import { addSubscriptionRoutes } from "./routes/subscriptions.ts";
import { addVersionRoutes } from "./routes/versions.ts";
import { addWaitTokenRoutes } from "./routes/wait-tokens.ts";
import { addWorkerRoutes } from "./routes/workers.ts";
import { addWorkflowRoutes } from "./routes/workflows.ts";
import { checkKeyTaken } from "./idempotency.ts";
import { Searches } from "./searches.ts";
import { checkOrigin, whoAsks } from "./who-asks.ts";
import type { Warn } from "../warn.ts";

/** What is asked at the root too. */
export interface MachineAnswers {
  /** Why it is not ready; null: it is. */
  readonly unready: () => Promise<Problem | null>;
  readonly metrics: Metrics;
}

export interface RestOptions {
  readonly controlPlane: string;
  readonly engine: Engine;
  readonly access: Access;
  /** Who watch. */
  readonly clients: LiveClients;
  readonly audit: AuditLog;
  /** Where others reach this, such as `https://cairn.example.com`; null: as whoever asks does. */
  readonly publicUrl: string | null;
  readonly warn: Warn;
  readonly limits: RequestLimits;
}

/** `any`: whoever says who he is. `public`: nobody is asked. */
export type RouteScope = Scope | "any" | "public";

/** What routes have: they take schemas of Zod, and answer by them. */
export type RestApp = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

declare module "fastify" {
  interface FastifyContextConfig {
    /** What it takes to ask for this; every route below `/v1` says it. */
    readonly scope?: RouteScope;
    /** Machines ask it all the time whether it lives: that has a limit of its own. */
    readonly isProbe?: true;
    /** Its bodies have a room of their own in memory, which they take as they arrive. */
    readonly hasRoom?: true;
    /** What is written down of it, such as `run.cancel`: of every route that changes something. */
    readonly audit?: string;
    /** A `POST` that changes nothing: what it asks is too long for an address. */
    readonly isQuestion?: true;
  }
  interface FastifyRequest {
    /** Who asks, below `/v1`; of a public route, nobody is asked who he is. */
    caller: Caller;
    /** The run that the answer is about, if there was none before. */
    answeredRun: string | null;
    /** Those that it was done to, if they are many, and what is written down of them. */
    answeredRuns: AnsweredRuns | null;
    /** The id of what the request has made, if it had none before. */
    answeredSubject: string | null;
    /** What else is written down of what was done. */
    answeredDetail: object | null;
    /** Where the key is that was made or revoked: who is for all namespaces need not name it. */
    answeredNamespace: string | null;
    /** What was asked for is as it was before; unless it broke off, when nobody knows. */
    changedNothing: boolean;
  }
}

interface AnsweredRuns {
  readonly ids: readonly string[];
  readonly detail: Readonly<Record<string, unknown>>;
}

const NOBODY: Caller = { name: "nobody", scopes: [], namespace: null };

export interface RestContext extends RestOptions, MachineAnswers {
  /** In which whoever asks may and wants to be. Throws `Refused`. */
  readonly namespaceOf: (request: FastifyRequest) => string;
  readonly searches: Searches;
}

/** `/v1`: each resource in a file of its own in `routes`. */
export function addRest(app: FastifyInstance, options: RestOptions, answers: MachineAnswers): void {
  const { limits } = options;
  void app.register(
    async (v1) => {
      v1.decorateRequest("caller", null as unknown as Caller);
      v1.addHook("onRoute", ({ config, url, method: one }) => {
        const method = String(one);
        const isAudited = config?.audit !== undefined || config?.isQuestion === true;
        if (isChange(method) && !isAudited) throw new Error(`${method} ${url} is not audited`);
      });
      // Before anything of the body is read.
      v1.addHook("onRequest", async (request, reply) => {
        const { scope, isProbe } = request.routeOptions.config;
        const isOpen = scope === undefined || scope === "public";
        request.caller = NOBODY;
        if (!isOpen) {
          request.caller = await limits.callerOf(request, reply, () => whoAsks(options.access, request.raw));
        }
        if (isProbe === true) limits.admitProbe(request, reply);
        else limits.admit(request, reply, isOpen ? null : request.caller);
        if (isOpen) return;
        checkOrigin(options.access, request.raw);
        if (scope !== "any") checkScope(request.caller, scope);
        checkNamed(request);
        checkKeyTaken(request);
      });
      // When it is known who asks, and, of a public route, that he has what it takes.
      v1.addHook("preParsing", async (request, reply, body) => {
        if (request.routeOptions.config.hasRoom === true) return body;
        return limits.counted(request, reply, request.caller === NOBODY, body);
      });
      addAudit(v1, options.audit);
      addLargeAnswers(v1, limits);
      const context: RestContext = { ...options, ...answers, namespaceOf, searches: new Searches() };
      const rest = v1.withTypeProvider<ZodTypeProvider>();
      for (const add of ROUTES) add(rest, context);
    },
    { prefix: "/v1" },
  );
}

const ROUTES: readonly ((app: RestApp, context: RestContext) => void)[] = [
  addHealthRoutes,
  addRunRoutes,
  addRunWaitRoutes,
  addRunBatchRoutes,
  addBulkRoutes,
  addRunPartRoutes,
  addRunOrderRoutes,
  addLiveRoutes,
  addScheduleRoutes,
  addSubscriptionRoutes,
  addSecretRoutes,
  addOutboxRoutes,
  addRetentionRoutes,
  addWorkflowRoutes,
  addVersionRoutes,
  addWorkerRoutes,
  addAccessRoutes,
  addLimitRoutes,
  addAuditRoutes,
  addWaitTokenRoutes,
];

function isChange(method: string): boolean {
  return !["GET", "HEAD", "OPTIONS"].includes(method);
}

/** What is large goes out as it is taken, and, of what is read, as much as there is room for: what was done is not refused any more. */
function addLargeAnswers(v1: FastifyInstance, limits: RequestLimits): void {
  v1.addHook("onSend", async (request, reply, payload) => {
    if (typeof payload !== "string" || payload.length <= SMALL_BYTES || request.method === "HEAD") return payload;
    const bytes = Buffer.from(payload);
    if (isChange(request.method)) limits.keep(request, reply, bytes.length);
    else limits.hold(request, reply, bytes.length);
    void reply.header("content-length", bytes.length);
    return new LargeAnswer(bytes);
  });
}

/** Writes down who did what, before it is answered. */
function addAudit(v1: FastifyInstance, audit: AuditLog): void {
  v1.decorateRequest("answeredRun", null);
  v1.decorateRequest("answeredRuns", null);
  v1.decorateRequest("answeredSubject", null);
  v1.decorateRequest("answeredDetail", null);
  v1.decorateRequest("answeredNamespace", null);
  v1.decorateRequest("changedNothing", false);
  v1.addHook("preSerialization", async (request, _, payload: unknown) => {
    const { id, namespace } = (payload ?? {}) as { readonly id?: unknown; readonly namespace?: unknown };
    const isStart = ["run.start", "run.fork", "schedule.trigger"].includes(request.routeOptions.config.audit ?? "");
    if (isStart && typeof id === "string" && isRunId(id)) request.answeredRun = id;
    if (request.routeOptions.config.audit === "key.create" && typeof id === "string") request.answeredSubject = id;
    // Of what else is there, the namespace is named, or the usual one.
    const isOfKey = ["key.create", "key.revoke"].includes(request.routeOptions.config.audit ?? "");
    if (isOfKey && typeof namespace === "string") request.answeredNamespace = namespace;
    return payload;
  });
  v1.addHook("onSend", async (request, reply, payload) => {
    // Refused before anybody was asked who he is, as what pages of others make a browser ask.
    if ((request.caller as Caller | null) === null) return payload;
    const entry = auditedRequest(request, reply, () => auditedNamespace(request));
    if (entry !== null) await audit.write(entry, request.changedNothing && entry.status < 500);
    return payload;
  });
}

/** That of what was changed, or that which was wanted, if whoever asked may be there. */
function auditedNamespace(request: FastifyRequest): string {
  try {
    return request.answeredNamespace ?? namespaceOf(request);
  } catch {
    return request.caller.namespace ?? "default";
  }
}

/** Whatever the route does with it: one that is named and not one's own is refused. */
function checkNamed(request: FastifyRequest): void {
  const named = namedBy(request);
  if (named !== undefined) checkNamespace(request.caller, String(named));
}

function namedBy({ query, headers }: FastifyRequest): string | string[] | undefined {
  return (query as { readonly namespace?: string | string[] }).namespace ?? headers["cairn-namespace"];
}

/** By the query, by a header, by the token if that is for one alone, or the usual one. */
function namespaceOf(request: FastifyRequest): string {
  return namespaceFor(request.caller, namedBy(request));
}
