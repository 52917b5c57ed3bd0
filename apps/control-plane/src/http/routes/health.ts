import { Health, InNamespace } from "@cairnjs/schemas/rest";
import type { RestApp, RestContext } from "../rest.ts";

export function addHealthRoutes(app: RestApp, { engine, controlPlane, tokens }: RestContext): void {
  app.get("/health", { schema: { querystring: InNamespace, response: { 200: Health } } }, async (request) => {
    tokens.namespaceOfSaid(request.headers.authorization);
    return { controlPlane, ready: await engine.isReady(), now: new Date(engine.now()).toISOString() };
  });
}
