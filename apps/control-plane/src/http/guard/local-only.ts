import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { Refused } from "../../hub/refused.ts";
import { isLoopback } from "../../loopback.ts";
import { isOwnOrigin } from "../own-origin.ts";

/** A request, as far as browsers say where it comes from. */
type Asked = Pick<IncomingMessage, "method" | "headers" | "socket">;

/**
 * Where nobody is asked who they are: only programs of this machine may ask, and pages that it serves itself or that are named. Any page could make a
 * browser ask (CSRF), or give its own name this machine's address, and read the answers (DNS rebinding): browsers say which host they were sent to, and
 * from which page, and pages cannot change it. Throws `Refused`.
 */
export function checkLocal(request: Asked, origins: readonly string[]): void {
  const { method, headers } = request;
  const { host, origin } = headers;
  if (host !== undefined && !isLoopback(hostnameOf(`http://${host}`))) {
    throw new Refused("Forbidden", `With security off, this is asked for as localhost, not as ${host.slice(0, 200)}`);
  }
  if ((origin !== undefined && origins.includes(origin)) || isOwnPage(request) || isFollowed(method, headers)) return;
  throw new Refused(
    "Forbidden",
    "With security off, pages of other origins may ask only if CAIRN_CORS_ORIGINS names theirs",
  );
}

/** Or no page at all. */
function isOwnPage(request: Asked): boolean {
  const { origin, "sec-fetch-site": site } = request.headers;
  if (site !== undefined) return site === "same-origin" || site === "none";
  return origin === undefined || isOwnOrigin(request, origin);
}

/** A link, in an e-mail that is read in a browser: the page is seen by who follows it, and by nobody else. */
function isFollowed(method: string | undefined, headers: IncomingHttpHeaders): boolean {
  const isPage = headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document";
  return isPage && method === "GET" && headers.upgrade === undefined;
}

function hostnameOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.replace(/^\[(.*)\]$/, "$1") : "";
}
