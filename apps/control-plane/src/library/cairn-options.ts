import { PULSE_MS } from "../runloop/shared-cells.ts";
import { type RetentionOptions, retentionSettings } from "../maintenance/retention-settings.ts";
import { type Allowed, isOwnSetting } from "../outbox/allowed.ts";
import type { EventSink } from "../outbox/event-sink.ts";
import type { EngineOptions } from "./engine-options.ts";
import { EngineError } from "./engine-error.ts";
import type { PayloadCodec } from "cairnjs";
import type { Logger } from "@cairnjs/worker/host";
import { type MasterKeyOptions, masterKeysOf } from "../secrets/master-keys.ts";
import type { Warn } from "../warn.ts";

interface BlobOptions {
  /** All processes on one database need the same one: a volume that they share. */
  readonly folder: string;
}

interface OutboxOptions {
  /** Whether this process publishes events: true. A process that lacks the secrets or ports of subscriptions should not. */
  readonly dispatch?: boolean;
  /** Where events go that subscriptions name as ports, by name. */
  readonly ports?: Readonly<Record<string, EventSink>>;
  /**
   * What of the process subscriptions may use: variables and a folder of files with secrets, and a folder of files for events. Without it,
   * everything in library mode, and nothing of a control plane.
   */
  readonly allow?: Partial<Allowed>;
}

export interface CairnOptions {
  /** Where Postgres is; without it, `DATABASE_URL`; without that, one of our own, whose data is in `folder`. */
  readonly databaseUrl?: string | undefined;
  /** Of the Postgres that Cairn brings; without it, `.cairn` where the process runs. */
  readonly folder?: string | undefined;
  /** Where values of more than 256 KB are kept; without it, in `CAIRN_BLOBS`, a folder, or in Postgres. */
  readonly blobs?: BlobOptions;
  /** Modules with workflows and actions, to be loaded and registered: URLs or paths. */
  readonly modules?: readonly (string | URL)[];
  /** For LISTEN, where a pooler stands before Postgres; without it, `CAIRN_LISTEN_URL`; without that, it is looked for work. */
  readonly listenUrl?: string | undefined;
  /** A pooler that shares sessions stands before Postgres: for one that is not noticed. Also by `CAIRN_POOLED=1`. */
  readonly pooled?: true;
  readonly namespace?: string | undefined;
  /** Actions that run here at one time. */
  readonly concurrency?: number;
  /**
   * Runloops, each in a thread of its own; without it, `CAIRN_RUNLOOPS` or 1. With 0 it runs in this thread: less memory,
   * and an action that computes for long delays everything.
   */
  readonly runloops?: number;
  /**
   * The memory of each runloop, a quarter of it for the states of runs as they are counted. When a thread takes more it goes down, and is started
   * again. With `runloops: 0` the process's own limit is what counts, and this only bounds the states.
   */
  readonly memoryMb?: number;
  /** Runs that each runloop holds in memory: 20,000. */
  readonly heldMax?: number;
  /** Runs whose transitions are in one commit: 1,000. */
  readonly batchMax?: number;
  /** Connections to the database for requests, beside those of runloops: 4. */
  readonly poolSize?: number;
  /** How long runs stay with a process that says nothing. */
  readonly leaseMs?: number;
  readonly heartbeatMs?: number;
  /** How long what actions give to `stream()` can be seen: 1 hour. */
  readonly chunksKeptMs?: number;
  /** Leases of other lengths, by type or the beginning of types: `{ "billing.": 120_000 }`. The longest beginning counts. */
  readonly leases?: Readonly<Record<string, number>>;
  /** Whether the schema is brought to what this release needs: true. With false, a database that is not is refused. */
  readonly migrate?: boolean;
  /** How long requests wait for a database that cannot be reached, before they reject with `Unavailable`: 10 s. */
  readonly patienceMs?: number;
  /** Runs of schedules that one transaction starts, 1,000: of those that were missed, the rest goes into the next one. */
  readonly firingsMax?: number;
  /** Events for others. */
  readonly outbox?: OutboxOptions;
  /** How long things are kept where no rule says otherwise, and what is done with them then. */
  readonly retention?: RetentionOptions;
  /** How what actions, starts and signals seal is made unreadable, and read again. */
  readonly codec?: PayloadCodec;
  /** What secrets are encrypted by. */
  readonly secrets?: MasterKeyOptions;
  /** What the embedded Postgres does, and what was removed, a line at a time. */
  readonly onLog?: (line: string) => void;
  /** Where handlers log, with the ids of their runs, and warnings without `onWarning`: a logger of `pino`, or one like it. */
  readonly logger?: Logger;
  /** What goes wrong and mends itself; without it, written to the console. */
  readonly onWarning?: Warn;
}

const KNOWN: readonly (keyof CairnOptions)[] = [
  "databaseUrl",
  "folder",
  "blobs",
  "modules",
  "listenUrl",
  "pooled",
  "namespace",
  "concurrency",
  "runloops",
  "memoryMb",
  "heldMax",
  "batchMax",
  "poolSize",
  "leaseMs",
  "heartbeatMs",
  "chunksKeptMs",
  "leases",
  "migrate",
  "patienceMs",
  "firingsMax",
  "outbox",
  "retention",
  "codec",
  "secrets",
  "onLog",
  "logger",
  "onWarning",
];

const NOTHING_ALLOWED: Allowed = { env: [], secretsFolder: null, eventsFolder: null };
const RUNLOOPS_MAX = 64;
const CONCURRENCY_MAX = 100_000;
/** Less than the hour for which it is known which letters were sent. */
const PATIENCE_MAX_MS = 30 * 60 * 1_000;
/** Those who watch a run and lose their connection come back within it. */
const CHUNKS_KEPT_MIN_MS = 10_000;
const CHUNKS_KEPT_MAX_MS = 30 * 24 * 60 * 60 * 1_000;
const LEASE_MAX_MS = 24 * 60 * 60 * 1_000;
/** With less, a runloop that works would look as if it were stuck now and then. */
const HEARTBEAT_MIN_MS = 2 * PULSE_MS;
const LEASE_MIN_MS = 2 * HEARTBEAT_MIN_MS;
/** Each has a runloop of its own. */
const LEASE_LENGTHS_MAX = 8;
const FIRINGS_MAX = 1_000;
/** It is one statement. */
const FIRINGS_MAX_MAX = 10_000;
/** Runs that one runloop holds in memory, if nothing is said; and what may be said. */
const HELD_MAX = 20_000;
const HELD_MAX_MAX = 1_000_000;
const BATCH_MAX = 1_000;
const POOL_SIZE = 4;
const POOL_SIZE_MAX = 100;
/** A thread that has loaded our code takes about 20; with less than this, not even one run of usual size would fit. */
const MEMORY_MIN_MB = 64;
const MEMORY_MAX_MB = 1024 * 1024;
/** A state of small objects takes twice what is counted for it; the rest is for texts that are read and written, and garbage. */
const STATES_SHARE = 1 / 4;

/** Throws an EngineError that names the option which cannot be right. */
export function checkCairnOptions(options: CairnOptions): void {
  const unknown = Object.keys(options).find((key) => !(KNOWN as readonly string[]).includes(key));
  if (unknown !== undefined) refuse(`createCairn() has no option "${unknown}". There are ${KNOWN.join(", ")}`);
  checkBlobOptions(options.blobs);
  checkOutboxOptions(options.outbox);
  checkSecretOptions(options.secrets);
  checkCodec(options.codec);
  const { leaseMs, heartbeatMs } = engineSettings(options);
  saysPooled(options);
  if (heartbeatMs * 2 > leaseMs) refuse(`heartbeatMs (${heartbeatMs}) is at most half of leaseMs (${leaseMs})`);
  checkLeases(options.leases ?? {}, heartbeatMs);
}

function checkLeases(leases: Readonly<Record<string, number>>, heartbeatMs: number): void {
  for (const [type, length] of Object.entries(leases)) {
    const subject = `The lease of ${JSON.stringify(type)}`;
    whole(subject, length, LEASE_MIN_MS, LEASE_MAX_MS);
    if (heartbeatMs * 2 > length) refuse(`${subject} (${length}) is at least twice heartbeatMs (${heartbeatMs})`);
  }
  const lengths = new Set(Object.values(leases)).size;
  if (lengths > LEASE_LENGTHS_MAX) refuse(`leases has ${lengths} different lengths: at most ${LEASE_LENGTHS_MAX}`);
}

/** Of the runs of a type; null: the usual one; undefined: nothing is said here, and it stays as it is. */
export function leaseOf({ leases }: CairnOptions, type: string): number | null | undefined {
  if (leases === undefined) return undefined;
  const beginnings = Object.keys(leases).filter((each) => type.startsWith(each));
  const longest = beginnings.toSorted((a, b) => b.length - a.length)[0];
  return longest === undefined ? null : leases[longest]!;
}

export function engineSettings(
  options: CairnOptions,
): Pick<
  EngineOptions,
  | "leaseMs"
  | "leases"
  | "heartbeatMs"
  | "chunksKeptMs"
  | "runloops"
  | "memoryMb"
  | "heldMax"
  | "batchMax"
  | "poolSize"
  | "heldBytesMax"
  | "capacity"
  | "patienceMs"
  | "firingsMax"
  | "dispatches"
  | "ports"
  | "allowed"
  | "retention"
> {
  const runloops = options.runloops ?? process.env["CAIRN_RUNLOOPS"] ?? 1;
  const memoryMb = whole("memoryMb", options.memoryMb ?? 1_024, MEMORY_MIN_MB, MEMORY_MAX_MB);
  return {
    leaseMs: whole("leaseMs", options.leaseMs ?? 30_000, LEASE_MIN_MS, LEASE_MAX_MS),
    leases: [...new Set(Object.values(options.leases ?? {}))],
    heartbeatMs: whole("heartbeatMs", options.heartbeatMs ?? 10_000, HEARTBEAT_MIN_MS, LEASE_MAX_MS),
    chunksKeptMs: whole(
      "chunksKeptMs",
      options.chunksKeptMs ?? 60 * 60 * 1_000,
      CHUNKS_KEPT_MIN_MS,
      CHUNKS_KEPT_MAX_MS,
    ),
    runloops: whole(options.runloops === undefined ? "CAIRN_RUNLOOPS" : "runloops", runloops, 0, RUNLOOPS_MAX),
    memoryMb,
    heldMax: whole("heldMax", options.heldMax ?? HELD_MAX, 1, HELD_MAX_MAX),
    batchMax: whole("batchMax", options.batchMax ?? BATCH_MAX, 1, BATCH_MAX),
    poolSize: whole("poolSize", options.poolSize ?? POOL_SIZE, 1, POOL_SIZE_MAX),
    heldBytesMax: memoryMb * 1024 * 1024 * STATES_SHARE,
    patienceMs: whole("patienceMs", options.patienceMs ?? 10_000, 0, PATIENCE_MAX_MS),
    firingsMax: whole("firingsMax", options.firingsMax ?? FIRINGS_MAX, 1, FIRINGS_MAX_MAX),
    dispatches: options.outbox?.dispatch ?? true,
    ports: options.outbox?.ports ?? {},
    allowed: options.outbox?.allow === undefined ? null : { ...NOTHING_ALLOWED, ...options.outbox.allow },
    retention: retentionSettings(options.retention),
    capacity: whole("concurrency", options.concurrency ?? 100, 1, CONCURRENCY_MAX),
  };
}

function checkBlobOptions(blobs: BlobOptions | undefined): void {
  if (blobs === undefined) return;
  const unknown = Object.keys(blobs).find((key) => key !== "folder");
  if (unknown !== undefined) refuse(`blobs has no option "${unknown}". There is folder`);
  if (typeof blobs.folder !== "string" || blobs.folder === "") refuse("blobs.folder is the path of a folder");
}

function checkOutboxOptions(outbox: OutboxOptions | undefined): void {
  if (outbox === undefined) return;
  const unknown = Object.keys(outbox).find((key) => !["dispatch", "ports", "allow"].includes(key));
  if (unknown !== undefined) refuse(`outbox has no option "${unknown}". There are dispatch, ports, allow`);
  if (outbox.dispatch !== undefined && typeof outbox.dispatch !== "boolean") refuse("outbox.dispatch is true or false");
  const own = outbox.allow?.env?.find(isOwnSetting);
  if (own !== undefined)
    refuse(`outbox.allow.env has ${own}: settings of Cairn and of Postgres are never for subscriptions`);
  for (const [name, port] of Object.entries(outbox.ports ?? {})) {
    if (typeof port?.publish !== "function")
      refuse(`The port ${JSON.stringify(name)} of outbox has no function publish`);
  }
}

function checkCodec(codec: PayloadCodec | undefined): void {
  if (codec === undefined) return;
  if (typeof codec?.encode !== "function" || typeof codec.decode !== "function")
    refuse("codec has the functions encode and decode");
}

function checkSecretOptions(secrets: MasterKeyOptions | undefined): void {
  const unknown = Object.keys(secrets ?? {}).find((key) => key !== "masterKey" && key !== "oldMasterKey");
  if (unknown !== undefined) refuse(`secrets has no option "${unknown}". There are masterKey, oldMasterKey`);
  masterKeysOf(secrets);
}

export function saysPooled({ pooled }: CairnOptions): boolean {
  const setting = process.env["CAIRN_POOLED"] ?? "";
  if (!["", "0", "1"].includes(setting)) refuse(`CAIRN_POOLED is 1 or 0, not ${JSON.stringify(setting)}`);
  return pooled === true || setting === "1";
}

/** Settings of the environment are text. */
function whole(name: string, given: number | string, least: number, most: number): number {
  const value = typeof given === "string" && given.trim() !== "" ? Number(given) : given;
  if (typeof value === "number" && Number.isInteger(value) && value >= least && value <= most) return value;
  return refuse(`${name} is a whole number from ${least} to ${most}, not ${JSON.stringify(given)}`);
}

function refuse(message: string): never {
  throw new EngineError("InvalidOption", message);
}
