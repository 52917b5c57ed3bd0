import { readFileSync } from "node:fs";
import { CAPACITY_MAX, Namespace, NAME_LENGTH_MAX, PREFIXES_MAX } from "@cairnjs/protocol";
import type { Access, Certificates } from "./session/access.ts";
import { parseAddress } from "./session/address.ts";
import { type Environment, list, SettingsMistake, text, whole } from "./setting.ts";

export interface RecycleAfter {
  /** Ended ones, in the life of the process. */
  readonly actions?: number;
  /** Memory that the process takes, as the operating system counts it. */
  readonly memoryMb?: number;
}

export interface WorkerSettings {
  /** Of the gRPC of some control planes: `127.0.0.1:50051`, `http://…`, `https://…`. These tell where the others are. */
  readonly urls: readonly string[];
  readonly namespace: string;
  readonly token: string | null;
  /** For `https`. */
  readonly certificates: Access["certificates"];
  /** Files or patterns; null: where modules usually are. */
  readonly modules: readonly string[] | null;
  /** The file of the codec for sealed values; null: there is none. */
  readonly codecModule: string | null;
  /** Beginnings of names of actions that are served, an empty one for all; null: whatever the modules have. */
  readonly prefixes: readonly string[] | null;
  /** Calls that run at one time. */
  readonly capacity: number;
  /** Threads for actions that want one. */
  readonly threads: number;
  /** How long running calls may take after the worker was asked to end. */
  readonly drainMs: number;
  /** How long outcomes may take after that to be acknowledged. */
  readonly flushMs: number;
  readonly recycleAfter: RecycleAfter;
}

const PREFIX = "CAIRN_WORKER_";
const KNOWN = ["CAPACITY", "THREADS", "DRAIN_MS", "FLUSH_MS", "RECYCLE_ACTIONS", "RECYCLE_MEMORY_MB"].map(
  (each) => PREFIX + each,
);

const CAPACITY_DEFAULT = 100;
const THREADS_MAX = 1_024;
/** Together less than the 30 s that containers are usually given. */
const DRAIN_MS_DEFAULT = 20_000;
const FLUSH_MS_DEFAULT = 5_000;
const TIMER_MS_MAX = 2 ** 31 - 1;
const MEMORY_MB_MAX = 1024 * 1024;

/** Reads what is named here and nothing else: an address of a database or a key beside it is none of a worker's affairs. */
export function readSettings(env: Environment, threads: number): WorkerSettings {
  const unknown = Object.keys(env).find((name) => name.startsWith(PREFIX) && !KNOWN.includes(name));
  if (unknown !== undefined) throw new SettingsMistake(`There is no setting ${unknown}. There are ${KNOWN.join(", ")}`);
  const namespace = text(env, "CAIRN_NAMESPACE") ?? "default";
  const actions = whole(env, "CAIRN_WORKER_RECYCLE_ACTIONS", 1, Number.MAX_SAFE_INTEGER);
  const memoryMb = whole(env, "CAIRN_WORKER_RECYCLE_MEMORY_MB", 1, MEMORY_MB_MAX);
  const settings: WorkerSettings = {
    urls: list(env, "CONTROL_PLANE_GRPC_URL") ?? ["127.0.0.1:50051"],
    namespace,
    token: credential(env),
    certificates: () => readCertificates(env),
    modules: list(env, "CAIRN_MODULES"),
    codecModule: text(env, "CAIRN_CODEC"),
    prefixes: list(env, "CAIRN_TYPE_PREFIXES")?.map(prefixOf) ?? null,
    capacity: whole(env, "CAIRN_WORKER_CAPACITY", 1, CAPACITY_MAX) ?? CAPACITY_DEFAULT,
    threads: whole(env, "CAIRN_WORKER_THREADS", 1, THREADS_MAX) ?? threads,
    drainMs: whole(env, "CAIRN_WORKER_DRAIN_MS", 0, TIMER_MS_MAX) ?? DRAIN_MS_DEFAULT,
    flushMs: whole(env, "CAIRN_WORKER_FLUSH_MS", 0, TIMER_MS_MAX) ?? FLUSH_MS_DEFAULT,
    recycleAfter: {
      ...(actions === null ? {} : { actions }),
      ...(memoryMb === null ? {} : { memoryMb }),
    },
  };
  checkSettings(settings);
  settings.certificates();
  return settings;
}

function readCertificates(env: Environment): Certificates {
  const [authority, certificate, key] = ["CAIRN_TLS_CA", "CAIRN_TLS_CERT", "CAIRN_TLS_KEY"].map((name) => {
    const path = text(env, name);
    try {
      return path === null ? null : readFileSync(path);
    } catch (error) {
      throw new SettingsMistake(`${name} is the path of a file in PEM: ${(error as Error).message}`, { cause: error });
    }
  });
  if (!certificate !== !key) throw new SettingsMistake("CAIRN_TLS_CERT and CAIRN_TLS_KEY belong together: give both");
  return { authority: authority ?? null, own: certificate && key ? { certificate, key } : null };
}

function checkSettings({ urls, namespace, prefixes }: WorkerSettings): void {
  for (const url of urls) {
    if (parseAddress(url) !== null) continue;
    throw new SettingsMistake(
      `CONTROL_PLANE_GRPC_URL is the address of a control plane, such as 10.0.0.5:50051 or https://cairn.example:443, not ${JSON.stringify(url)}`,
    );
  }
  const { success, error } = Namespace.safeParse(namespace);
  if (!success) throw new SettingsMistake(`CAIRN_NAMESPACE ${error.issues[0]?.message ?? "is not valid"}`);
  if (prefixes !== null && (prefixes.length > PREFIXES_MAX || prefixes.some((each) => each.length > NAME_LENGTH_MAX))) {
    throw new SettingsMistake(
      `CAIRN_TYPE_PREFIXES has at most ${PREFIXES_MAX} beginnings of names, of at most ${NAME_LENGTH_MAX} characters`,
    );
  }
}

/** A key counts more than a token: who has both in one shell has the token for a control plane. */
function credential(env: Environment): string | null {
  const [key, token] = [text(env, "CAIRN_KEY"), text(env, "CAIRN_TOKEN")];
  const said = key ?? token;
  // Anything else cannot stand in a header, and would be refused far from here.
  if (said === null || /^[\x21-\x7e]+$/.test(said)) return said;
  throw new SettingsMistake(`${key === null ? "CAIRN_TOKEN" : "CAIRN_KEY"} has a character that no token has`);
}

/** In the protocol it is the empty text that all names begin with; nobody can write that into a list. `billing` is a whole segment. */
function prefixOf(given: string): string {
  if (given === "*") return "";
  return given.includes(".") ? given : `${given}.`;
}
