import type { IncomingHttpHeaders } from "node:http";
import type { Access } from "../access/access.ts";
import type { Caller } from "../access/caller.ts";
import { bearerIn } from "../access/key-text.ts";
import { Refused } from "../hub/refused.ts";
import { sessionSecret } from "./session-cookie.ts";

/** A request, as far as it says who makes it. */
interface Asked {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
}

/** What a page of another origin may cause, and learns nothing by. */
const HARMLESS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** By the header `authorization`, or by the cookie of a login. Rejects if it is nobody known, or a page of another origin. */
export async function callerOfRequest(access: Access, request: Asked): Promise<Caller> {
  const caller = await whoAsks(access, request);
  checkOrigin(access, request);
  return caller;
}

/** Who it is; what others made a browser ask is to be refused by `checkOrigin`. */
export async function whoAsks(access: Access, { headers }: Asked): Promise<Caller> {
  const secret = secretOf(headers);
  return secret === null ? access.callerOf(headers.authorization) : access.callerOfSession(secret);
}

/** Browsers send cookies whoever made them ask: they say who that was, and pages cannot change it. */
export function checkOrigin(access: Access, { method, headers }: Asked): void {
  // A page that upgrades a request to a WebSocket could read and write all of it.
  const isHarmless = HARMLESS.has(method) && headers.upgrade === undefined;
  if (!access.isOn || isHarmless || secretOf(headers) === null || isSameOrigin(headers)) return;
  throw new Refused("Forbidden", "With the cookie of a login, only a page of this server may ask for this");
}

/** What it shows, however that is spelled; null: nothing. */
export function credentialOf(headers: IncomingHttpHeaders): string | null {
  const { authorization } = headers;
  return authorization === undefined ? sessionSecret(headers) : (bearerIn(authorization) ?? authorization);
}

/** The header counts more, if there is one. */
function secretOf(headers: IncomingHttpHeaders): string | null {
  return headers.authorization === undefined ? sessionSecret(headers) : null;
}

/** `Sec-Fetch-Site` says more than the origin, behind a proxy too, but is sent over TLS and on loopback alone. */
function isSameOrigin(headers: IncomingHttpHeaders): boolean {
  const { origin, host } = headers;
  const site = headers["sec-fetch-site"];
  return site === undefined ? origin !== undefined && hostOf(origin) === host : site === "same-origin";
}

function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null;
}
