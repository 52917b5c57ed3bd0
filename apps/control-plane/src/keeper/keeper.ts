import type pg from "pg";
import type { SharedCells } from "../runloop/shared-cells.ts";
import { hasQuarantined } from "../store/claim-runs.ts";
import { openConnection } from "../store/connection.ts";
import { sweepMail } from "../store/mail.ts";
import { keepOwners, takeOver } from "../store/owners.ts";
import { vacuumHotTables } from "../store/vacuum.ts";
import { wakeRuns } from "../store/wake-runs.ts";

/** How often it looks whether others have gone. */
const TAKE_OVER_EVERY_MS = 500;
/** A parked run that is due sooner than this was kept in memory; so whatever is parked is seen in time. */
const WAKE_EVERY_MS = 1_000;
const SWEEP_EVERY_MS = 5_000;
const VACUUM_EVERY_MS = 10_000;
const PARTITIONS_EVERY_MS = 60 * 60 * 1_000;
const REOPEN_MS = 500;

export interface KeeperOptions {
  readonly url: string;
  readonly heartbeatMs: number;
  /** There is work that was not there before. */
  readonly woken: () => void;
  /** There are runs that must be looked at alone. */
  readonly quarantined: () => void;
  readonly warn: (message: string, error: unknown) => void;
}

interface Kept {
  readonly cells: SharedCells;
  seen: number;
}

/**
 * Keeps the leases of this process's owners, and does what no run does by itself: wakes those that are due or have mail,
 * frees those whose owner is gone, sweeps mail that nobody will read.
 *
 * A lease is kept only while its runloop makes progress: one that hangs must lose its runs.
 */
export class Keeper {
  readonly #options: KeeperOptions;
  readonly #kept: Kept[] = [];
  readonly #timers = new Set<NodeJS.Timeout>();
  #client: pg.Client | null = null;
  #opening: Promise<pg.Client> | null = null;
  #wakeTimer: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  open(): void {
    this.#every(this.#options.heartbeatMs, (client) => this.#beat(client));
    this.#every(TAKE_OVER_EVERY_MS, async (client) => {
      if ((await takeOver(client)) > 0) this.#options.woken();
      if (await hasQuarantined(client)) this.#options.quarantined();
    });
    this.#every(SWEEP_EVERY_MS, sweepMail);
    this.#every(VACUUM_EVERY_MS, vacuumHotTables);
    this.#every(PARTITIONS_EVERY_MS, async (client) => {
      await client.query("SELECT cairn.create_partitions(cairn.now() + interval '28 days')");
    });
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
    await this.#with(async (client) => {
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
    await this.#client?.end().catch(() => {});
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

  #every(ms: number, work: (client: pg.Client) => Promise<void>): void {
    let busy = false;
    const timer = setInterval(() => {
      if (busy) return;
      busy = true;
      void this.#with(work).then(() => (busy = false));
    }, ms);
    this.#timers.add(timer);
  }

  async #with(work: (client: pg.Client) => Promise<void>): Promise<void> {
    try {
      await work(await this.#connection());
    } catch (error) {
      if (this.#closed) return;
      this.#options.warn("Leases and timers could not be looked after", error);
      const broken = this.#client;
      this.#client = null;
      await broken?.end().catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, REOPEN_MS));
    }
  }

  async #connection(): Promise<pg.Client> {
    if (this.#client !== null) return this.#client;
    this.#opening ??= openConnection(this.#options.url, "keeper").finally(() => (this.#opening = null));
    this.#client = await this.#opening;
    return this.#client;
  }
}
