import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { Access } from "../access/access.ts";
import { FailedAccess } from "../access/failed-access.ts";
import { AuditLog } from "../audit/audit-log.ts";
import { BlobReaders } from "../blobs/own-blobs.ts";
import { storedForm } from "../blobs/stored-values.ts";
import { GrpcServer } from "../grpc/grpc-server.ts";
import { checkTls, type ServerTls } from "../grpc/server-certificates.ts";
import type { MakeRunner, RunnerEngine } from "../hub/call-runner.ts";
import { AwakeClock } from "../hub/awake-clock.ts";
import { HttpServer, type ServedRoute } from "../http/http-server.ts";
import { LiveClients } from "../http/live/live-clients.ts";
import { RequestLimits } from "../http/guard/request-limits.ts";
import type { RestOptions } from "../http/rest.ts";
import { Fleet } from "../hub/fleet.ts";
import { WorkerHub } from "../hub/worker-hub.ts";
import { leaseOf } from "../library/cairn-options.ts";
import type { Engine } from "../library/engine.ts";
import { type Database, openDatabase, openEngine, warnOf } from "../library/open-engine.ts";
import { Metrics } from "../metrics/metrics.ts";
import type { CallOutcome } from "../runloop/outside.ts";
import { findHeartbeatDetails, forgetHeartbeatDetails, keepHeartbeatDetails } from "../store/heartbeat-details.ts";
import { promoteVersion } from "../store/register-version.ts";
import { sendOutcomes } from "../store/send-outcomes.ts";
import { writeChunks } from "../store/stream-chunks.ts";
import { wakeUnserved } from "../store/wake-unserved.ts";
import { warnOfExposure } from "./exposure.ts";
import { checkMasterKey } from "./check-master-key.ts";
import { listening } from "./cannot-listen.ts";
import { type ControlPlaneOptions, type ControlPlaneSettings, controlPlaneSettings } from "./control-plane-options.ts";
import { protectSigningKeys } from "./protect-signing-keys.ts";
import { RunFeed, type RunNews } from "./run-feed.ts";
import type { Warn } from "../warn.ts";

const TICK_MS = 20;

const NOT_ADVERTISED =
  "it listens on all addresses of its machine: say in CAIRN_ADVERTISE_URL how they reach it, " +
  "or workers connect to it only if they are given its address";

const NO_CALLERS =
  "there is neither a key nor a token: make the first key with `npx cairn keys create --direct`, or give CAIRN_TOKEN";

/** A control plane that runs no user code: workers connect to it. */
export class ControlPlane {
  /** Who it is, for workers and people. */
  readonly id: string;
  /** Of gRPC. */
  readonly port: number;
  /** Of health and metrics, if there are any. */
  readonly httpPort: number | null;
  /** Of the database that it uses, with the password. */
  readonly databaseUrl: string;
  /** Where the files of the database are, if Cairn brings it. */
  readonly embedded: string | null;
  readonly #parts: Parts;
  #closed: Promise<void> | null = null;

  constructor(id: string, parts: Parts) {
    this.id = id;
    this.port = parts.server.port;
    this.httpPort = parts.http?.port ?? null;
    this.databaseUrl = parts.database.url;
    this.embedded = parts.database.embedded;
    this.#parts = parts;
  }

  /** What is answered over HTTP, and to whom. */
  get routes(): readonly ServedRoute[] {
    return this.#parts.http?.routes ?? [];
  }

  /** Whoever connects from now on is shown these certificates. Throws if they cannot be used: then those from before stay. */
  renewCertificates(tls: ServerTls): void {
    checkTls(tls);
    this.#parts.server.renew(tls);
    this.#parts.http?.renew(tls);
  }

  /** Tells what runs do from now on. */
  async watchRuns(tell: (news: RunNews) => void): Promise<RunFeed> {
    const feed = new RunFeed(this.#parts.engine.impatient, tell);
    await feed.open();
    return feed;
  }

  /** Lets new runs of a workflow have this version. False: there is no such version. */
  promote(namespace: string, name: string, version: string): Promise<boolean> {
    return promoteVersion(this.#parts.engine.client, namespace, name, version);
  }

  /** Commits what is under way, and hands everything over. Calls go on where they run. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const { engine, server, http, fleet, hub, access, clients, ticking, database } = this.#parts;
    access.close();
    clients.close();
    http?.drain();
    server.drain();
    // Its rows go first: the engine takes the connections with it.
    await fleet.close().catch(() => {});
    await engine.close();
    clearInterval(ticking);
    hub.close();
    await server.close();
    await http?.close();
    await database.close();
  }
}

interface Parts {
  readonly database: Database;
  readonly engine: Engine;
  readonly hub: WorkerHub<unknown>;
  readonly fleet: Fleet;
  readonly server: GrpcServer;
  readonly http: HttpServer | null;
  readonly access: Access;
  readonly clients: LiveClients;
  readonly ticking: NodeJS.Timeout;
}

export async function openControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const settings = controlPlaneSettings(options);
  if (settings.tls !== null) checkTls(settings.tls);
  const id = `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`;
  const database = await openDatabase(settings.engine);
  try {
    return new ControlPlane(id, await openParts(id, database, settings));
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function openParts(id: string, database: Database, settings: ControlPlaneSettings): Promise<Parts> {
  const tell = warnOf(settings.engine);
  let tally: Engine["tally"] | null = null;
  const warn: Warn = (message, error, about) => {
    tally?.add("warnings", 1);
    tell(message, error, about);
  };
  const clock = new AwakeClock(() => performance.now());
  let hub: WorkerHub<unknown> | null = null;
  let fleet: Fleet | null = null;
  const metrics = new Metrics(settings.http !== null);
  const runner: MakeRunner = (events, engine) => {
    const readers = new BlobReaders(engine.client, () => performance.now());
    const made = new WorkerHub(
      {
        id,
        now: () => clock.now(),
        blobs: engine.blobs,
        details: {
          find: (calls) => findHeartbeatDetails(engine.client, calls),
          keep: (details) => keepHeartbeatDetails(engine.client, details),
          forget: (calls) => forgetHeartbeatDetails(engine.client, calls),
        },
        vouched: (namespace, digest) => readers.grant(namespace, digest),
        chunks: {
          write: (chunks) => writeChunks(engine.client, chunks),
          written: () => engine.tell("cairn_chunks"),
        },
        heartbeatMs: settings.workerHeartbeatMs,
        graceMs: settings.noHandlerGraceMs,
        passOn: (namespace, outcomes) => passOn(engine, namespace, outcomes),
        workersElsewhere: async (namespace) => (fleet === null ? [] : fleet.workersElsewhere(namespace)),
        fleetChanged: () => fleet?.changed(),
        joined: (namespace, segments) => void wakeWaiting(engine, namespace, segments, warn),
        sent: (waitedMs) => metrics.sent(waitedMs),
        ended: (action, outcome, durationMs) => metrics.ended(action, outcome, durationMs),
        secrets: (namespace, names) => engine.secrets.read(namespace, names),
        warn,
      },
      events,
    );
    // Whoever speaks with workers does not know whose calls these are.
    hub = made as unknown as WorkerHub<unknown>;
    return made;
  };
  const engine = await openEngine(database, null, settings.engine, runner);
  tally = engine.tally;
  const opened = hub as unknown as WorkerHub<unknown>;
  const ticking = setInterval(() => {
    clock.tick();
    opened.tick();
  }, TICK_MS);
  const { security, tokens, certificatesSuffice } = settings;
  const access = new Access({ security, tokens, certificatesSuffice, client: engine.client, warn });
  const clients = new LiveClients(settings.live, (caller, end) => access.watch(caller, end));
  const audit = new AuditLog(engine.client, warn);
  const failed = new FailedAccess({ write: (entry) => audit.write(entry), warn, now: () => performance.now() });
  metrics.measure({ engine, hub: opened, clients, failed, unserved: () => fleet?.unserved ?? [] });
  let server: GrpcServer | null = null;
  let http: HttpServer | null = null;
  try {
    await checkMasterKey(engine, warn);
    await protectSigningKeys(id, engine, audit, warn);
    if (settings.http !== null) engine.live.open();
    const limits = new RequestLimits(
      settings.rate,
      () => performance.now(),
      (asking, error) => failed.note(asking, error),
    );
    http = await openHttp(id, settings, { engine, access, audit, metrics, clients, limits, warn });
    const { listen, tls, workerHeartbeatMs: heartbeatMs } = settings;
    const grpc = GrpcServer.open({
      engine,
      hub: opened,
      listen,
      tls,
      trustedProxies: settings.guard.trustedProxies,
      access,
      limits,
      audit,
      leaseOf: (type) => leaseOf(settings.engine, type),
      handshakeFailed: (reason, address, code) => failed.noteHandshake(reason, address, code),
      timeNow: () => Date.now(),
      warn,
    });
    server = await listening("gRPC", listen, grpc);
    const url = settings.advertiseUrl ?? urlOf(listen, server.port, tls !== null);
    if (url === null) warn("Workers are not told of this control plane", new Error(NOT_ADVERTISED));
    if (tls?.clientAuthority === undefined && !(await access.hasCallers())) {
      warn("Nobody can ask this control plane anything", new Error(NO_CALLERS));
    }
    warnOfExposure(settings, warn);
    const now = (): number => clock.now();
    fleet = new Fleet({ id, url, client: engine.client, heartbeatMs, now, warn }, opened);
    await fleet.open();
    fleet.changed();
    return { database, engine, hub: opened, fleet, server, http, access, clients, ticking };
  } catch (error) {
    clearInterval(ticking);
    await engine.close();
    await server?.close();
    await http?.close();
    throw error;
  }
}

async function openHttp(
  id: string,
  { http: listen, publicUrl, guard, tls, httpTls }: ControlPlaneSettings,
  parts: Pick<RestOptions, "engine" | "access" | "audit" | "clients" | "limits" | "warn"> & {
    readonly metrics: Metrics;
  },
): Promise<HttpServer | null> {
  if (listen === null) return null;
  const { metrics, limits, ...others } = parts;
  const { engine, access, warn } = parts;
  const rest = { controlPlane: id, publicUrl, ...others };
  const secured = tls === null || !httpTls ? {} : { tls };
  const isReady = (): Promise<boolean> => engine.isReady();
  const http = HttpServer.open({ listen, ...secured, metrics, isReady, access, rest, guard, limits, warn });
  return listening("HTTP", `${listen.host}:${listen.port}`, http);
}

/** An address that stands for all of a machine's is none that others could use. */
function urlOf(listen: string, port: number, isSecure: boolean): string | null {
  const host = listen.slice(0, listen.lastIndexOf(":"));
  return ["0.0.0.0", "[::]", "::"].includes(host) ? null : `${isSecure ? "https" : "http"}://${host}:${port}`;
}

/** Runs that were given back since no worker was there need not wait until they ask again. */
async function wakeWaiting(
  engine: RunnerEngine,
  namespace: string,
  segments: readonly string[],
  warn: Warn,
): Promise<void> {
  try {
    if ((await wakeUnserved(engine.client, namespace, segments)) > 0) engine.tell("cairn_work");
  } catch (error) {
    warn("Runs that wait for a worker cannot be told that one is there", error);
  }
}

/** To the mail of runs that nobody holds here. */
async function passOn(
  engine: RunnerEngine,
  namespace: string,
  outcomes: readonly CallOutcome[],
): Promise<ReadonlySet<string>> {
  const letters = [];
  for (const outcome of outcomes) {
    const value = await storedForm(engine.blobs, JSON.stringify(outcome));
    letters.push({ incarnation: outcome.incarnation, runId: outcome.runId, call: outcome.call, value });
  }
  const living = await sendOutcomes(engine.client, namespace, letters);
  if (living.size > 0) engine.tell("cairn_mail");
  return living;
}
