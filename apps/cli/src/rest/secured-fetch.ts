import { request } from "node:https";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";

/** What of `fetch` is used here. */
export type Fetch = (url: string | URL, question?: Question) => Promise<Response>;

type Question = Pick<RequestInit, "method" | "headers" | "body" | "signal" | "redirect">;

/** Answers that have no body, and may be given none. */
const EMPTY: ReadonlySet<number> = new Set([204, 205, 304]);

/** `fetch` that trusts this authority alone: Node.js's own takes none before version 24. It follows nothing that leads elsewhere. */
export function securedFetch(authority: Buffer): Fetch {
  return (url, { method = "GET", headers: said = {}, body, signal } = {}) =>
    new Promise((resolve, reject) => {
      const text = typeof body === "string" ? body : "";
      const length = text === "" ? {} : { "content-length": String(Buffer.byteLength(text)) };
      const headers = { ...Object.fromEntries(new Headers(said)), ...length };
      const options = { method, headers, ca: authority, ...(signal == null ? {} : { signal }) };
      const asked = request(url, options, (response) => {
        const status = response.statusCode ?? 0;
        const told = Object.entries(response.headersDistinct).map(([name, values = []]) => [name, values.join(", ")]);
        const stream = EMPTY.has(status) ? null : (Readable.toWeb(response) as ReadableStream<Uint8Array<ArrayBuffer>>);
        resolve(new Response(stream, { status, headers: Object.fromEntries(told) as Record<string, string> }));
      });
      asked.on("error", reject);
      asked.end(text);
    });
}
