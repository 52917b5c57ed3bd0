import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from "fastify";
import { z } from "zod";
import type { RequestLimits } from "../guard/request-limits.ts";
import { docsPage, PAGE_SCRIPT, PAGE_STYLE } from "./docs-page.ts";
import { openApiDocument } from "./openapi-document.ts";
import type { RouteList } from "./route-list.ts";

/** All that the page needs is here; nothing may frame it. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

interface Page {
  readonly bytes: Buffer;
  readonly type: string;
  readonly etag: string;
}

/** What a control plane says of its own routes: for programs, and for people. All of it is written once. */
export function addOpenApi(app: FastifyInstance, routes: RouteList, limits: RequestLimits): void {
  const document = once(() => openApiDocument(routes, version()));
  const onRequest = async (request: FastifyRequest, reply: FastifyReply): Promise<void> =>
    limits.admit(request, reply, null);
  const add = (path: string, schema: FastifySchema, type: string, text: () => string): void => {
    const page = once(() => pageOf(type, text()));
    app.get(path, { config: { scope: "public" }, onRequest, schema }, (request, reply) =>
      sendPage(request, reply, page()),
    );
  };
  const text = { response: { 200: z.string(), 304: z.null() } };
  const json = { response: { 200: z.looseObject({}), 304: z.null() } };
  add("/openapi.json", json, "application/json; charset=utf-8", () => JSON.stringify(document()));
  add("/docs", text, "text/html; charset=utf-8", () => docsPage(document()));
  add("/docs/page.css", {}, "text/css; charset=utf-8", () => PAGE_STYLE);
  add("/docs/page.js", {}, "text/javascript; charset=utf-8", () => PAGE_SCRIPT);
}

function pageOf(type: string, text: string): Page {
  const bytes = Buffer.from(text);
  return { bytes, type, etag: `"${hash("sha256", bytes, "base64url")}"` };
}

/** It is the same for everybody, until there is another version: who has it need not get it again. */
function sendPage(request: FastifyRequest, reply: FastifyReply, { bytes, type, etag }: Page): FastifyReply {
  void reply.headers({ etag, "cache-control": "no-cache" });
  if (type.startsWith("text/html")) void reply.header("content-security-policy", PAGE_POLICY);
  const known = request.headers["if-none-match"]?.split(",").map((each) => each.trim().replace(/^W\//, ""));
  if (known?.includes(etag) === true || known?.[0] === "*") return reply.code(304).send();
  return reply.type(type).send(bytes);
}

function once<T extends object>(make: () => T): () => T {
  let made: T | null = null;
  return () => (made ??= make());
}

function version(): string {
  const file = new URL("../../../package.json", import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { readonly version: string }).version;
}
