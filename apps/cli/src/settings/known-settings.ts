import { CannotRun } from "../cannot-run.ts";
import { nearest } from "./nearest.ts";

/** A setting of a process, by a variable of the environment or by a flag, which counts more. */
export interface Setting {
  readonly name: string;
  /** As commander takes it; without it, there is the variable alone. */
  readonly flag?: string;
  readonly help: string;
}

/** Who speaks with a control plane: workers, and those who start runs. */
export const CONNECTION_SETTINGS: readonly Setting[] = [
  { name: "CONTROL_PLANE_GRPC_URL", flag: "--url <url>", help: "where a control plane is (127.0.0.1:50051)" },
  { name: "CAIRN_NAMESPACE", flag: "--namespace <name>", help: "the tenant (default)" },
  { name: "CAIRN_TOKEN", help: "said to the control plane, which asks for it beyond this machine" },
  { name: "CAIRN_TLS_CA", help: "a file in PEM: who has signed the certificates of others" },
  { name: "CAIRN_TLS_CERT", help: "a file in PEM: the certificate of this process" },
  { name: "CAIRN_TLS_KEY", help: "a file in PEM: its key" },
];

/** Of the worker's process; the worker itself reads and checks them. */
export const WORKER_SETTINGS: readonly Setting[] = [
  { name: "CAIRN_MODULES", help: "files and patterns, separated by commas, where no files are given" },
  {
    name: "CAIRN_TYPE_PREFIXES",
    flag: "--prefixes <list>",
    help: "beginnings of names of actions that are served, * for all (what the modules have)",
  },
  { name: "CAIRN_WORKER_CAPACITY", flag: "--capacity <calls>", help: "calls that run at one time (100)" },
  { name: "CAIRN_WORKER_THREADS", flag: "--threads <count>", help: "threads for isolated actions (one for each core)" },
  { name: "CAIRN_WORKER_DRAIN_MS", flag: "--drain-ms <ms>", help: "what calls have to end after SIGTERM (20000)" },
  { name: "CAIRN_WORKER_FLUSH_MS", help: "what their outcomes have to arrive after that (5000)" },
  { name: "CAIRN_WORKER_RECYCLE_ACTIONS", help: "ends with code 75 after so many calls" },
  { name: "CAIRN_WORKER_RECYCLE_MEMORY_MB", help: "ends with code 75 when the process takes more" },
];

export const CONTROL_PLANE_SETTINGS: readonly Setting[] = [
  {
    name: "DATABASE_URL",
    flag: "--database-url <url>",
    help: "Postgres; without it, one that Cairn brings, in .cairn",
  },
  { name: "CAIRN_HOST", flag: "--host <host>", help: "the address to listen on (127.0.0.1)" },
  { name: "API_PORT", flag: "--port <port>", help: "of /health, /ready and /metrics (9000)" },
  { name: "GRPC_PORT", flag: "--grpc-port <port>", help: "of workers and clients (50051)" },
  { name: "CAIRN_ADVERTISE_URL", flag: "--advertise-url <url>", help: "where workers reach this control plane" },
  { name: "CAIRN_TOKEN", help: "what all have to say who connect, in every namespace" },
  { name: "CAIRN_TOKENS", help: "the same for single namespaces: name=token, separated by commas" },
  { name: "CAIRN_TLS_CERT", help: "a file in PEM: the certificate of this process; gRPC speaks TLS then" },
  { name: "CAIRN_TLS_KEY", help: "a file in PEM: its key" },
  { name: "CAIRN_TLS_CA", help: "a file in PEM: all who connect need a certificate of this authority" },
  { name: "CAIRN_RUNLOOPS", flag: "--runloops <count>", help: "threads that run workflows (1)" },
  { name: "CAIRN_MEMORY_MB", flag: "--memory-mb <mb>", help: "the memory of each (1024)" },
  { name: "CAIRN_LEASE_MS", help: "how long runs stay with a process that says nothing (30000)" },
  { name: "CAIRN_LEASES", help: "the same for types, or beginnings of types: billing.=120000, separated by commas" },
  { name: "CAIRN_HEARTBEAT_MS", help: "how often it says something (10000)" },
  { name: "CAIRN_CHUNKS_KEPT_MS", help: "how long what actions stream can be seen (3600000)" },
  { name: "CAIRN_NO_HANDLER_GRACE_MS", help: "how long a call waits for an action that all workers lack (10000)" },
  { name: "CAIRN_LISTEN_URL", help: "Postgres itself, for LISTEN, where DATABASE_URL is a pooler" },
  { name: "CAIRN_POOLED", help: "1: DATABASE_URL is a pooler, where that is not noticed" },
  { name: "CAIRN_BLOBS", help: "a folder for values of more than 256 KB, instead of Postgres" },
  { name: "CAIRN_FOLDER", flag: "--folder <path>", help: "of the Postgres that Cairn brings (.cairn)" },
];

/** Named in the documentation, and read elsewhere or by later releases. */
const OTHERS = ["CAIRN_MASTER_KEY"];

const KNOWN = new Set([
  ...[...CONNECTION_SETTINGS, ...WORKER_SETTINGS, ...CONTROL_PLANE_SETTINGS].map(({ name }) => name),
  ...OTHERS,
]);

export type Environment = Readonly<Record<string, string | undefined>>;

/** A name that begins as ours do and is none of them is a mistake that would go unnoticed for long. */
export function refuseUnknown(env: Environment): void {
  const unknown = Object.keys(env).find((name) => name.startsWith("CAIRN_") && !KNOWN.has(name));
  if (unknown === undefined) return;
  const meant = nearest(unknown, KNOWN);
  throw new CannotRun(`there is no setting ${unknown}${meant === null ? "" : `: did you mean ${meant}?`}`);
}

/** The environment as it would be if the flags had been written there. */
export function withFlags(
  env: Environment,
  settings: readonly Setting[],
  flags: Readonly<Record<string, unknown>>,
): Environment {
  const given = settings.flatMap(({ name, flag }) => {
    const value = flag === undefined ? undefined : flags[keyOf(flag)];
    return typeof value === "string" ? [[name, value] as const] : [];
  });
  return { ...env, ...Object.fromEntries(given) };
}

/** As commander names it: `--grpc-port <port>` is `grpcPort`. */
function keyOf(flag: string): string {
  const [, name = ""] = /^--([a-z-]+)/.exec(flag) ?? [];
  return name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
