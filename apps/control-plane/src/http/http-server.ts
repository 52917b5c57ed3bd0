import { Live, Ready } from "@cairnjs/schemas/rest";
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { Server as HttpsServer } from "node:https";
import { z } from "zod";
import type { Access } from "../access/access.ts";
import { checkEverywhere, checkScope } from "../access/caller.ts";
import { writeRefused } from "../audit/refused-entry.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { answerSerializer } from "./answer-serializer.ts";
import { TrustedProxies } from "./guard/addresses.ts";
import { Connections } from "./guard/connections.ts";
import { addCors } from "./guard/cors.ts";
import { checkLocal } from "./guard/local-only.ts";
import { RequestLimits } from "./guard/request-limits.ts";
import { addResponseHeaders, setResponseHeaders } from "./guard/response-headers.ts";
import { SlowTransfers } from "./guard/slow-transfers.ts";
import { Turns } from "./guard/turns.ts";
import { addOpenApi } from "./openapi/add-openapi.ts";
import { RouteList } from "./openapi/route-list.ts";
import { internalProblem, problem, problemOf, sendProblem } from "./problems.ts";
import { SocketServer } from "./live/socket-server.ts";
import type { Problem } from "@cairnjs/schemas/rest";
import { checkBodyHeaders, takeJsonBodies } from "./request-body.ts";
import { requestValidator } from "./request-validator.ts";
import { addRest, type RestOptions, type RouteScope } from "./rest.ts";
import type { Warn } from "../warn.ts";
import { callerOfRequest } from "./who-asks.ts";

/** Who may ask from where. */
export interface HttpGuard {
  /** Pages that may read answers; `*`: all. */
  readonly corsOrigins: readonly string[];
  /** Addresses and networks of proxies whose `x-forwarded-for` is believed. */
  readonly trustedProxies: readonly string[];
}

export interface HttpServerOptions {
  /** Host and port; 0 is any that is free. */
  readonly listen: { readonly host: string; readonly port: number };
  /** Without it, it speaks plain HTTP. */
  readonly tls?: HttpTls;
  readonly metrics: Metrics;
  /** Whether this control plane does what it is for. Rejects if the database cannot be reached. */
  readonly isReady: () => Promise<boolean>;
  readonly access: Access;
  /** What people and programs ask; without it, there is no `/v1`. */
  readonly rest?: Omit<RestOptions, "limits">;
  readonly guard?: HttpGuard;
  /** How much who may ask; without it, as much as they like. */
  readonly limits?: RequestLimits;
  readonly warn: Warn;
}

export interface HttpTls {
  readonly key: Buffer;
  readonly certificate: Buffer;
}

/** Something that it answers. */
export interface ServedRoute {
  readonly method: string;
  readonly path: string;
  /** What it takes to ask for it. */
  readonly scope: RouteScope;
}
const UNGUARDED: HttpGuard = { corsOrigins: [], trustedProxies: [] };

/** Whoever asks wants an answer soon: one that takes longer is a no. */
const READY_MS_MAX = 2_000;
/** Anybody may ask, and it asks the database: so often. */
const READY_EVERY_MS = 250;
const BODY_BYTES_MAX = 1024 * 1024;
/** In which TLS must be agreed on, then headers must have arrived, then all of it; `SlowTransfers` sees whether it comes at all. */
const HEADERS_MS_MAX = 5_000;
const REQUEST_MS_MAX = 5 * 60_000;
const SLOW_LOOK_MS = 1_000;
const HEADER_BYTES_MAX = 16 * 1024;
const PARSER = {
  headersTimeout: HEADERS_MS_MAX,
  connectionsCheckingInterval: SLOW_LOOK_MS,
  maxHeaderSize: HEADER_BYTES_MAX,
};
/** Of a connection on which nothing is asked. */
const IDLE_MS_MAX = 72_000;
/** Names of 500 characters, as they are written in a path. */
const PATH_PART_LENGTH_MAX = 6_000;

/** What machines ask of a control plane: whether it lives, whether it works, how much it does. */
export class HttpServer {
  readonly port: number;
  readonly routes: readonly ServedRoute[];
  readonly #app: FastifyInstance;
  readonly #state: { isDraining: boolean };

  static async open(options: HttpServerOptions): Promise<HttpServer> {
    const { guard = UNGUARDED, limits = new RequestLimits(null, () => performance.now()) } = options;
    const proxies = new TrustedProxies(guard.trustedProxies);
    const connections = new Connections(proxies.has);
    const turns = new Turns();
    const slow = new SlowTransfers(connections.tooLate);
    const inTurn = ({ raw: request }: FastifyRequest, { raw: response }: FastifyReply, next: () => void): void =>
      turns.take(request, response, () => {
        slow.watch(request, response);
        next();
      });
    const state = { isDraining: false };
    const app = fastify({
      ...secured(options.tls),
      bodyLimit: BODY_BYTES_MAX,
      requestTimeout: REQUEST_MS_MAX,
      keepAliveTimeout: IDLE_MS_MAX,
      clientErrorHandler: connections.refuse,
      trustProxy: guard.trustedProxies.length === 0 ? false : proxies.has,
      // Else it would wait for browsers and probes that keep their connections.
      forceCloseConnections: true,
      routerOptions: { maxParamLength: PATH_PART_LENGTH_MAX },
      // Paths that cannot be read, for which there is no route.
      frameworkErrors: (error, request, reply) => {
        inTurn(request, reply, () => {
          setResponseHeaders(request, reply);
          sendProblem(reply, saidOf(admitted(limits, request, reply) ?? error, request, state, options.warn));
        });
      },
    });
    const routes = new RouteList(app);
    app.addHook("onRequest", inTurn);
    app.addHook("onClose", async () => slow.close());
    app.setValidatorCompiler(requestValidator);
    app.setSerializerCompiler(answerSerializer);
    takeJsonBodies(app);
    addResponseHeaders(app);
    addCors(app, guard.corsOrigins);
    if (!options.access.isOn) app.addHook("onRequest", async (request) => checkLocal(request.raw, guard.corsOrigins));
    // When it is known who asks, and before anything of it is read.
    app.addHook("preParsing", async (request) => checkBodyHeaders(request));
    // Here and not when its body was read.
    app.addHook("onRequest", async (request, reply) => {
      if (request.is404) await noRoute(request, reply, { limits, routes });
    });
    const isReady = seldom(options.isReady, READY_EVERY_MS);
    addRoutes(app, { ...options, isReady }, { limits, routes, state });
    const answers = { unready: () => unready(isReady, state), metrics: options.metrics };
    addOpenApi(app, routes, limits);
    if (options.rest !== undefined) {
      addRest(app, { ...options.rest, limits }, answers);
      const sockets = new SocketServer(app.server, { ...options.rest, limits, proxies, origins: guard.corsOrigins });
      app.addHook("preClose", async () => sockets.close());
    }
    connections.watch(app.server);
    await app.listen(options.listen);
    const address = app.server.address();
    if (address === null || typeof address === "string") throw new Error("The server listens on no port");
    const served = routes.all.map(({ method, url: path, scope }) => ({ method, path, scope }));
    return new HttpServer(app, address.port, served, state);
  }

  private constructor(
    app: FastifyInstance,
    port: number,
    routes: readonly ServedRoute[],
    state: { isDraining: boolean },
  ) {
    this.#app = app;
    this.port = port;
    this.routes = routes;
    this.#state = state;
  }

  /** Who connects from now on is shown this certificate. */
  renew(tls: HttpTls): void {
    const { server } = this.#app;
    if ((server as object) instanceof HttpsServer) (server as unknown as HttpsServer).setSecureContext(contextOf(tls));
  }

  /** Load balancers send nobody here any more. */
  drain(): void {
    this.#state.isDraining = true;
  }

  async close(): Promise<void> {
    await this.#app.close();
  }
}

/** Its types would differ by what it speaks, and nobody here looks at that. */
function secured(tls: HttpTls | undefined): object {
  return tls === undefined
    ? { http: PARSER }
    : { https: { ...PARSER, ...contextOf(tls), handshakeTimeout: HEADERS_MS_MAX } };
}

function contextOf({ key, certificate }: HttpTls): { readonly key: Buffer; readonly cert: Buffer } {
  return { key, cert: certificate };
}

interface RouteParts {
  readonly limits: RequestLimits;
  readonly routes: RouteList;
  readonly state: { readonly isDraining: boolean };
}

function addRoutes(app: FastifyInstance, options: HttpServerOptions, { limits, state }: RouteParts): void {
  const { metrics, access, rest, warn } = options;
  app.setErrorHandler((error, request, reply) => sendProblem(reply, saidOf(error, request, state, warn)));
  const onRequest = async (request: FastifyRequest, reply: FastifyReply): Promise<void> =>
    limits.admitProbe(request, reply);
  const probe = { config: { scope: "public" }, onRequest } as const;
  app.get("/health", { ...probe, schema: { response: { 200: Live } } }, () => ({ status: "alive" }));
  app.get("/ready", { ...probe, schema: { response: { 200: Ready } } }, async (_, reply) => {
    const why = await unready(options.isReady, state);
    return why === null ? { status: "ready" } : sendProblem(reply, why);
  });
  const text = { response: { 200: z.string() } };
  app.get("/metrics", { config: { scope: "read" }, schema: text }, async (request, reply) => {
    const caller = await limits.callerOf(request, reply, () => callerOfRequest(access, request.raw));
    limits.admit(request, reply, caller);
    try {
      checkScope(caller, "read");
      checkEverywhere(caller);
    } catch (error) {
      const act = { action: "rest.get", subject: "/metrics", via: "rest", address: request.ip } as const;
      if (rest !== undefined) await writeRefused(rest.audit, error, act);
      throw error;
    }
    return reply.type(metrics.contentType).send(await metrics.text());
  });
}

/** What nobody expected is told to those who operate this, and to nobody else. While it ends, its parts are gone one after the other. */
function saidOf(
  error: unknown,
  { method, routeOptions }: FastifyRequest,
  { isDraining }: RouteParts["state"],
  warn: Warn,
): Problem {
  const said = problemOf(error);
  if (said === null && isDraining) return ending();
  if (said === null) warn(`${method} ${routeOptions.url ?? ""} failed`, error);
  return said ?? internalProblem();
}

function ending(): Problem {
  return problem(503, "Closed", "It is handing over its runs, and ends");
}

/** Takes one of its address. Why not, if it has none left. */
function admitted(limits: RequestLimits, request: FastifyRequest, reply: FastifyReply): unknown {
  try {
    limits.admit(request, reply, null);
    return null;
  } catch (error) {
    return error;
  }
}

/** Nothing there, or nothing for this method: `OPTIONS` says what there is. Throws `Refused`. */
function noRoute(
  request: FastifyRequest,
  reply: FastifyReply,
  { limits, routes }: Pick<RouteParts, "limits" | "routes">,
): FastifyReply {
  limits.admit(request, reply, null);
  const path = pathOf(request.url);
  const methods = routes.methodsAt(path);
  if (methods.length === 0) {
    const detail = `There is no ${request.method} ${path}: there are /health, /ready, /metrics, /openapi.json, /docs, /v1 and, for WebSockets, /ws`;
    return sendProblem(reply, problem(404, "NotFound", detail));
  }
  void reply.header("allow", methods.join(", "));
  if (request.method === "OPTIONS") return reply.code(204).send();
  return sendProblem(
    reply,
    problem(405, "MethodNotAllowed", `There is no ${request.method} ${path}: there is ${methods.join(", ")}`),
  );
}

function pathOf(url: string): string {
  return url.split("?", 1)[0]!.slice(0, 200);
}

/** Why it is not ready; null: it is. */
async function unready(
  isReady: () => Promise<boolean>,
  state: { readonly isDraining: boolean },
): Promise<Problem | null> {
  if (state.isDraining) return ending();
  const why = await unreadiness(isReady);
  return why === null ? null : problem(503, "Unavailable", why);
}

/** What was asked a moment ago is not asked again. */
function seldom<T>(ask: () => Promise<T>, everyMs: number): () => Promise<T> {
  let last: { readonly at: number; readonly answer: Promise<T> } | null = null;
  return () => {
    const at = performance.now();
    if (last === null || at - last.at >= everyMs) last = { at, answer: ask() };
    return last.answer;
  };
}

async function unreadiness(isReady: () => Promise<boolean>): Promise<string | null> {
  let timer: NodeJS.Timeout | null = null;
  const tooLong = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve("The database does not answer"), READY_MS_MAX);
  });
  const answer = isReady().then(
    (ready) => (ready ? null : "Its leases are not kept: another life of its runloops is about to begin"),
    () => "The database cannot be reached",
  );
  const why = await Promise.race([answer, tooLong]);
  clearTimeout(timer!);
  return why;
}
