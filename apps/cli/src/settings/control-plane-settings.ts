import { readFileSync } from "node:fs";
import type { AccessToken, ControlPlaneOptions, RetentionOptions, ServerTls } from "@cairnjs/control-plane";
import { type Scope, SCOPES } from "@cairnjs/schemas";
import { parseKeep } from "@cairnjs/schemas/rest";
import { SettingsMistake, textSetting as text, wholeSetting } from "@cairnjs/worker";
import { CannotRun } from "../cannot-run.ts";
import type { Environment } from "./known-settings.ts";
import { readMasterKey } from "./master-key.ts";

const PORT_MAX = 65_535;

/** What the settings say, as the control plane takes it. What depends on several of them, it checks itself. */
export function controlPlaneOptions(env: Environment): ControlPlaneOptions {
  const host = text(env, "CAIRN_HOST") ?? "127.0.0.1";
  if (/[\s/[\]]/.test(host)) throw new CannotRun(`CAIRN_HOST is a host or an address, not ${JSON.stringify(host)}`);
  const address = host.includes(":") ? `[${host}]` : host;
  const tokens = readTokens(env);
  const tls = readTls(env);
  const blobs = text(env, "CAIRN_BLOBS");
  return {
    listen: {
      grpc: `${address}:${whole(env, "GRPC_PORT", PORT_MAX) ?? 50_051}`,
      http: `${address}:${whole(env, "API_PORT", PORT_MAX) ?? 9_000}`,
    },
    ...optional("databaseUrl", text(env, "DATABASE_URL")),
    ...optional("listenUrl", text(env, "CAIRN_LISTEN_URL")),
    ...optional("advertiseUrl", text(env, "CAIRN_ADVERTISE_URL")),
    ...optional("publicUrl", text(env, "CAIRN_PUBLIC_URL")),
    ...optional("folder", text(env, "CAIRN_FOLDER")),
    ...optional("runloops", whole(env, "CAIRN_RUNLOOPS")),
    ...optional("memoryMb", whole(env, "CAIRN_MEMORY_MB")),
    ...optional("heldMax", whole(env, "CAIRN_HELD_MAX")),
    ...optional("batchMax", whole(env, "CAIRN_BATCH_MAX")),
    ...optional("poolSize", whole(env, "CAIRN_POOL_SIZE")),
    ...optional("blobs", blobs === null ? null : { folder: blobs }),
    ...optional("pooled", isOn(env, "CAIRN_POOLED") ? (true as const) : null),
    ...optional("leaseMs", whole(env, "CAIRN_LEASE_MS")),
    ...optional("leases", readLeases(env)),
    ...optional("heartbeatMs", whole(env, "CAIRN_HEARTBEAT_MS")),
    ...optional("chunksKeptMs", whole(env, "CAIRN_CHUNKS_KEPT_MS")),
    ...optional("firingsMax", whole(env, "CAIRN_FIRINGS_MAX")),
    ...optional("outbox", readOutbox(env)),
    ...optional("retention", readRetention(env)),
    ...optional("noHandlerGraceMs", whole(env, "CAIRN_NO_HANDLER_GRACE_MS")),
    ...optional("security", text(env, "CAIRN_SECURITY") === null ? null : isSwitchedOn(env, "CAIRN_SECURITY")),
    ...optional("live", readLive(env)),
    ...optional("tokens", tokens.length === 0 ? null : tokens),
    ...optional("tls", tls),
    ...optional("httpTls", isSwitchedOn(env, "CAIRN_HTTP_TLS") ? null : false),
    ...optional("certificates", readCertificates(env)),
    ...optional("rate", readRate(env)),
    ...optional("corsOrigins", readList(env, "CAIRN_CORS_ORIGINS")),
    ...optional("trustedProxies", readList(env, "CAIRN_TRUSTED_PROXIES")),
    ...optional("secrets", readSecrets(env)),
  };
}

function readOutbox(env: Environment): NonNullable<ControlPlaneOptions["outbox"]> | null {
  const allow = {
    ...optional("env", readList(env, "CAIRN_SUBSCRIPTION_ENV")),
    ...optional("secretsFolder", text(env, "CAIRN_SUBSCRIPTION_SECRETS")),
    ...optional("eventsFolder", text(env, "CAIRN_EVENTS_FOLDER")),
  };
  const outbox = {
    ...optional("dispatch", isSwitchedOn(env, "CAIRN_OUTBOX") ? null : false),
    ...optional("allow", Object.keys(allow).length === 0 ? null : allow),
  };
  return Object.keys(outbox).length === 0 ? null : outbox;
}

function readRate(env: Environment): NonNullable<ControlPlaneOptions["rate"]> | null {
  const perSecond = whole(env, "CAIRN_RATE_LIMIT");
  const burst = whole(env, "CAIRN_RATE_BURST");
  if (perSecond === 0) return false;
  if (perSecond === null && burst === null) return null;
  return { ...optional("perSecond", perSecond), ...optional("burst", burst) };
}

function readList(env: Environment, name: string): string[] | null {
  const given = text(env, name);
  return given === null ? null : given.split(",").flatMap((item) => (item.trim() === "" ? [] : [item.trim()]));
}

function readLive(env: Environment): NonNullable<ControlPlaneOptions["live"]> | null {
  const live = {
    ...optional("clientsMax", whole(env, "CAIRN_LIVE_CLIENTS_MAX")),
    ...optional("clientsPerCallerMax", whole(env, "CAIRN_LIVE_CLIENTS_PER_CALLER_MAX")),
    ...optional("slowMs", whole(env, "CAIRN_LIVE_SLOW_MS")),
  };
  return Object.keys(live).length === 0 ? null : live;
}

function readSecrets(env: Environment): Required<ControlPlaneOptions>["secrets"] | null {
  const [masterKey, oldMasterKey] = ["CAIRN_MASTER_KEY", "CAIRN_MASTER_KEY_OLD"].map((name) =>
    readMasterKey(env, name),
  );
  if (!masterKey && !oldMasterKey) return null;
  return { ...optional("masterKey", masterKey ?? null), ...optional("oldMasterKey", oldMasterKey ?? null) };
}

function readLeases(env: Environment): Record<string, number> | null {
  const given = text(env, "CAIRN_LEASES");
  if (given === null) return null;
  const leases = given.split(",").map((each): [string, number] => {
    const [, type, length] = /^\s*([^\s=]+)=(\d+)\s*$/.exec(each) ?? [];
    if (type !== undefined && length !== undefined) return [type, Number(length)];
    throw new CannotRun(
      `CAIRN_LEASES has items such as billing.=120000, separated by commas, not ${JSON.stringify(each)}`,
    );
  });
  return Object.fromEntries(leases);
}

function readTokens(env: Environment): AccessToken[] {
  const token = text(env, "CAIRN_TOKEN");
  const others = (text(env, "CAIRN_TOKENS") ?? "").split(",").filter((each) => each.trim() !== "");
  const bound = others.map(tokenOf);
  return token === null ? bound : [{ token }, ...bound];
}

/** `billing=secret`, `billing:read+worker=secret`; `*` are all namespaces. */
function tokenOf(item: string): AccessToken {
  const [, namespace, said, token] = /^\s*([^\s=:]+)(?::([a-z+]+))?=(\S+)\s*$/.exec(item) ?? [];
  const scopes = said?.split("+");
  if (namespace !== undefined && token !== undefined && (scopes ?? []).every(isScope)) {
    return {
      token,
      ...(namespace === "*" ? {} : { namespace }),
      ...(scopes === undefined ? {} : { scopes: scopes.filter(isScope) }),
    };
  }
  // Nothing of what was given: it is a secret, or a part of one.
  throw new CannotRun(
    "CAIRN_TOKENS has items such as billing=secret or billing:read+worker=secret, separated by commas; " +
      `scopes are ${SCOPES.join(", ")}`,
  );
}

function isScope(text: string): text is Scope {
  return SCOPES.some((scope) => scope === text);
}

function readCertificates(env: Environment): "alone" | "with-key" | null {
  const given = text(env, "CAIRN_TLS_CLIENTS");
  if (given === null || given === "alone" || given === "with-key") return given;
  throw new CannotRun(`CAIRN_TLS_CLIENTS is alone or with-key, not ${JSON.stringify(given)}`);
}

export function readTls(env: Environment): ServerTls | null {
  const [certificate, key, clientAuthority] = ["CAIRN_TLS_CERT", "CAIRN_TLS_KEY", "CAIRN_TLS_CA"].map((name) => {
    const path = text(env, name);
    try {
      return path === null ? undefined : readFileSync(path);
    } catch (error) {
      throw new CannotRun(`${name} is the path of a file in PEM: ${(error as Error).message}`, { cause: error });
    }
  });
  if (certificate !== undefined && key !== undefined) {
    return { certificate, key, ...(clientAuthority === undefined ? {} : { clientAuthority }) };
  }
  if (certificate === undefined && key === undefined && clientAuthority === undefined) return null;
  throw new CannotRun("CAIRN_TLS_CERT and CAIRN_TLS_KEY belong together, and CAIRN_TLS_CA needs both");
}

function whole(env: Environment, name: string, most: number = Number.MAX_SAFE_INTEGER): number | null {
  try {
    return wholeSetting(env, name, 0, most);
  } catch (error) {
    throw error instanceof SettingsMistake ? new CannotRun(error.message, { cause: error }) : error;
  }
}

function isOn(env: Environment, name: string): boolean {
  const given = text(env, name) ?? "0";
  if (given !== "0" && given !== "1") throw new CannotRun(`${name} is 1 or 0, not ${JSON.stringify(given)}`);
  return given === "1";
}

function isSwitchedOn(env: Environment, name: string): boolean {
  const given = text(env, name) ?? "on";
  if (given !== "on" && given !== "off") throw new CannotRun(`${name} is on or off, not ${JSON.stringify(given)}`);
  return given === "on";
}

function readRetention(env: Environment): RetentionOptions | null {
  const keep = (name: string): string | null => {
    const given = text(env, name);
    if (given === null || parseKeep(given) !== undefined) return given;
    throw new CannotRun(`${name} is a length of time such as 12h, 30d or 4w, or forever, not ${JSON.stringify(given)}`);
  };
  const said: RetentionOptions = {
    ...optional("events", keep("CAIRN_RETENTION_EVENTS")),
    ...optional("outbox", keep("CAIRN_RETENTION_OUTBOX")),
    ...optional("runs", keep("CAIRN_RETENTION_RUNS")),
    ...optional("deleted", keep("CAIRN_RETENTION_DELETED")),
    ...optional("audit", keep("CAIRN_RETENTION_AUDIT")),
    ...optional("blobs", keep("CAIRN_RETENTION_BLOBS")),
    ...optional("every", keep("CAIRN_RETENTION_EVERY")),
    ...optional("archive", text(env, "CAIRN_ARCHIVE")),
    ...optional("run", isSwitchedOn(env, "CAIRN_RETENTION") ? null : false),
  };
  return Object.keys(said).length === 0 ? null : said;
}

function optional<Key extends string, Value>(key: Key, value: Value | null): { readonly [key in Key]?: Value } {
  return value === null ? {} : ({ [key]: value } as { readonly [key in Key]: Value });
}
