import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { storedForm } from "../blobs/stored-values.ts";
import { GrpcServer } from "../grpc/grpc-server.ts";
import type { MakeRunner, RunnerEngine } from "../hub/call-runner.ts";
import { AwakeClock } from "../hub/awake-clock.ts";
import { Fleet } from "../hub/fleet.ts";
import { WorkerHub } from "../hub/worker-hub.ts";
import { leaseOf } from "../library/cairn-options.ts";
import type { Engine } from "../library/engine.ts";
import { type Database, openDatabase, openEngine } from "../library/open-engine.ts";
import type { CallOutcome } from "../runloop/outside.ts";
import { findHeartbeatDetails, forgetHeartbeatDetails, keepHeartbeatDetails } from "../store/heartbeat-details.ts";
import { sendOutcomes } from "../store/send-outcomes.ts";
import { type ControlPlaneOptions, type ControlPlaneSettings, controlPlaneSettings } from "./control-plane-options.ts";

const TICK_MS = 20;

/** A control plane that runs no user code: workers connect to it. */
export class ControlPlane {
  /** Who it is, for workers and people. */
  readonly id: string;
  /** Of gRPC. */
  readonly port: number;
  readonly #parts: Parts;
  #closed: Promise<void> | null = null;

  constructor(id: string, parts: Parts) {
    this.id = id;
    this.port = parts.server.port;
    this.#parts = parts;
  }

  /** Commits what is under way, and hands everything over. Calls go on where they run. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const { engine, server, fleet, hub, ticking, database } = this.#parts;
    server.drain();
    // Its rows go first: the engine takes the connections with it.
    await fleet.close().catch(() => {});
    await engine.close();
    clearInterval(ticking);
    hub.close();
    await server.close();
    await database.close();
  }
}

interface Parts {
  readonly database: Database;
  readonly engine: Engine;
  readonly hub: WorkerHub<unknown>;
  readonly fleet: Fleet;
  readonly server: GrpcServer;
  readonly ticking: NodeJS.Timeout;
}

export async function openControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const settings = controlPlaneSettings(options);
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
  const warn = settings.engine.onWarning ?? ((message, error) => console.warn(`cairn: ${message}: ${String(error)}`));
  const clock = new AwakeClock(() => performance.now());
  let hub: WorkerHub<unknown> | null = null;
  let fleet: Fleet | null = null;
  const runner: MakeRunner = (events, engine) => {
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
        heartbeatMs: settings.workerHeartbeatMs,
        graceMs: settings.noHandlerGraceMs,
        passOn: (namespace, outcomes) => passOn(engine, namespace, outcomes),
        workersElsewhere: async (namespace) => (fleet === null ? [] : fleet.workersElsewhere(namespace)),
        fleetChanged: () => fleet?.changed(),
        warn,
      },
      events,
    );
    // Whoever speaks with workers does not know whose calls these are.
    hub = made as unknown as WorkerHub<unknown>;
    return made;
  };
  const engine = await openEngine(database, null, settings.engine, runner);
  const opened = hub as unknown as WorkerHub<unknown>;
  const ticking = setInterval(() => {
    clock.tick();
    opened.tick();
  }, TICK_MS);
  let server: GrpcServer | null = null;
  try {
    const { listen, tls, tokens, workerHeartbeatMs: heartbeatMs } = settings;
    server = await GrpcServer.open({
      engine,
      hub: opened,
      listen,
      tls,
      tokens,
      leaseOf: (type) => leaseOf(settings.engine, type),
      warn,
    });
    const url = settings.advertiseUrl ?? urlOf(listen, server.port, tls !== null);
    fleet = new Fleet({ id, url, client: engine.client, heartbeatMs, warn }, opened);
    await fleet.open();
    fleet.changed();
    return { database, engine, hub: opened, fleet, server, ticking };
  } catch (error) {
    clearInterval(ticking);
    await engine.close();
    await server?.close();
    throw error;
  }
}

/** An address that stands for all of a machine's is none that others could use. */
function urlOf(listen: string, port: number, isSecure: boolean): string | null {
  const host = listen.slice(0, listen.lastIndexOf(":"));
  return ["0.0.0.0", "[::]", "::"].includes(host) ? null : `${isSecure ? "https" : "http"}://${host}:${port}`;
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
