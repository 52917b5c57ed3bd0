import type { Engine } from "../library/engine.ts";
import type { Tokens } from "../grpc/tokens.ts";
import { wrongNamespace } from "../grpc/tokens.ts";
import { Refused } from "../hub/refused.ts";
import { Namespace } from "@cairnjs/schemas";
import type { FastifyInstance, FastifyRequest, RawServerDefault } from "fastify";
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from "fastify-type-provider-zod";
import type { FastifyBaseLogger } from "fastify";
import type { IncomingMessage, ServerResponse } from "node:http";
import { internalProblem, problemOf, sendProblem } from "./problems.ts";
import { addHealthRoutes } from "./routes/health.ts";
import { addOutboxRoutes } from "./routes/outbox.ts";
import { addRetentionRoutes } from "./routes/retention.ts";
import { addRunOrderRoutes } from "./routes/run-orders.ts";
import { addRunPartRoutes } from "./routes/run-parts.ts";
import { addRunRoutes } from "./routes/runs.ts";
import { addScheduleRoutes } from "./routes/schedules.ts";
import { addSubscriptionRoutes } from "./routes/subscriptions.ts";
import { addWorkerRoutes } from "./routes/workers.ts";
import { addWorkflowRoutes } from "./routes/workflows.ts";
import type { Warn } from "../warn.ts";

export interface RestOptions {
  readonly controlPlane: string;
  readonly engine: Engine;
  readonly tokens: Tokens;
  readonly warn: Warn;
}

/** What routes have: they take schemas of Zod, and answer by them. */
export type RestApp = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

export interface RestContext extends RestOptions {
  /** In which whoever asks may and wants to be. Throws `Refused`. */
  readonly namespaceOf: (request: FastifyRequest) => string;
}

/** `/v1`: each resource in a file of its own in `routes`. */
export function addRest(app: FastifyInstance, options: RestOptions): void {
  void app.register(
    async (v1) => {
      v1.setValidatorCompiler(validatorCompiler);
      v1.setSerializerCompiler(serializerCompiler);
      v1.setErrorHandler((error, request, reply) => {
        const said = problemOf(error);
        if (said === null) options.warn(`${request.method} ${request.routeOptions.url ?? ""} failed`, error);
        return sendProblem(reply, said ?? internalProblem());
      });
      const context: RestContext = { ...options, namespaceOf: (request) => namespaceOf(options.tokens, request) };
      const rest = v1.withTypeProvider<ZodTypeProvider>();
      for (const add of ROUTES) add(rest, context);
    },
    { prefix: "/v1" },
  );
}

const ROUTES: readonly ((app: RestApp, context: RestContext) => void)[] = [
  addHealthRoutes,
  addRunRoutes,
  addRunPartRoutes,
  addRunOrderRoutes,
  addScheduleRoutes,
  addSubscriptionRoutes,
  addOutboxRoutes,
  addRetentionRoutes,
  addWorkflowRoutes,
  addWorkerRoutes,
];

/** By the query, by a header, by the token if that is for one alone, or the usual one. */
function namespaceOf(tokens: Tokens, request: FastifyRequest): string {
  const bound = tokens.namespaceOfSaid(request.headers.authorization);
  const inQuery = (request.query as { readonly namespace?: string }).namespace;
  const asked = inQuery ?? request.headers["cairn-namespace"] ?? bound ?? "default";
  const { success, data, error } = Namespace.safeParse(asked);
  if (!success) throw new Refused("InvalidMessage", `The namespace ${error.issues[0]?.message ?? "is not valid"}`);
  if (bound !== null && bound !== data) throw wrongNamespace(data);
  return data;
}
