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

export interface LivesOptions {
  readonly url: string;
  /** The one whose actions are here; null: all. */
  readonly namespace: string | null;
  /** Who holds runs, for people. */
  readonly address: string;
  readonly leaseMs: number;
  readonly leases: ServedLeases;
  readonly heldMax: number;
  /** What the runs that are held may take in memory. */
  readonly heldBytesMax: number;
  readonly alone: boolean;
  readonly blobs: BlobStore;
  readonly outside: Outside;
  readonly random: () => number;
  readonly cells: SharedCells;
  /** Another life has begun. */
  readonly begun: () => void;
}

/** There is no connection to the database at the moment. */
export class EngineUnavailable extends Error {
  override name = "EngineUnavailable";
}

/** A runloop for as long as it is wanted: when one life is lost, the next one begins, under a new id. */
export class Lives {
  readonly #options: LivesOptions;
  #life: { readonly runloop: Runloop; readonly clients: readonly pg.Client[] } | null = null;
  #closing = false;
  #draining = false;
  #failures = 0;
  /** Of the life before this one: what it held is free as soon as the next one begins, and no crash. */
  #former: string | null = null;
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
    const { url, namespace, address, leaseMs, leases, heldMax, heldBytesMax, alone, blobs, outside, random, cells } =
      this.#options;
    const clients = await openAll([
      openConnection(url, "control"),
      ...Array.from({ length: COMMIT_CONNECTIONS }, () =>
        openConnection(url, "commit", [`lock_timeout=${LOCK_TIMEOUT_MS}`]),
      ),
    ]);
    try {
      const [control, ...commits] = clients;
      const owner = randomUUID();
      await openOwner(control!, { id: owner, leaseMs, address, alone, hasSession: !isPooled(url) });
      if (this.#former !== null) await releaseOwner(control!, this.#former);
      this.#former = owner;
      const clock = new DatabaseClock(() => performance.now());
      clock.observe(await databaseTime(control!));
      const programs = new Programs(control!, () => performance.now());
      const lost = (error: unknown): void => this.#lost(error);
      const runloop = new Runloop({
        owner,
        control: control!,
        namespace,
        leases,
        commits,
        programs,
        blobs,
        clock,
        random,
        outside,
        heldMax,
        memory: new Memory(heldBytesMax),
        alone,
        cells,
        lost,
      });
      this.#life = { runloop, clients };
      this.#failures = 0;
      cells.owner = owner;
      if (this.#draining) runloop.drain();
      if (this.#room !== null) runloop.serve(this.#room);
      this.#options.begun();
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

  serve(room: ReadonlyMap<string, number>): void {
    this.#room = room;
    this.#life?.runloop.serve(room);
  }

  poke(): void {
    this.#life?.runloop.poke();
  }

  /** Takes nothing new, not in a later life either; what is held goes on. */
  drain(): void {
    this.#draining = true;
    this.#life?.runloop.drain();
  }

  async close(): Promise<void> {
    this.#closing = true;
    this.drain();
    if (this.#reopen !== null) clearTimeout(this.#reopen);
    await this.#opening;
    // A last life, if that can be: it hands over what the lost one held, and outcomes that nobody has heard of.
    if (this.#life === null && this.#former !== null) {
      await this.#begin().catch((error: unknown) =>
        this.#options.outside.warn("The database cannot be reached", error),
      );
    }
    const life = this.#life;
    this.#life = null;
    this.#former = null;
    if (life === null) return void (this.#options.cells.owner = null);
    try {
      await life.runloop.close();
    } catch (error) {
      this.#options.outside.warn("Runs could not be handed over: others have them when the lease has run out", error);
    }
    this.#options.cells.owner = null;
    await closeAll(life.clients);
  }

  #lost(error: unknown): void {
    const life = this.#life;
    this.#life = null;
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
