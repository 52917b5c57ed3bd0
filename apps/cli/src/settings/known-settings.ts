import { CannotRun } from "../cannot-run.ts";
import { nearest } from "./nearest.ts";

/** A setting of a command: by a flag, a variable of the environment, or `cairn.config.ts`; the first that says it counts. */
export interface Setting {
  /** The variable. In `cairn.config.ts` it is `keyOf` this. */
  readonly name: string;
  /** As commander takes it; without it, there are the variable and the file alone. */
  readonly flag?: string;
  readonly help: string;
  /** Without the setting; none: nothing, or what `help` says. */
  readonly usual?: string;
}

/** Who speaks with a control plane over gRPC: workers, and those who start runs. */
export const CONNECTION_SETTINGS = [
  {
    name: "CONTROL_PLANE_GRPC_URL",
    flag: "--url <url>",
    help: "where control planes are, separated by commas",
    usual: "127.0.0.1:50051",
  },
  { name: "CAIRN_NAMESPACE", flag: "--namespace <name>", help: "the tenant", usual: "default" },
  { name: "CAIRN_KEY", help: "a key, for a control plane that asks who they are who connect" },
  { name: "CAIRN_TOKEN", help: "a token of the control plane's, where there is no key" },
  { name: "CAIRN_TLS_CA", help: "a file in PEM: who has signed the certificates of others" },
  { name: "CAIRN_TLS_CERT", help: "a file in PEM: the certificate of this process" },
  { name: "CAIRN_TLS_KEY", help: "a file in PEM: its key" },
] as const satisfies readonly Setting[];

/** Operators' commands, which go over REST. */
export const OPERATOR_SETTINGS = [
  {
    name: "CAIRN_API_URL",
    flag: "--api-url <url>",
    help: "where the REST of a control plane is",
    usual: "http://127.0.0.1:9000",
  },
  { name: "CAIRN_NAMESPACE", flag: "--namespace <name>", help: "the tenant", usual: "default" },
  { name: "CAIRN_KEY", help: "a key, for a control plane that asks who they are who connect" },
  { name: "CAIRN_TOKEN", help: "a token of the control plane's, where there is no key" },
  { name: "CAIRN_TLS_CA", help: "a file in PEM: who has signed its certificate, where Node.js does not know" },
] as const satisfies readonly Setting[];

/** Commands that speak with the database. */
export const DATABASE_SETTINGS = [
  {
    name: "DATABASE_URL",
    flag: "--database-url <url>",
    help: "Postgres; without it, one that Cairn brings, in CAIRN_FOLDER",
  },
] as const satisfies readonly Setting[];

const FOLDER_SETTING = {
  name: "CAIRN_FOLDER",
  flag: "--folder <path>",
  help: "of the Postgres that Cairn brings",
  usual: ".cairn",
} as const satisfies Setting;

/** Commands that speak with the database, also with the one that Cairn brings. */
export const DIRECT_SETTINGS = [...DATABASE_SETTINGS, FOLDER_SETTING] as const;

/** Of processes that stay. */
const LOG_SETTINGS = [
  { name: "CAIRN_LOG_LEVEL", help: "what is logged at least: debug, info, warn, error, silent", usual: "info" },
  { name: "CAIRN_LOG_FORMAT", help: "text or json", usual: "text on a terminal, else json" },
] as const satisfies readonly Setting[];

/** Of the worker's process; the worker itself reads and checks them. */
export const WORKER_SETTINGS = [
  { name: "CAIRN_MODULES", help: "files and patterns, separated by commas, where no files are given" },
  { name: "CAIRN_CODEC", help: "a module with the codec for sealed values" },
  {
    name: "CAIRN_TYPE_PREFIXES",
    flag: "--prefixes <list>",
    help: "beginnings of names of actions that are served, * for all",
    usual: "what the modules have",
  },
  { name: "CAIRN_WORKER_CAPACITY", flag: "--capacity <calls>", help: "calls that run at one time", usual: "100" },
  {
    name: "CAIRN_WORKER_THREADS",
    flag: "--threads <count>",
    help: "threads for isolated actions",
    usual: "one for each core",
  },
  {
    name: "CAIRN_WORKER_DRAIN_MS",
    flag: "--drain-ms <ms>",
    help: "what calls have to end after SIGTERM",
    usual: "20000",
  },
  { name: "CAIRN_WORKER_FLUSH_MS", help: "what their outcomes have to arrive after that", usual: "5000" },
  { name: "CAIRN_WORKER_RECYCLE_ACTIONS", help: "ends with code 75 after so many calls" },
  { name: "CAIRN_WORKER_RECYCLE_MEMORY_MB", help: "ends with code 75 when the process takes more" },
  ...LOG_SETTINGS,
] as const satisfies readonly Setting[];

export const CONTROL_PLANE_SETTINGS = [
  ...DATABASE_SETTINGS,
  { name: "CAIRN_HOST", flag: "--host <host>", help: "the address to listen on", usual: "127.0.0.1" },
  { name: "API_PORT", flag: "--port <port>", help: "of REST, /health, /ready and /metrics", usual: "9000" },
  { name: "GRPC_PORT", flag: "--grpc-port <port>", help: "of workers and clients", usual: "50051" },
  { name: "CAIRN_ADVERTISE_URL", flag: "--advertise-url <url>", help: "where workers reach this control plane" },
  { name: "CAIRN_PUBLIC_URL", help: "where people reach REST, for addresses that are sent to them" },
  {
    name: "CAIRN_SECURITY",
    help: "on or off: whether they are asked who they are who connect; beyond this machine it is on",
    usual: "on; of cairn dev off, on this machine and without tokens",
  },
  {
    name: "CAIRN_TOKEN",
    help: "a token with which everything is allowed, beside the keys of cairn keys; none of these",
  },
  {
    name: "CAIRN_TOKENS",
    help: "tokens for single namespaces and scopes: billing=secret, billing:read+worker=secret, *:read=secret, separated by commas",
  },
  { name: "CAIRN_TLS_CERT", help: "a file in PEM: the certificate of this process; gRPC and HTTP speak TLS then" },
  { name: "CAIRN_TLS_KEY", help: "a file in PEM: its key" },
  { name: "CAIRN_TLS_CA", help: "a file in PEM: all who connect over gRPC need a certificate of this authority" },
  {
    name: "CAIRN_TLS_CLIENTS",
    help: "alone or with-key: whether their certificates say enough, or a token or key is wanted too",
    usual: "alone; where there are tokens, with-key",
  },
  { name: "CAIRN_HTTP_TLS", help: "off: HTTP speaks no TLS, as behind a proxy that does", usual: "on" },
  {
    name: "CAIRN_RATE_LIMIT",
    help: "requests of REST a second, of each who asks; 0: no limit",
    usual: "500; where nobody is asked who he is, 0",
  },
  { name: "CAIRN_RATE_BURST", help: "how many of them at once, after a while without any", usual: "2000" },
  {
    name: "CAIRN_CORS_ORIGINS",
    help: "pages that may read answers of REST: https://admin.example.com, separated by commas, or * (not with security off)",
  },
  {
    name: "CAIRN_TRUSTED_PROXIES",
    help: "addresses and networks of proxies before REST, separated by commas, whose x-forwarded-for is believed",
  },
  { name: "CAIRN_MASTER_KEY", help: "32 bytes in base64 or hex, by which the data keys of secrets are wrapped" },
  { name: "CAIRN_MASTER_KEY_FILE", help: "a file that has it" },
  { name: "CAIRN_MASTER_KEY_OLD", help: "the one from before, while it is replaced" },
  { name: "CAIRN_MASTER_KEY_OLD_FILE", help: "a file that has it" },
  { name: "CAIRN_RUNLOOPS", flag: "--runloops <count>", help: "threads that run workflows", usual: "1" },
  { name: "CAIRN_MEMORY_MB", flag: "--memory-mb <mb>", help: "the memory of each", usual: "1024" },
  { name: "CAIRN_HELD_MAX", help: "runs that each holds in memory", usual: "20000" },
  { name: "CAIRN_BATCH_MAX", help: "runs whose changes are in one commit", usual: "1000" },
  { name: "CAIRN_POOL_SIZE", help: "connections to the database for requests, beside those of runloops", usual: "4" },
  { name: "CAIRN_LEASE_MS", help: "how long runs stay with a process that says nothing", usual: "30000" },
  { name: "CAIRN_LEASES", help: "the same for types, or beginnings of types: billing.=120000, separated by commas" },
  { name: "CAIRN_HEARTBEAT_MS", help: "how often it says something", usual: "10000" },
  { name: "CAIRN_CHUNKS_KEPT_MS", help: "how long what actions stream can be seen", usual: "3600000" },
  { name: "CAIRN_FIRINGS_MAX", help: "runs of schedules that one transaction starts", usual: "1000" },
  {
    name: "CAIRN_OUTBOX",
    help: "off: this process publishes no events, as one that lacks the secrets of subscriptions",
    usual: "on",
  },
  {
    name: "CAIRN_EVENTS_FOLDER",
    help: "a folder of files to which subscriptions may write events; without it, they may not",
  },
  {
    name: "CAIRN_SUBSCRIPTION_ENV",
    help: "variables with secrets that subscriptions may name, separated by commas",
    usual: "none",
  },
  {
    name: "CAIRN_SUBSCRIPTION_SECRETS",
    help: "a folder of files with secrets that subscriptions may name; without it, they may not",
  },
  { name: "CAIRN_RETENTION_EVENTS", help: "how long events of runs are kept after they happened", usual: "30d" },
  {
    name: "CAIRN_RETENTION_OUTBOX",
    help: "how long events for others are kept after they were published",
    usual: "7d",
  },
  { name: "CAIRN_RETENTION_RUNS", help: "how long runs are kept after they ended", usual: "forever" },
  { name: "CAIRN_RETENTION_DELETED", help: "how long runs are kept after they were deleted", usual: "30d" },
  { name: "CAIRN_RETENTION_AUDIT", help: "how long it is kept who did what", usual: "365d" },
  { name: "CAIRN_RETENTION_BLOBS", help: "how long large values are kept that nothing names", usual: "7d" },
  { name: "CAIRN_RETENTION_EVERY", help: "how often it is looked for what is over", usual: "1h" },
  { name: "CAIRN_RETENTION", help: "off: this process removes nothing", usual: "on" },
  { name: "CAIRN_ARCHIVE", help: "a folder to which runs are written before they are removed" },
  {
    name: "CAIRN_NO_HANDLER_GRACE_MS",
    help: "how long a call waits for an action that all workers lack",
    usual: "10000",
  },
  {
    name: "CAIRN_LIVE_CLIENTS_MAX",
    help: "who may watch at one time, over streams and sockets; of one namespace, or one caller for all of them, half",
    usual: "5000",
  },
  { name: "CAIRN_LIVE_CLIENTS_PER_CALLER_MAX", help: "of these, of one caller", usual: "2000" },
  { name: "CAIRN_LIVE_SLOW_MS", help: "who takes nothing for so long while he watches is dropped", usual: "30000" },
  { name: "CAIRN_LISTEN_URL", help: "Postgres itself, for LISTEN, where DATABASE_URL is a pooler" },
  { name: "CAIRN_POOLED", help: "1: DATABASE_URL is a pooler, where that is not noticed" },
  { name: "CAIRN_BLOBS", help: "a folder for values of more than 256 KB, instead of Postgres" },
  FOLDER_SETTING,
  ...LOG_SETTINGS,
] as const satisfies readonly Setting[];

/** Of every command with settings: where the others may stand. */
export const CONFIG_SETTING: Setting = {
  name: "CAIRN_CONFIG",
  flag: "--config <file>",
  help: "a file of settings",
  usual: "cairn.config.ts, .mts, .js, .mjs or .json, if it is there",
};

const ALL = [...CONTROL_PLANE_SETTINGS, ...CONNECTION_SETTINGS, ...OPERATOR_SETTINGS, ...WORKER_SETTINGS];

/** Read elsewhere. */
const OTHERS = [CONFIG_SETTING.name];

/** Of all settings, by the variable. */
export const SETTING_NAMES: ReadonlySet<string> = new Set(ALL.map(({ name }) => name));

const KNOWN: ReadonlySet<string> = new Set([...SETTING_NAMES, ...OTHERS]);

export type Environment = Readonly<Record<string, string | undefined>>;

/** A name that begins as ours do and is none of them is a mistake that would go unnoticed for long. */
export function refuseUnknown(env: Environment): void {
  const unknown = Object.keys(env).find(
    (name) => name.startsWith("CAIRN_") && !KNOWN.has(name) && !isOfKubernetes(name, env[name]),
  );
  if (unknown === undefined) return;
  const meant = nearest(unknown, KNOWN);
  throw new CannotRun(`there is no setting ${unknown}${meant === null ? "" : `: did you mean ${meant}?`}`);
}

/** Where a service is called cairn, or cairn-something, every container has variables about it, which nobody has set. */
function isOfKubernetes(name: string, value = ""): boolean {
  if (/_SERVICE_(HOST|PORT(_[A-Z0-9_]+)?)$/.test(name)) return true;
  return (
    /_PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?$/.test(name) && (/_\d+_/.test(name) || value.includes("://"))
  );
}

/** The environment as it would be if the flags had been written there. */
export function withFlags(
  env: Environment,
  settings: readonly Setting[],
  flags: Readonly<Record<string, unknown>>,
): Environment {
  const given = settings.flatMap(({ name, flag }) => {
    const value = flag === undefined ? undefined : flags[optionOf(flag)];
    return typeof value === "string" ? [[name, value] as const] : [];
  });
  return { ...env, ...Object.fromEntries(given) };
}

/** As commander names it: `--grpc-port <port>` is `grpcPort`. */
function optionOf(flag: string): string {
  const [, name = ""] = /^--([a-z-]+)/.exec(flag) ?? [];
  return camelCase(name.split("-"));
}

/** Of a setting in `cairn.config.ts`: `CAIRN_LEASE_MS` is `leaseMs`, `API_PORT` is `apiPort`. */
export function keyOf(name: string): string {
  return camelCase(
    name
      .replace(/^CAIRN_/, "")
      .toLowerCase()
      .split("_"),
  );
}

function camelCase([first = "", ...others]: readonly string[]): string {
  return first + others.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

type Words<Text extends string> = Text extends `${infer First}_${infer Rest}`
  ? `${Capitalize<Lowercase<First>>}${Words<Rest>}`
  : Capitalize<Lowercase<Text>>;
type KeyOf<Name extends string> = Uncapitalize<Words<Name extends `CAIRN_${infer Rest}` ? Rest : Name>>;

/** What a setting may be in `cairn.config.ts`; a list stands for texts with commas between. */
export type ConfigValue = string | number | boolean | readonly string[];

/** What `cairn.config.ts` exports by default. */
export type CairnConfig = { readonly [Name in (typeof ALL)[number]["name"] as KeyOf<Name>]?: ConfigValue };
