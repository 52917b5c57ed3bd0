import { randomUUID } from "node:crypto";
import type pg from "pg";
import type { BlobStore } from "../blobs/blob-store.ts";
import { isConnectionLoss, openConnection } from "../store/connection.ts";
import { openOwner, releaseOwner } from "../store/owners.ts";
import { isPooled } from "../store/pooled-url.ts";
import type { NewRun, StartedRun } from "../store/start-runs.ts";
import { databaseTime } from "../store/time.ts";
import { DatabaseClock } from "./clock.ts";
import type { CallOutcome, Outside, TryId, UnservedCall } from "./outside.ts";
import { Memory } from "./memory.ts";
import type { ServedLeases } from "./pools.ts";
import { Programs } from "./programs.ts";
import { Runloop } from "./runloop.ts";
import type { SharedCells } from "./shared-cells.ts";

const REOPEN_MIN_MS = 50;
const REOPEN_MAX_MS = 2_000;
/** Of a group commit: whoever stands in its way for longer is waited for by that run alone. */
const LOCK_TIMEOUT_MS = 200;
const COMMIT_CONNECTIONS = 2;
/** Of those that hand over when it is closed: connections may be lost again and again, and closing comes to an end. */
const LAST_LIVES_MAX = 3;

/** What each life begins with, in whichever thread. */
export interface LifeSettings {
  readonly url: string;
  /** The one whose actions are here; null: all. */
  readonly namespace: string | null;
  /** Who holds runs, for people. */
  readonly address: string;
  readonly leaseMs: number;
  readonly leases: ServedLeases;
  readonly heldMax: number;
  /** Of runs in one commit. */
  readonly batchMax: number;
  /** What the runs that are held may take in memory. */
  readonly heldBytesMax: number;
  readonly alone: boolean;
}

export interface LivesOptions {
  readonly settings: LifeSettings;
  readonly blobs: BlobStore;
  readonly outside: Outside;
  readonly random: () => number;
  readonly cells: SharedCells;
  /** Another life has begun: it is told of the outcomes that nobody has acknowledged, and then it resolves. */
  readonly begun: () => Promise<void>;
}

interface Life {
  readonly owner: string;
  readonly runloop: Runloop;
  readonly control: pg.Client;
  readonly clients: readonly pg.Client[];
}

/** There is no connection to the database at the moment. */
export class EngineUnavailable extends Error {
  override name = "EngineUnavailable";
}

/** A runloop for as long as it is wanted: when one life is lost, the next one begins, under a new id. */
export class Lives {
  readonly #options: LivesOptions;
  #life: Life | null = null;
  #closing = false;
  #draining = false;
  #failures = 0;
  /** Of lives that were lost: what they held is free as soon as the next one begins, and no crash. */
  readonly #former = new Set<string>();
  /** When the life at the moment has been told of what others were told in vain. */
  #told: Promise<void> = Promise.resolve();
  #reopen: NodeJS.Timeout | null = null;
  #opening: Promise<void> = Promise.resolve();
  /** What workers could take, as was said last: also for the next life. */
  #room: ReadonlyMap<string, number> | null = null;

  constructor(options: LivesOptions) {
    this.#options = options;
  }

  /** The first life; rejects if the database cannot be used. */
  open(): Promise<void> {
    const begun = this.#begin();
    this.#opening = begun.catch(() => {});
    return begun;
  }

  async #begin(): Promise<void> {
    const { settings, blobs, outside, random, cells } = this.#options;
    const { url, namespace, address, leaseMs, leases, heldMax, batchMax, heldBytesMax, alone } = settings;
    const clients = await openAll([
      openConnection(url, "control"),
      ...Array.from({ length: COMMIT_CONNECTIONS }, () =>
        openConnection(url, "commit", [`lock_timeout=${LOCK_TIMEOUT_MS}`]),
      ),
    ]);
    try {
      const [control, ...commits] = clients as [pg.Client, ...pg.Client[]];
      const owner = randomUUID();
      const about = { leaseMs, address, alone, hasSession: !isPooled(url) };
      const incarnation = await openOwner(control, { id: owner, ...about });
      // A last life passes outcomes on first: whoever has the runs next finds them in their mail.
      if (!this.#closing) await this.#releaseFormer(control);
      const clock = new DatabaseClock(() => performance.now());
      clock.observe(await databaseTime(control));
      const programs = new Programs(control, () => performance.now());
      const lost = (error: unknown): void => this.#lost(error);
      const runloop = new Runloop({
        owner,
        incarnation,
        control,
        namespace,
        leases,
        commits,
        programs,
        blobs,
        clock,
        random,
        outside,
        heldMax,
        batchMax,
        memory: new Memory(heldBytesMax),
        alone,
        cells,
        lost,
      });
      this.#life = { owner, runloop, control, clients };
      this.#failures = 0;
      cells.owner = owner;
      if (this.#draining) runloop.drain();
      if (this.#room !== null) runloop.serve(this.#room);
      this.#told = this.#options.begun();
      runloop.poke();
    } catch (error) {
      await closeAll(clients);
      throw error;
    }
  }

  async start(runs: readonly NewRun[]): Promise<StartedRun[]> {
    if (this.#life === null) throw new EngineUnavailable("The database cannot be reached at the moment");
    try {
      return await this.#life.runloop.start(runs);
    } catch (error) {
      if (!isConnectionLoss(error)) throw error;
      throw new EngineUnavailable("The connection to the database was lost", { cause: error });
    }
  }

  /** Without a life, whoever has the outcomes keeps them, since nobody acknowledges them. */
  outcomes(outcomes: readonly CallOutcome[]): void {
    this.#life?.runloop.outcomes(outcomes);
  }

  strangers(calls: readonly TryId[]): void {
    this.#life?.runloop.strangers(calls);
  }

  unserved(calls: readonly UnservedCall[]): void {
    this.#life?.runloop.unserved(calls);
  }

  joined(namespace: string, segments: readonly string[]): void {
    this.#life?.runloop.joined(namespace, segments);
  }

  serve(room: ReadonlyMap<string, number>): void {
    this.#room = room;
    this.#life?.runloop.serve(room);
  }

  poke(): void {
    this.#life?.runloop.poke();
  }

  /** Takes nothing new and dispatches nothing, not in a later life either; what is held goes on. */
  async drain(): Promise<void> {
    this.#draining = true;
    this.#life?.runloop.drain();
  }

  async close(): Promise<void> {
    this.#closing = true;
    await this.drain();
    if (this.#reopen !== null) clearTimeout(this.#reopen);
    await this.#opening;
    for (let lives = 0; lives < LAST_LIVES_MAX && (this.#life !== null || this.#former.size > 0); lives++) {
      if (!(await this.#handOver())) break;
    }
    this.#options.cells.owner = null;
  }

  /** In the life at the moment, or in a last one, if there can be one: false if not. */
  async #handOver(): Promise<boolean> {
    try {
      if (this.#life === null) await this.#begin();
    } catch (error) {
      this.#options.outside.warn("Runs could not be handed over: others have them when the lease has run out", error);
      return false;
    }
    const life = this.#life;
    if (life === null) return true;
    try {
      await this.#told;
      await life.runloop.close();
      if (this.#life !== life) return true;
      await this.#releaseFormer(life.control);
      this.#life = null;
      await closeAll(life.clients);
    } catch (error) {
      this.#lost(error);
    }
    return true;
  }

  async #releaseFormer(control: pg.Client): Promise<void> {
    for (const owner of this.#former) {
      await releaseOwner(control, owner);
      this.#former.delete(owner);
    }
  }

  #lost(error: unknown): void {
    const life = this.#life;
    this.#life = null;
    if (life !== null) this.#former.add(life.owner);
    this.#options.cells.lose();
    this.#options.outside.warn("The runs of this runloop were given up", error);
    void closeAll(life?.clients ?? []);
    this.#comeBack();
  }

  #comeBack(): void {
    if (this.#closing) return;
    const inMs = Math.min(REOPEN_MAX_MS, REOPEN_MIN_MS * 2 ** this.#failures++);
    this.#reopen = setTimeout(() => {
      this.#opening = this.#begin().catch((error: unknown) => {
        this.#options.outside.warn("The database cannot be reached", error);
        this.#comeBack();
      });
    }, inMs);
  }
}

/** All of them, or none: where there is room for some connections only, those are not to be kept. */
async function openAll(opening: readonly Promise<pg.Client>[]): Promise<pg.Client[]> {
  const opened = await Promise.allSettled(opening);
  const failed = opened.find((each) => each.status === "rejected");
  const clients = opened.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  if (failed === undefined) return clients;
  await closeAll(clients);
  throw failed.reason;
}

/** They may be broken already. */
async function closeAll(clients: readonly pg.Client[]): Promise<void> {
  await Promise.allSettled(clients.map((client) => client.end()));
}
