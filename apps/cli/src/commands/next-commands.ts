import { X509Certificate } from "node:crypto";
import type { ControlPlaneOptions } from "@cairnjs/control-plane";

/** Where workers and clients look if they are not told where. */
const USUAL = "127.0.0.1:50051";
/** Not addresses that one could connect to, but all that a machine has. */
const ANY: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

/** What to try with a control plane that listens on this port for gRPC, with all that it wants of those who connect. */
export function nextCommands(port: number, options: ControlPlaneOptions, listening: string): readonly string[] {
  const host = ANY.has(listening) ? "127.0.0.1" : listening;
  const { tls } = options;
  const address = tls === undefined ? `${bracketed(host)}:${port}` : `https://${certifiedHost(tls, host)}:${port}`;
  const url = address === USUAL ? "" : ` --url ${address}`;
  const variables = wantedOf(options).map((name) => `${name}=… `);
  return [
    `${variables.join("")}npx cairn worker${url}`,
    `${variables.join("")}npx cairn run TYPE --input JSON --wait${url}`,
  ];
}

function wantedOf({ security, tls, tokens = [], certificates }: ControlPlaneOptions): string[] {
  const hasAuthority = tls?.clientAuthority !== undefined;
  const suffices = hasAuthority && (certificates ?? (tokens.length === 0 ? "alone" : "with-key")) === "alone";
  return [
    ...(security === false || suffices ? [] : ["CAIRN_KEY"]),
    ...(tls === undefined ? [] : ["CAIRN_TLS_CA"]),
    ...(hasAuthority ? ["CAIRN_TLS_CERT", "CAIRN_TLS_KEY"] : []),
  ];
}

/** One that the certificate is for, or the first of its names. */
function certifiedHost({ certificate }: NonNullable<ControlPlaneOptions["tls"]>, host: string): string {
  const shown = new X509Certificate(certificate);
  if (shown.checkIP(host) !== undefined || shown.checkHost(host) !== undefined) return bracketed(host);
  if (shown.checkHost("localhost") !== undefined) return "localhost";
  const [, name] = /(?:^|, )DNS:([^,*]+)(?:,|$)/.exec(shown.subjectAltName ?? "") ?? [];
  return name ?? bracketed(host);
}

function bracketed(host: string): string {
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
}
