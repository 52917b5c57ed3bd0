import { readFileSync } from "node:fs";
import type { AccessToken, ControlPlaneOptions, RetentionOptions, ServerTls } from "@cairnjs/control-plane";
import { parseKeep } from "@cairnjs/schemas/rest";
import { SettingsMistake, textSetting as text, wholeSetting } from "@cairnjs/worker";
import { CannotRun } from "../cannot-run.ts";
import type { Environment } from "./known-settings.ts";

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
    ...optional("outbox", isSwitchedOn(env, "CAIRN_OUTBOX") ? null : { dispatch: false }),
    ...optional("retention", readRetention(env)),
    ...optional("noHandlerGraceMs", whole(env, "CAIRN_NO_HANDLER_GRACE_MS")),
    ...optional("tokens", tokens.length === 0 ? null : tokens),
    ...optional("tls", tls),
  };
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
  const bound = others.map((each) => {
    const [, namespace, said] = /^\s*([^\s=]+)=(\S+)\s*$/.exec(each) ?? [];
    if (namespace !== undefined && said !== undefined) return { namespace, token: said };
    // Nothing of what was given: it is a secret, or a part of one.
    throw new CannotRun("CAIRN_TOKENS has items such as billing=secret, separated by commas");
  });
  return token === null ? bound : [{ token }, ...bound];
}

function readTls(env: Environment): ServerTls | null {
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
