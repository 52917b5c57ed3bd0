import { readFileSync } from "node:fs";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { docsPage, PAGE_SCRIPT, PAGE_STYLE } from "./docs-page.ts";
import { openApiDocument } from "./openapi-document.ts";
import type { RouteList } from "./route-list.ts";

/** All that the page needs is here; nothing may frame it. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** What a control plane says of its own routes: for programs, and for people. */
export function addOpenApi(app: FastifyInstance, routes: RouteList): void {
  let written: { readonly json: string; readonly page: string } | null = null;
  const write = (): { readonly json: string; readonly page: string } => {
    const document = openApiDocument(routes, version());
    return { json: JSON.stringify(document), page: docsPage(document) };
  };
  const config = { scope: "public" } as const;
  const text = { response: { 200: z.string() } };
  app.get("/openapi.json", { config, schema: { response: { 200: z.looseObject({}) } } }, (_, reply) => {
    written ??= write();
    // As a text: it is written once.
    return reply.type("application/json").send(written.json);
  });
  app.get("/docs", { config, schema: text }, (_, reply) => {
    written ??= write();
    return reply.header("content-security-policy", PAGE_POLICY).type("text/html; charset=utf-8").send(written.page);
  });
  app.get("/docs/page.css", { config }, (_, reply) => reply.type("text/css; charset=utf-8").send(PAGE_STYLE));
  app.get("/docs/page.js", { config }, (_, reply) => reply.type("text/javascript; charset=utf-8").send(PAGE_SCRIPT));
}

function version(): string {
  const file = new URL("../../../package.json", import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { readonly version: string }).version;
}
