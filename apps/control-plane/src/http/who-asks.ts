import type { IncomingMessage } from "node:http";
import type { Access } from "../access/access.ts";
import type { Caller } from "../access/caller.ts";
import { credentialIn } from "../access/key-text.ts";
import { Refused } from "../hub/refused.ts";
import { isOwnOrigin } from "./own-origin.ts";
import { sessionSecret } from "./session-cookie.ts";

/** A request, as far as it says who makes it. */
export type Asked = Pick<IncomingMessage, "method" | "headers" | "socket">;

/** What a page of another origin may cause, and learns nothing by. */
const HARMLESS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** By the header `authorization`, or by the cookie of a login. Rejects if it is nobody known, or a page of another origin. */
export async function callerOfRequest(access: Access, request: Asked): Promise<Caller> {
  const caller = await whoAsks(access, request);
  checkOrigin(access, request);
  return caller;
}

/** Who it is; what others made a browser ask is to be refused by `checkOrigin`. */
export async function whoAsks(access: Access, request: Asked): Promise<Caller> {
  const secret = secretOf(request);
  return secret === null ? access.callerOf(request.headers.authorization) : access.callerOfSession(secret);
}

/** Browsers send cookies whoever made them ask: they say who that was, and pages cannot change it. */
export function checkOrigin(access: Access, request: Asked): void {
  const { method = "", headers } = request;
  // A page that upgrades a request to a WebSocket could read and write all of it.
  const isHarmless = HARMLESS.has(method) && headers.upgrade === undefined;
  if (!access.isOn || isHarmless || secretOf(request) === null || isSameOrigin(request)) return;
  throw new Refused("Forbidden", "With the cookie of a login, only a page of this server may ask for this");
}

/** What it shows, however that is spelled; null: nothing. */
export function credentialOf(request: Asked): string | null {
  const { authorization } = request.headers;
  return authorization === undefined ? sessionSecret(request) : credentialIn(authorization);
}

/** The header counts more, if there is one. */
function secretOf(request: Asked): string | null {
  return request.headers.authorization === undefined ? sessionSecret(request) : null;
}

/** `Sec-Fetch-Site` says more than the origin, behind a proxy too, but is sent over TLS and on loopback alone. */
function isSameOrigin(request: Asked): boolean {
  const { origin, "sec-fetch-site": site } = request.headers;
  return site === undefined ? origin !== undefined && isOwnOrigin(request, origin) : site === "same-origin";
}
