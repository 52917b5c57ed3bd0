import { isLoopback } from "../loopback.ts";
import type { Warn } from "../warn.ts";
import type { ControlPlaneSettings } from "./control-plane-options.ts";

/** Shorter ones may be guessed, however few guesses there are. */
const TOKEN_LENGTH_MIN = 16;

const SHORT = `it has fewer than ${TOKEN_LENGTH_MIN} characters, and could be guessed: draw one (openssl rand -hex 32), or make keys (cairn keys create)`;

/** What is allowed, and is most likely a mistake. */
export function warnOfExposure(settings: ControlPlaneSettings, warn: Warn): void {
  const { security, tokens, listen, http, tls, httpTls } = settings;
  if (!security) return;
  if (tokens.some(({ token }) => token.length < TOKEN_LENGTH_MIN)) warn("A token is short", new Error(SHORT));
  if (tls !== null) return;
  const grpc = listen.slice(0, listen.lastIndexOf(":")).replace(/^\[(.*)\]$/, "$1");
  // Who says that HTTP is to speak none has a proxy that does.
  const open = [
    ...(isLoopback(grpc) ? [] : ["gRPC"]),
    ...(http === null || !httpTls || isLoopback(http.host) ? [] : ["HTTP"]),
  ];
  if (open.length === 0) return;
  warn("Keys, tokens and values can be read on the network", new Error(plain(open.join(" and "))));
}

function plain(what: string): string {
  return (
    `${what} can be reached from other machines, and speaks no TLS: give CAIRN_TLS_CERT and CAIRN_TLS_KEY, or listen on this machine alone ` +
    "behind a proxy that speaks it; CAIRN_HTTP_TLS=off says that one stands before HTTP"
  );
}
