import type { IncomingHttpHeaders } from "node:http";
import { Refused } from "../../hub/refused.ts";
import { isLoopback } from "../../loopback.ts";

/** A request, as far as browsers say where it comes from. */
interface Asked {
  readonly method?: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

/**
 * Where nobody is asked who they are: only programs of this machine may ask, and pages that it serves itself or that are named. Any page could make a
 * browser ask (CSRF), or give its own name this machine's address, and read the answers (DNS rebinding): browsers say which host they were sent to, and
 * from which page, and pages cannot change it. Throws `Refused`.
 */
export function checkLocal({ method, headers }: Asked, origins: readonly string[]): void {
  const { host, origin } = headers;
  if (host !== undefined && !isLoopback(hostnameOf(`http://${host}`))) {
    throw new Refused("Forbidden", `With security off, this is asked for as localhost, not as ${host.slice(0, 200)}`);
  }
  if ((origin !== undefined && origins.includes(origin)) || isOwnPage(headers) || isFollowed(method, headers)) return;
  throw new Refused(
    "Forbidden",
    "With security off, pages of other origins may ask only if CAIRN_CORS_ORIGINS names theirs",
  );
}

/** Or no page at all. */
function isOwnPage({ origin, host, ...headers }: IncomingHttpHeaders): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin" || site === "none";
  return origin === undefined || origin.toLowerCase() === `http://${host?.toLowerCase()}`;
}

/** A link, in an e-mail that is read in a browser: the page is seen by who follows it, and by nobody else. */
function isFollowed(method: string | undefined, headers: IncomingHttpHeaders): boolean {
  const isPage = headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document";
  return isPage && method === "GET" && headers.upgrade === undefined;
}

function hostnameOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.replace(/^\[(.*)\]$/, "$1") : "";
}
