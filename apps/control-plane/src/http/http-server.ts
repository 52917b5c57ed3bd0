import { httpStatusOf } from "@cairnjs/protocol";
import { fastify, type FastifyInstance } from "fastify";
import { Refused } from "../hub/refused.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { internalProblem, problem, problemOf, sendProblem } from "./problems.ts";
import { addRest, type RestOptions } from "./rest.ts";

export interface HttpServerOptions {
  /** Host and port; 0 is any that is free. */
  readonly listen: { readonly host: string; readonly port: number };
  readonly metrics: Metrics;
  /** Whether this control plane does what it is for. Rejects if the database cannot be reached. */
  readonly isReady: () => Promise<boolean>;
  /** Throws `Refused` if who says this may not see what concerns all namespaces. */
  readonly authorize: (authorization: string | undefined) => void;
  /** What people and programs ask; without it, there is no `/v1`. */
  readonly rest?: RestOptions;
}

/** Whoever asks wants an answer soon: one that takes longer is a no. */
const READY_MS_MAX = 2_000;
const BODY_BYTES_MAX = 1024 * 1024;
const REQUEST_MS_MAX = 10_000;
/** Names of 500 characters, as they are written in a path. */
const PATH_PART_LENGTH_MAX = 6_000;

/** What machines ask of a control plane: whether it lives, whether it works, how much it does. */
export class HttpServer {
  readonly port: number;
  readonly #app: FastifyInstance;
  readonly #state: { isDraining: boolean };

  static async open(options: HttpServerOptions): Promise<HttpServer> {
    const app = fastify({
      bodyLimit: BODY_BYTES_MAX,
      requestTimeout: REQUEST_MS_MAX,
      // Else it would wait for browsers and probes that keep their connections.
      forceCloseConnections: true,
      // In a value, these are names like any other; nothing of a request is merged into anything.
      onProtoPoisoning: "ignore",
      onConstructorPoisoning: "ignore",
      routerOptions: { maxParamLength: PATH_PART_LENGTH_MAX },
      // Paths that cannot be read, for which there is no route.
      frameworkErrors: (error, _, reply) => void sendProblem(reply, problemOf(error) ?? internalProblem()),
    });
    const state = { isDraining: false };
    addRoutes(app, options, state);
    if (options.rest !== undefined) addRest(app, options.rest);
    await app.listen(options.listen);
    const address = app.server.address();
    if (address === null || typeof address === "string") throw new Error("The server listens on no port");
    return new HttpServer(app, address.port, state);
  }

  private constructor(app: FastifyInstance, port: number, state: { isDraining: boolean }) {
    this.#app = app;
    this.port = port;
    this.#state = state;
  }

  /** Load balancers send nobody here any more. */
  drain(): void {
    this.#state.isDraining = true;
  }

  async close(): Promise<void> {
    await this.#app.close();
  }
}

function addRoutes(app: FastifyInstance, options: HttpServerOptions, state: { readonly isDraining: boolean }): void {
  const { metrics, isReady, authorize } = options;
  app.setNotFoundHandler((request, reply) =>
    sendProblem(
      reply,
      problem(
        404,
        "NotFound",
        `There is no ${request.method} ${pathOf(request.url)}: there are /health, /ready, /metrics and /v1`,
      ),
    ),
  );
  app.get("/health", () => ({ status: "alive" }));
  app.get("/ready", async (_, reply) => {
    if (state.isDraining) return sendProblem(reply, problem(503, "Closed", "It is handing over its runs, and ends"));
    const why = await unreadiness(isReady);
    return why === null ? { status: "ready" } : sendProblem(reply, problem(503, "Unavailable", why));
  });
  app.get("/metrics", async (request, reply) => {
    try {
      authorize(request.headers.authorization);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return sendProblem(reply, problem(httpStatusOf(error.code), error.code, error.message));
    }
    return reply.type(metrics.contentType).send(await metrics.text());
  });
}

function pathOf(url: string): string {
  return url.split("?", 1)[0]!.slice(0, 200);
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
