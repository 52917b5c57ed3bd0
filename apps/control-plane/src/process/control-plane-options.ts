import { isKeyText } from "../access/key-text.ts";
import { isIP } from "node:net";
import type { AccessToken } from "../access/access.ts";
import type { ServerTls } from "../grpc/server-certificates.ts";
import type { Rate } from "../http/guard/buckets.ts";
import type { HttpGuard } from "../http/http-server.ts";
import type { LiveLimits } from "../http/live/live-clients.ts";
import { type CairnOptions, checkCairnOptions } from "../library/cairn-options.ts";
import { isLoopback } from "../loopback.ts";
import { EngineError } from "../library/engine-error.ts";

type EngineOptions = Omit<CairnOptions, "modules" | "namespace" | "concurrency" | "codec">;

export interface ControlPlaneOptions extends EngineOptions {
  readonly listen?: {
    /** Host and port for workers and clients; without it, `127.0.0.1:50051`. */
    readonly grpc?: string;
    /** Host and port for REST, health and metrics; without it, there are none. */
    readonly http?: string;
  };
  /** Where workers reach this control plane; without it, `CAIRN_ADVERTISE_URL`; without that, its host and port, if these say it. */
  readonly advertiseUrl?: string | undefined;
  /** Where people reach REST, for addresses that are sent to them; without it, `CAIRN_PUBLIC_URL`; without that, as whoever asks does. */
  readonly publicUrl?: string | undefined;
  /** False: nobody is asked who he is, and only this machine may be listened to. Without it, everyone is asked. */
  readonly security?: boolean;
  /** Who may ask, beside those who have keys of the database. */
  readonly tokens?: readonly AccessToken[];
  /** Of gRPC, and of HTTP unless `httpTls` says otherwise. */
  readonly tls?: ServerTls;
  /** False: HTTP is spoken without TLS, as behind a proxy that speaks it. */
  readonly httpTls?: boolean;
  /**
   * Whether a certificate of `tls.clientAuthority` says enough over gRPC (`alone`), or a token or key is wanted with it (`with-key`).
   * Without it, the latter where there are tokens.
   */
  readonly certificates?: "alone" | "with-key";
  /**
   * How much of REST a caller may ask: 500 requests a second and 2,000 at once, where nothing else is said. False: as much as they like,
   * as where nobody is asked who they are, unless something is said.
   */
  readonly rate?: Partial<Rate> | false;
  /** Origins of pages that may read answers of REST, such as `https://admin.example.com`, or `*`; without it, none. */
  readonly corsOrigins?: readonly string[];
  /** Addresses and networks of proxies that are believed whom they speak for (`x-forwarded-for`, `x-forwarded-proto`). */
  readonly trustedProxies?: readonly string[];
  /** How often workers say at least that a call is running: 10 s. One that is silent for three times as long is gone. */
  readonly workerHeartbeatMs?: number;
  /** How long a call waits for an action that all workers of its prefix lack, before it fails: 10 s. */
  readonly noHandlerGraceMs?: number;
  /** For those who watch, over server-sent events and WebSockets. */
  readonly live?: {
    /** How many at one time: 5,000. Of one namespace half of them. */
    readonly clientsMax?: number;
    /** How many of one caller: 2,000. */
    readonly clientsPerCallerMax?: number;
    /** How long someone may take nothing while there is something for him: 30 s. */
    readonly slowMs?: number;
    /** How often streams say that they live: 15 s. */
    readonly heartbeatMs?: number;
  };
}

export interface ControlPlaneSettings {
  readonly engine: EngineOptions;
  readonly listen: string;
  readonly http: Listen | null;
  /** Of each caller; null: no limit. */
  readonly rate: Rate | null;
  readonly guard: HttpGuard;
  readonly advertiseUrl: string | null;
  readonly publicUrl: string | null;
  readonly security: boolean;
  readonly tokens: readonly AccessToken[];
  readonly tls: ServerTls | null;
  readonly httpTls: boolean;
  readonly certificatesSuffice: boolean;
  readonly workerHeartbeatMs: number;
  readonly noHandlerGraceMs: number;
  readonly live: LiveLimits;
}

interface Listen {
  readonly host: string;
  readonly port: number;
}

const USUAL_RATE: Rate = { perSecond: 500, burst: 2_000 };
const RATE_MIN = 0.001;
const RATE_MAX = 1_000_000;

/** It would be valid for ever, with whatever scopes tokens have, whoever revokes it. */
const KEY_AS_TOKEN =
  "This is a key and no token (CAIRN_TOKEN, CAIRN_TOKENS): as a token of a control plane, it could not be revoked. " +
  "Keys are in the database, and need not be said here: take it out of the settings, and give it to commands and workers as CAIRN_KEY";

const NO_AUTHORITY =
  "certificates (CAIRN_TLS_CLIENTS) says what certificates of clients are good for, and none are asked for: " +
  "name their authority too (CAIRN_TLS_CA)";

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Throws an EngineError that names the option which cannot be right. */
export function controlPlaneSettings(options: ControlPlaneOptions): ControlPlaneSettings {
  const { listen = {}, advertiseUrl, publicUrl, workerHeartbeatMs, noHandlerGraceMs, ...others } = options;
  const {
    security = true,
    tokens = [],
    tls,
    httpTls = true,
    certificates,
    rate,
    corsOrigins,
    trustedProxies,
    live = {},
    ...given
  } = others;
  // Who makes subscriptions over REST is not who runs the process.
  const engine = { ...given, outbox: { ...given.outbox, allow: given.outbox?.allow ?? {} } };
  for (const name of ["modules", "namespace", "concurrency", "codec"]) {
    if (name in engine) refuse(`${name} is for processes with actions: here they are the workers'`);
  }
  checkCairnOptions(engine);
  const said = advertiseUrl ?? process.env["CAIRN_ADVERTISE_URL"] ?? "";
  if (said !== "" && !/^https?:\/\/[^/]+$/.test(said)) {
    refuse(`The advertised URL is such as http://10.0.0.5:50051, not ${JSON.stringify(said)}`);
  }
  const http = listen.http === undefined ? null : parseListen("listen.http", listen.http);
  const grpc = parseListen("listen.grpc", listen.grpc ?? "127.0.0.1:50051");
  if (!security) for (const { host } of [grpc, ...(http === null ? [] : [http])]) refuseOpen(host);
  for (const { token } of tokens) if (!/^\S+$/.test(token)) refuse("A token is a text without spaces");
  if (tokens.some(({ token }) => isKeyText(token))) refuse(KEY_AS_TOKEN);
  if (new Set(tokens.map(({ token }) => token)).size < tokens.length) {
    refuse("The same token is given twice (CAIRN_TOKEN, CAIRN_TOKENS), and may be one alone");
  }
  if (!security && corsOrigins?.includes("*") === true) {
    refuse("With security off, every page could do everything here: name origins (CAIRN_CORS_ORIGINS) instead of *");
  }
  if (certificates !== undefined && !["alone", "with-key"].includes(certificates)) {
    refuse(`certificates is alone or with-key, not ${JSON.stringify(certificates)}`);
  }
  if (certificates !== undefined && tls?.clientAuthority === undefined) refuse(NO_AUTHORITY);
  return {
    engine,
    listen: `${grpc.host.includes(":") ? `[${grpc.host}]` : grpc.host}:${grpc.port}`,
    http,
    rate: rate === false || (rate === undefined && !security) ? null : checkedRate(rate ?? {}),
    guard: {
      corsOrigins: (corsOrigins ?? []).map(checkedOrigin),
      trustedProxies: (trustedProxies ?? []).map(checkedProxy),
    },
    advertiseUrl: said === "" ? null : said,
    publicUrl: publicAddress(publicUrl ?? process.env["CAIRN_PUBLIC_URL"] ?? ""),
    security,
    tokens,
    tls: tls ?? null,
    httpTls,
    certificatesSuffice: (certificates ?? (tokens.length === 0 ? "alone" : "with-key")) === "alone",
    workerHeartbeatMs: duration("workerHeartbeatMs", workerHeartbeatMs ?? 10_000, 10),
    noHandlerGraceMs: duration("noHandlerGraceMs", noHandlerGraceMs ?? 10_000, 0),
    live: {
      clientsMax: count("live.clientsMax", live.clientsMax ?? 5_000),
      clientsPerCallerMax: count("live.clientsPerCallerMax", live.clientsPerCallerMax ?? 2_000),
      slowMs: duration("live.slowMs", live.slowMs ?? 30_000, 10),
      heartbeatMs: duration("live.heartbeatMs", live.heartbeatMs ?? 15_000, 10),
    },
  };
}

function publicAddress(said: string): string | null {
  if (said === "") return null;
  const url = URL.canParse(said) ? new URL(said) : null;
  if (url !== null && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "" && url.username === "") {
    return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
  }
  return refuse(`The public URL is such as https://cairn.example.com, not ${JSON.stringify(said)}`);
}

function checkedRate({ perSecond = USUAL_RATE.perSecond, burst = USUAL_RATE.burst }: Partial<Rate>): Rate {
  if (!(perSecond >= RATE_MIN && perSecond <= RATE_MAX)) refuse(`rate.perSecond is from ${RATE_MIN} to ${RATE_MAX}`);
  if (!(Number.isInteger(burst) && burst >= 1 && burst <= RATE_MAX)) {
    refuse(`rate.burst is a whole number from 1 to ${RATE_MAX}, not ${String(burst)}`);
  }
  return { perSecond, burst };
}

/** As browsers say it: scheme, host and port, and nothing behind. */
function checkedOrigin(text: string): string {
  if (text === "*" || (URL.canParse(text) && new URL(text).origin === text)) return text;
  return refuse(`An origin of CORS is such as https://admin.example.com, or *, not ${JSON.stringify(text)}`);
}

function checkedProxy(text: string): string {
  const [, address = "", bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const family = isIP(address);
  if (family !== 0 && (bits === undefined || Number(bits) <= (family === 4 ? 32 : 128))) return text;
  return refuse(`A trusted proxy is an address or a network such as 10.0.0.0/8, not ${JSON.stringify(text)}`);
}

function parseListen(name: string, text: string): Listen {
  const [, six, four, digits] = /^(?:\[([0-9a-f:.]+)\]|([^:[\]\s]+)):(\d{1,5})$/i.exec(text) ?? [];
  const [host, port] = [six ?? four, Number(digits)];
  if (host !== undefined && port <= 65_535) return { host, port };
  return refuse(`${name} is a host and a port such as 127.0.0.1:50051, not ${JSON.stringify(text)}`);
}

/** Whoever reaches the port could run anything that workers can. */
function refuseOpen(host: string): void {
  if (isLoopback(host)) return;
  refuse(
    `Others than this machine can reach ${host}, and with security off nobody is asked who they are: leave it on (CAIRN_SECURITY), ` +
      "and make keys (cairn keys create --direct) or give tokens (CAIRN_TOKEN)",
  );
}

function count(name: string, value: number): number {
  if (Number.isInteger(value) && value >= 0 && value <= 1_000_000) return value;
  return refuse(`${name} is a whole number from 0 to 1000000, not ${String(value)}`);
}

function duration(name: string, value: number, least: number): number {
  if (Number.isInteger(value) && value >= least && value <= DAY_MS) return value;
  return refuse(`${name} is a whole number from ${least} to ${DAY_MS}, not ${String(value)}`);
}

function refuse(message: string): never {
  throw new EngineError("InvalidOption", message);
}
