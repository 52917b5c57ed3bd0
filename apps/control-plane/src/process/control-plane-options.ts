import type { AccessToken } from "../grpc/tokens.ts";
import type { ServerTls } from "../grpc/grpc-server.ts";
import { type CairnOptions, checkCairnOptions } from "../library/cairn-options.ts";
import { EngineError } from "../library/engine-error.ts";

type EngineOptions = Omit<CairnOptions, "modules" | "namespace" | "concurrency">;

export interface ControlPlaneOptions extends EngineOptions {
  readonly listen?: {
    /** Host and port for workers and clients; without it, `127.0.0.1:50051`. */
    readonly grpc?: string;
    /** Host and port for REST, health and metrics; without it, there are none. */
    readonly http?: string;
  };
  /** Where workers reach this control plane; without it, `CAIRN_ADVERTISE_URL`; without that, its host and port, if these say it. */
  readonly advertiseUrl?: string;
  /** Who may connect; without it, everyone who can reach the port. */
  readonly tokens?: readonly AccessToken[];
  readonly tls?: ServerTls;
  /** How often workers say at least that a call is running: 10 s. One that is silent for three times as long is gone. */
  readonly workerHeartbeatMs?: number;
  /** How long a call waits for an action that all workers of its prefix lack, before it fails: 10 s. */
  readonly noHandlerGraceMs?: number;
}

export interface ControlPlaneSettings {
  readonly engine: EngineOptions;
  readonly listen: string;
  readonly http: Listen | null;
  readonly advertiseUrl: string | null;
  readonly tokens: readonly AccessToken[] | null;
  readonly tls: ServerTls | null;
  readonly workerHeartbeatMs: number;
  readonly noHandlerGraceMs: number;
}

interface Listen {
  readonly host: string;
  readonly port: number;
}

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Throws an EngineError that names the option which cannot be right. */
export function controlPlaneSettings(options: ControlPlaneOptions): ControlPlaneSettings {
  const { listen = {}, advertiseUrl, tokens, tls, workerHeartbeatMs, noHandlerGraceMs, ...engine } = options;
  for (const name of ["modules", "namespace", "concurrency"]) {
    if (name in engine) refuse(`${name} is for processes with actions: here they are the workers'`);
  }
  checkCairnOptions(engine);
  const said = advertiseUrl ?? process.env["CAIRN_ADVERTISE_URL"] ?? "";
  if (said !== "" && !/^https?:\/\/[^/]+$/.test(said)) {
    refuse(`The advertised URL is such as http://10.0.0.5:50051, not ${JSON.stringify(said)}`);
  }
  const http = listen.http === undefined ? null : parseListen("listen.http", listen.http);
  const grpc = parseListen("listen.grpc", listen.grpc ?? "127.0.0.1:50051");
  if (tokens === undefined && tls?.clientAuthority === undefined) refuseOpen(grpc);
  // It speaks no TLS, so certificates say nothing there.
  if (tokens === undefined && http !== null) refuseOpen(http);
  for (const { token } of tokens ?? []) if (!/^\S+$/.test(token)) refuse("A token is a text without spaces");
  return {
    engine,
    listen: `${grpc.host.includes(":") ? `[${grpc.host}]` : grpc.host}:${grpc.port}`,
    http,
    advertiseUrl: said === "" ? null : said,
    tokens: tokens ?? null,
    tls: tls ?? null,
    workerHeartbeatMs: duration("workerHeartbeatMs", workerHeartbeatMs ?? 10_000, 10),
    noHandlerGraceMs: duration("noHandlerGraceMs", noHandlerGraceMs ?? 10_000, 0),
  };
}

function parseListen(name: string, text: string): Listen {
  const [, six, four, digits] = /^(?:\[([0-9a-f:.]+)\]|([^:[\]\s]+)):(\d{1,5})$/i.exec(text) ?? [];
  const [host, port] = [six ?? four, Number(digits)];
  if (host !== undefined && port <= 65_535) return { host, port };
  return refuse(`${name} is a host and a port such as 127.0.0.1:50051, not ${JSON.stringify(text)}`);
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** Whoever reaches the port could run anything that workers can. */
function refuseOpen({ host }: Listen): void {
  if (isLoopback(host)) return;
  refuse(`Others than this machine can reach ${host}, and nobody is asked who they are: give tokens (CAIRN_TOKEN)`);
}

function duration(name: string, value: number, least: number): number {
  if (Number.isInteger(value) && value >= least && value <= DAY_MS) return value;
  return refuse(`${name} is a whole number from ${least} to ${DAY_MS}, not ${String(value)}`);
}

function refuse(message: string): never {
  throw new EngineError("InvalidOption", message);
}
