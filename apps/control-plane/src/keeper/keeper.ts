import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import type { SharedCells } from "../runloop/shared-cells.ts";
import { hasQuarantined } from "../store/claim-runs.ts";
import { isLockTimeout } from "../store/contention.ts";
import { FIRST_GROUP, type LimitGroup, sweepLimits } from "../store/limits.ts";
import { sweepMail } from "../store/mail.ts";
import { endExpired, forgetStartKeys } from "../store/start-shaped.ts";
import { keepOwners, type OwnOwners, takeOver } from "../store/owners.ts";
import { sweepChunks } from "../store/stream-chunks.ts";
import { vacuumHotTables } from "../store/vacuum.ts";
import { wakeRuns } from "../store/wake-runs.ts";
import { LastingConnection } from "./lasting-connection.ts";
import type { Warn } from "../warn.ts";

/** How often it looks whether others have gone. */
const TAKE_OVER_EVERY_MS = 500;
/** A parked run that is due sooner than this was kept in memory; so whatever is parked is seen in time. */
const WAKE_EVERY_MS = 1_000;
const SWEEP_EVERY_MS = 5_000;
/** Whoever holds a run knows its time; others are ended by this. */
const EXPIRE_EVERY_MS = 1_000;
const VACUUM_EVERY_MS = 10_000;
const REOPEN_MS = 500;
/** When Postgres is back, others are too, soon: longer than a runloop waits before it tries again. */
const GRACE_MS = 3_000;
/** Whoever stands in the way of one row is not waited for by all the rest. */
const LOCK_TIMEOUT_MS = 1_000;

export interface KeeperOptions {
  readonly url: string;
  /** The one whose actions are here; null: all. */
  readonly namespace: string | null;
  readonly heartbeatMs: number;
  /** How long it is kept what calls stream. */
  readonly chunksKeptMs: number;
  /** There is work that was not there before. */
  readonly woken: () => void;
  /** There are runs that must be looked at alone. */
  readonly quarantined: () => void;
  readonly warn: Warn;
}

interface Kept {
  readonly cells: SharedCells;
  seen: number;
}

/**
 * Keeps the leases of this process's owners, and does what no run does by itself: wakes those that are due or have mail,
 * frees those whose owner is gone, sweeps mail that nobody will read.
 *
 * A lease is kept only while its runloop makes progress: one that hangs must lose its runs. Leases have a connection of
 * their own: queries are answered in turn, and no lock that the others wait for may cost a lease.
 *
 * An owner of this process whose thread is alive is not taken over because its session has ended: its next life frees
 * what it held, and no crash is counted (I7). Nor is one of another process that may have lost its session as this one
 * has, when Postgres went down, before it has had the time to come back.
 */
export class Keeper {
  readonly #options: KeeperOptions;
  readonly #kept: Kept[] = [];
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #leases: LastingConnection;
  readonly #rest: LastingConnection;
  #wakeTimer: NodeJS.Timeout | null = null;
  /** Limits are looked at some at a time. */
  #limitsSeen: LimitGroup = FIRST_GROUP;
  #closed = false;

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.#leases = new LastingConnection(options.url, "leases");
    this.#rest = new LastingConnection(options.url, "keeper", [`lock_timeout=${LOCK_TIMEOUT_MS}`]);
  }

  open(): void {
    this.#every(this.#options.heartbeatMs, this.#leases, (client) => this.#beat(client));
    this.#every(TAKE_OVER_EVERY_MS, this.#rest, (client) => this.#lookAtOthers(client));
    this.#every(SWEEP_EVERY_MS, this.#rest, sweepMail);
    this.#every(SWEEP_EVERY_MS, this.#rest, (client) => this.#sweepLimits(client));
    this.#every(SWEEP_EVERY_MS, this.#rest, forgetStartKeys);
    this.#every(SWEEP_EVERY_MS, this.#rest, (client) => sweepChunks(client, this.#options.chunksKeptMs));
    this.#every(EXPIRE_EVERY_MS, this.#rest, async (client) => void (await endExpired(client)));
    this.#every(VACUUM_EVERY_MS, this.#rest, vacuumHotTables);
    this.wake();
  }

  /** Keeps the lease of a runloop, whatever its id is, for as long as its progress grows. */
  keep(cells: SharedCells): void {
    this.#kept.push({ cells, seen: -1 });
  }

  /** Looks now: something was parked that is due soon, or mail was sent. */
  wake(): void {
    if (this.#wakeTimer !== null) clearTimeout(this.#wakeTimer);
    if (this.#closed) return;
    void this.#wakeDue();
  }

  async #wakeDue(): Promise<void> {
    let inMs = WAKE_EVERY_MS;
    await this.#with(this.#rest, async (client) => {
      const { count, nextInMs } = await wakeRuns(client);
      if (count > 0) this.#options.woken();
      if (nextInMs !== null) inMs = Math.min(inMs, nextInMs);
    });
    if (this.#wakeTimer !== null) clearTimeout(this.#wakeTimer);
    if (!this.#closed) this.#wakeTimer = setTimeout(() => this.wake(), inMs);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const timer of this.#timers) clearInterval(timer);
    if (this.#wakeTimer !== null) clearTimeout(this.#wakeTimer);
    await Promise.all([this.#leases.close(), this.#rest.close()]);
  }

  async #beat(client: pg.Client): Promise<void> {
    const alive: string[] = [];
    for (const kept of this.#kept) {
      const { progress, owner } = kept.cells;
      if (owner !== null && progress !== kept.seen) alive.push(owner);
      kept.seen = progress;
    }
    if (alive.length > 0) await keepOwners(client, alive);
  }

  async #sweepLimits(client: pg.Client): Promise<void> {
    const { next, lettersSent } = await sweepLimits(client, this.#limitsSeen);
    this.#limitsSeen = next;
    if (lettersSent) this.wake();
  }

  async #lookAtOthers(client: pg.Client): Promise<void> {
    const { namespace, woken, quarantined } = this.#options;
    const isGraceOver = this.#rest.ageMs >= GRACE_MS;
    // What has ended its own session may have ended those of others.
    const isAlike = this.#rest.isReopened && !isGraceOver;
    const freed = isAlike ? 0 : await takeOver(client, { own: this.#ownOwners(), isGraceOver });
    // Counted with one of its runloops, where the rest of the process reads it.
    this.#kept[0]?.cells.counters.add("takenOver", freed);
    if (freed > 0) woken();
    if (await hasQuarantined(client, namespace)) quarantined();
  }

  #ownOwners(): OwnOwners {
    const there = (id: string | null): id is string => id !== null;
    const former = this.#kept.map(({ cells }) => cells.former).filter(there);
    return { living: [...former, ...this.#kept.map(({ cells }) => cells.owner).filter(there)], former };
  }

  #every(ms: number, connection: LastingConnection, work: (client: pg.Client) => Promise<void>): void {
    let busy = false;
    const timer = setInterval(() => {
      if (busy) return;
      busy = true;
      void this.#with(connection, work).then(() => (busy = false));
    }, ms);
    this.#timers.add(timer);
  }

  async #with(connection: LastingConnection, work: (client: pg.Client) => Promise<void>): Promise<void> {
    try {
      const client = await connection.client();
      if (this.#closed) await connection.close();
      else await work(client);
    } catch (error) {
      // What someone stands in the way of is looked at again the next time.
      if (this.#closed || isLockTimeout(error)) return;
      this.#options.warn("Leases and timers could not be looked after", error);
      await connection.close();
      await delay(REOPEN_MS);
    }
  }
}
