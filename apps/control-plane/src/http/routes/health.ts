import { Health, InNamespace } from "@cairnjs/schemas/rest";
import type { RestApp, RestContext } from "../rest.ts";

export function addHealthRoutes(app: RestApp, { engine, controlPlane, tokens }: RestContext): void {
  app.get("/health", { schema: { querystring: InNamespace, response: { 200: Health } } }, async (request) => {
    tokens.namespaceOfSaid(request.headers.authorization);
    // Whoever cannot reach the database is not ready; that is an answer too.
    const ready = await engine.isReady().catch(() => false);
    return { controlPlane, ready, now: new Date(engine.now()).toISOString() };
  });
}
