import type { IncomingHttpHeaders } from "node:http";
import { SESSION_MS } from "../access/access.ts";

const NAME = "cairn_session";

/** What a browser has instead of a key; null: it has none. */
export function sessionSecret({ cookie }: IncomingHttpHeaders): string | null {
  const [, secret = null] = /(?:^|; *)cairn_session=([A-Za-z0-9_-]{1,100})(?:;|$)/.exec(cookie ?? "") ?? [];
  return secret;
}

/** For this origin alone, out of reach of scripts, and never sent from elsewhere. */
export function sessionCookie(secret: string, isSecure: boolean): string {
  return `${NAME}=${secret}; Max-Age=${SESSION_MS / 1_000}; ${attributes(isSecure)}`;
}

export function endedCookie(isSecure: boolean): string {
  return `${NAME}=; Max-Age=0; ${attributes(isSecure)}`;
}

function attributes(isSecure: boolean): string {
  return `Path=/; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`;
}
