import type { FastifyInstance, FastifyReply } from "fastify";

const METHODS = "GET, HEAD, POST, PUT, DELETE";
const HEADERS = "authorization, content-type, cairn-namespace, idempotency-key, last-event-id, traceparent";
const EXPOSED = "retry-after, ratelimit-limit, ratelimit-remaining, ratelimit-reset, location, www-authenticate";
const PREFLIGHT_SECONDS = 600;

/**
 * Which pages of other origins may read answers; none: no header of CORS is ever sent, and browsers keep everything from them. Cookies
 * are never for other origins: pages elsewhere say a key.
 */
export function addCors(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  const isOpen = origins.includes("*");
  const known = new Set(origins);
  app.addHook("onRequest", async (request, reply) => {
    const { origin } = request.headers;
    // Caches must not give one origin what was for another.
    if (!isOpen) void reply.header("vary", "origin");
    if (origin === undefined || !(isOpen || known.has(origin))) return;
    allow(reply, isOpen ? "*" : origin);
    if (request.method !== "OPTIONS" || request.headers["access-control-request-method"] === undefined) return;
    await reply
      .headers({
        "access-control-allow-methods": METHODS,
        "access-control-allow-headers": HEADERS,
        "access-control-max-age": PREFLIGHT_SECONDS,
      })
      .code(204)
      .send();
  });
}

function allow(reply: FastifyReply, origin: string): void {
  void reply.headers({
    "access-control-allow-origin": origin,
    "access-control-expose-headers": EXPOSED,
    "cross-origin-resource-policy": "cross-origin",
  });
}
