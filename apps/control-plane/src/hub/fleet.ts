import type { ControlPlaneAddress } from "@cairnjs/schemas";
import { namespaceOfPool, needsWorker, servedAs } from "../runloop/pools.ts";
import { poolsWithWork } from "../store/claim-runs.ts";
import {
  joinWorkers,
  keepControlPlane,
  leaveControlPlanes,
  listControlPlanes,
  removeWorkers,
  showUnserved,
  updateWorkers,
  type WorkerMetrics,
  workersElsewhere,
} from "../store/fleet.ts";
import { sweepHeartbeatDetails } from "../store/heartbeat-details.ts";
import type { Queryable } from "../store/statement.ts";
import { segmentsOf, type ServedNames } from "./names.ts";
import { SILENT_HEARTBEATS } from "./silence.ts";
import type { WorkerHub } from "./worker-hub.ts";
import type { WorkerSession } from "./worker-session.ts";
import type { Warn } from "../warn.ts";

export interface FleetOptions {
  readonly id: string;
  /** Where workers reach this control plane; null: they are not told of it. */
  readonly url: string | null;
  readonly client: Queryable;
  readonly heartbeatMs: number;
  /** The hub's clock, in milliseconds. */
  readonly now: () => number;
  readonly warn: Warn;
}

/** Looks for other control planes. */
const LOOK_EVERY_MS = 1_000;
/** Workers that come or go in this time are written together. */
const WRITE_AFTER_MS = 20;
/** Of jobs that nobody can run, the oldest of each pool are shown as waiting. */
const SHOWN_MAX = 1_000;
const SWEEP_EVERY_MS = 600_000;
/** Pools that are told as such. */
const UNSERVED_MAX = 100;

type Hub = WorkerHub<unknown>;
type Session = WorkerSession<unknown>;

/**
 * Owns: what the database says of this control plane and its workers, and what this one knows of others.
 *
 * One statement a heartbeat for all workers, and one when some come or go: what a worker can run is written once.
 */
export class Fleet {
  readonly #options: FleetOptions;
  readonly #hub: Hub;
  /** Sessions that the database knows of. */
  readonly #known = new Set<Session>();
  #unserved: readonly string[] = [];
  #addresses = "";
  #writing: Promise<void> = Promise.resolve();
  #write: NodeJS.Timeout | null = null;
  #timers: NodeJS.Timeout[] = [];
  #sweptAt = 0;
  #closed = false;

  constructor(options: FleetOptions, hub: Hub) {
    this.#options = options;
    this.#hub = hub;
  }

  /** Rejects if the database cannot be used. */
  async open(): Promise<void> {
    await this.#keep();
    await this.#look();
    const again = (work: () => Promise<void>, ms: number): NodeJS.Timeout => setInterval(() => this.#queue(work), ms);
    this.#timers = [again(() => this.#look(), LOOK_EVERY_MS), again(() => this.#beat(), this.#options.heartbeatMs)];
  }

  /** Workers have come or gone. */
  changed(): void {
    if (this.#closed) return;
    this.#write ??= setTimeout(() => {
      this.#write = null;
      this.#queue(() => this.#sync());
    }, WRITE_AFTER_MS);
  }

  /** Pools in which jobs wait that nobody serves, as of the last heartbeat. */
  get unserved(): readonly string[] {
    return this.#unserved;
  }

  /** Of other control planes. */
  async workersElsewhere(namespace: string | null): Promise<(ServedNames & { readonly namespace: string })[]> {
    const rows = await workersElsewhere(this.#options.client, namespace, this.#options.id);
    return rows.map(({ namespace: of, prefixes, actions }) => ({ namespace: of, prefixes, names: new Set(actions) }));
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const timer of this.#timers) clearInterval(timer);
    if (this.#write !== null) clearTimeout(this.#write);
    await this.#writing;
    await leaveControlPlanes(this.#options.client, this.#options.id);
  }

  /** One after the other: what is written last is what was so last. */
  #queue(work: () => Promise<void>): void {
    if (this.#closed) return;
    this.#writing = this.#writing.then(work).catch((error: unknown) => {
      if (!this.#closed) this.#options.warn("What is known of workers cannot be written", error);
    });
  }

  async #keep(): Promise<void> {
    const { client, id, url, heartbeatMs } = this.#options;
    const isNew = await keepControlPlane(client, { id, url }, SILENT_HEARTBEATS * heartbeatMs);
    // What was known of its workers is gone with it.
    if (isNew) this.#known.clear();
  }

  async #look(): Promise<void> {
    const planes = await listControlPlanes(this.#options.client);
    const addresses = planes.flatMap(({ id, url }): ControlPlaneAddress[] => (url === null ? [] : [{ id, url }]));
    const known = JSON.stringify(addresses);
    if (known === this.#addresses) return;
    this.#addresses = known;
    this.#hub.tellControlPlanes(addresses);
  }

  async #sync(): Promise<void> {
    const { client, id } = this.#options;
    const present = new Set(this.#hub.sessions);
    const joined = [...present].filter((session) => !this.#known.has(session));
    const left = [...this.#known].filter((session) => !present.has(session));
    // One that is back has another session by now.
    const gone = left.filter(
      ({ key }) => ![...joined, ...this.#known].some((one) => present.has(one) && one.key === key),
    );
    if (gone.length > 0) await removeWorkers(client, id, gone.map(named));
    if (joined.length > 0) await joinWorkers(client, id, joined.map(described));
    for (const session of left) this.#known.delete(session);
    for (const session of joined) this.#known.add(session);
  }

  async #beat(): Promise<void> {
    const { client, id } = this.#options;
    await this.#keep();
    await this.#sync();
    const now = performance.now();
    const metrics = Array.from(this.#known, (session) => this.#metricsOf(session));
    if (metrics.length > 0) await updateWorkers(client, id, metrics);
    await this.#showUnserved();
    if (now - this.#sweptAt < SWEEP_EVERY_MS) return;
    this.#sweptAt = now;
    await sweepHeartbeatDetails(client);
  }

  #metricsOf(session: Session): WorkerMetrics {
    return {
      ...named(session),
      inFlight: session.calls.size,
      queueDepth: this.#hub.backlogOf(session),
      ...session.times.rates(this.#options.now()),
    };
  }

  /** Jobs that nobody claims, since there is no worker for them anywhere. */
  async #showUnserved(): Promise<void> {
    const { client } = this.#options;
    const pools = (await poolsWithWork(client)).filter(needsWorker);
    this.#unserved = [];
    if (pools.length === 0) return;
    const served = new Set([...this.#hub.sessions].flatMap(({ rooms }) => rooms));
    for (const worker of await this.workersElsewhere(null)) {
      for (const segment of segmentsOf(worker)) served.add(`${worker.namespace}:${segment}`);
    }
    const unserved = pools
      .filter((pool) => !served.has(servedAs(pool)) && !served.has(`${namespaceOfPool(pool)}:`))
      .map((pool) => ({ pool, waitingFor: `a worker for ${servedAs(pool).slice(servedAs(pool).indexOf(":") + 1)}.` }));
    this.#unserved = unserved.slice(0, UNSERVED_MAX).map(({ pool }) => pool);
    if (unserved.length > 0) await showUnserved(client, unserved, SHOWN_MAX);
  }
}

function named({ hello }: Session): { readonly namespace: string; readonly worker: string } {
  return { namespace: hello.namespace, worker: hello.workerId };
}

function described(session: Session): Parameters<typeof joinWorkers>[2][number] {
  const { capacity, prefixes } = session.hello;
  return { ...named(session), prefixes, actions: [...session.names], capacity };
}
