import type { IncomingMessage } from "node:http";
import type { TLSSocket } from "node:tls";

/** Whether browsers have asked over TLS: of this server, or of a proxy that says so. Whoever else says it keeps himself from plain HTTP, and nobody else. */
export function isSecure({ socket, headers }: Pick<IncomingMessage, "socket" | "headers">): boolean {
  const said = [headers["x-forwarded-proto"] ?? ""].flat().join(",").split(",").at(-1)!;
  return (socket as Partial<TLSSocket>).encrypted === true || said.trim().toLowerCase() === "https";
}

/** Whether a page of this origin is one that this server has shown: by scheme, host and port. */
export function isOwnOrigin(request: Pick<IncomingMessage, "socket" | "headers">, origin: string): boolean {
  const own = `${isSecure(request) ? "https" : "http"}://${request.headers.host ?? ""}`;
  return URL.canParse(origin) && URL.canParse(own) && new URL(origin).origin === new URL(own).origin;
}
