import { Health, InNamespace, Live, Ready } from "@cairnjs/schemas/rest";
import { z } from "zod";
import { checkEverywhere } from "../../access/caller.ts";
import { sendProblem } from "../problems.ts";
import type { RestApp, RestContext } from "../rest.ts";

/** What machines ask: the same as at the root. */
export function addHealthRoutes(app: RestApp, { engine, controlPlane, unready, metrics }: RestContext): void {
  app.get(
    "/health",
    { config: { scope: "read" }, schema: { querystring: InNamespace, response: { 200: Health } } },
    async () => {
      // Whoever cannot reach the database is not ready; that is an answer too.
      const ready = await engine.isReady().catch(() => false);
      return { controlPlane, ready, now: new Date(engine.now()).toISOString() };
    },
  );
  app.get(
    "/health/live",
    { config: { scope: "public", isProbe: true }, schema: { querystring: InNamespace, response: { 200: Live } } },
    async () => ({ status: "alive" as const }),
  );
  app.get(
    "/health/ready",
    { config: { scope: "public", isProbe: true }, schema: { querystring: InNamespace, response: { 200: Ready } } },
    async (_, reply) => {
      const why = await unready();
      return why === null ? { status: "ready" as const } : sendProblem(reply, why);
    },
  );
  app.get(
    "/metrics",
    { config: { scope: "read" }, schema: { querystring: InNamespace, response: { 200: z.string() } } },
    async (request, reply) => {
      checkEverywhere(request.caller);
      return reply.type(metrics.contentType).send(await metrics.text());
    },
  );
}
