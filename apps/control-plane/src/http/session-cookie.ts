import type { IncomingMessage } from "node:http";
import { SESSION_MS } from "../access/access.ts";
import { isSecure } from "./own-origin.ts";

/**
 * Over TLS browsers take a cookie of this name only from this very host, over TLS, for all paths: no server beside it, and nobody on the way to it, can give a
 * browser the session of someone else. Over plain HTTP they take none of this name.
 */
const SECURE_NAME = "__Host-cairn_session";
const PLAIN_NAME = "cairn_session";

type Asked = Pick<IncomingMessage, "socket" | "headers">;

/** What a browser has instead of a key; null: it has none. Over TLS, what another one could have set is nothing. */
export function sessionSecret(request: Asked): string | null {
  const wanted = `${nameFor(request)}=`;
  const cookies = (request.headers.cookie ?? "").split(";").map((cookie) => cookie.trim());
  const secret = cookies.find((cookie) => cookie.startsWith(wanted))?.slice(wanted.length) ?? "";
  return /^[A-Za-z0-9_-]{1,100}$/.test(secret) ? secret : null;
}

/** For this origin alone, out of reach of scripts, and never sent from elsewhere. */
export function sessionCookie(secret: string, request: Asked): string {
  return `${nameFor(request)}=${secret}; Max-Age=${SESSION_MS / 1_000}; ${attributes(request)}`;
}

export function endedCookie(request: Asked): string {
  return `${nameFor(request)}=; Max-Age=0; ${attributes(request)}`;
}

function nameFor(request: Asked): string {
  return isSecure(request) ? SECURE_NAME : PLAIN_NAME;
}

function attributes(request: Asked): string {
  return `Path=/; HttpOnly; SameSite=Strict${isSecure(request) ? "; Secure" : ""}`;
}
