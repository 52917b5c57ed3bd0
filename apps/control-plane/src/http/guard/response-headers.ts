import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

/** Nothing of an answer is ever shown as a page of ours, in a frame, kept, or taken for another type. */
export const RESPONSE_HEADERS = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
} as const;

/** For this host: of others below its name nothing is known here. */
export const HSTS = "max-age=31536000";

/** On all answers, mistakes too: what a route sets itself counts. */
export function addResponseHeaders(app: FastifyInstance): void {
  app.addHook("onRequest", async (request, reply) => setResponseHeaders(request, reply));
}

/** For what is answered before any hook. */
export function setResponseHeaders({ protocol }: FastifyRequest, reply: FastifyReply): void {
  void reply.headers(RESPONSE_HEADERS);
  // By this server itself, or by a proxy that is trusted.
  if (protocol === "https") void reply.header("strict-transport-security", HSTS);
}
