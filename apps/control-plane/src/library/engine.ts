import { hostname } from "node:os";
import type pg from "pg";
import type { BlobStore } from "../blobs/blob-store.ts";
import { openBlobs } from "../blobs/open-blobs.ts";
import type { PayloadCodec } from "cairnjs";
import type { Allowed } from "../outbox/allowed.ts";
import type { EventSink } from "../outbox/event-sink.ts";
import type { MakeRunner } from "../hub/call-runner.ts";
import { ChunkFeed } from "../chunks/chunk-feed.ts";
import { Live } from "../live/live.ts";
import { Keeper } from "../keeper/keeper.ts";
import type { Maintenance, RetentionSettings } from "../maintenance/maintenance.ts";
import { DatabaseClock } from "../runloop/clock.ts";
import type { Channel, EndedRun } from "../runloop/outside.ts";
import { Programs } from "../runloop/programs.ts";
import type { CountedRunloop } from "../runloop/runloop-counters.ts";
import { ScheduleBook } from "../scheduler/schedule-book.ts";
import { openPool } from "../store/connection.ts";
import type { Queryable } from "../store/statement.ts";
import type { NewRun, StartedRun } from "../store/start-runs.ts";
import { keptLeases } from "../store/kept-leases.ts";
import { SecretStore } from "../secrets/secret-store.ts";
import { databaseTime } from "../store/time.ts";
import { KeeperWorker } from "../threads/keeper-worker.ts";
import { type Duties, openDuties } from "./duties.ts";
import type { EngineOptions } from "./engine-options.ts";
import { EngineTally } from "./engine-tally.ts";
import { LocalActions } from "./local-actions.ts";
import { Notifier } from "./notifier.ts";
import { Patience, patientClient } from "./patience.ts";
import { Poller } from "./poller.ts";
import { tellRunSpan } from "./run-span.ts";
import { Runloops } from "./runloops.ts";
import { Starter } from "./starter.ts";
import { Waiters } from "./waiters.ts";
import { Watch } from "./watch.ts";

/** A control plane in one process, with whoever runs its calls: everything but what people call. */
export class Engine {
  /** For what people ask: waits for a database that cannot be reached. */
  readonly client: Queryable;
  readonly blobs: BlobStore;
  readonly programs: Programs;
  readonly waiters: Waiters;
  readonly chunks: ChunkFeed;
  readonly live: Live;
  readonly starter: Starter;
  readonly schedules: ScheduleBook;
  readonly secrets: SecretStore;
  readonly tally = new EngineTally();
  readonly #options: EngineOptions;
  readonly #pool: pg.Pool;
  readonly #address = `${hostname()}:${process.pid}`;
  readonly #notifier: Notifier;
  readonly #poller: Poller;
  readonly #keeper: Keeper | KeeperWorker;
  readonly #runloops: Runloops;
  /** Null while it opens. */
  #duties: Duties | null = null;
  readonly #clock = new DatabaseClock(() => performance.now());
  /** Null: workers have the actions. */
  readonly #local: LocalActions | null;
  #closed: Promise<void> | null = null;

  static async open(options: EngineOptions): Promise<Engine> {
    const engine = new Engine(options, openPool(options.url, "client", options.poolSize));
    try {
      await engine.#open();
      return engine;
    } catch (error) {
      await engine.close();
      throw error;
    }
  }

  private constructor(options: EngineOptions, pool: pg.Pool) {
    const warn: EngineOptions["warn"] = (message, error, about) => {
      this.tally.add("warnings", 1);
      options.warn(message, error, about);
    };
    const { url, namespace, listenUrl, heartbeatMs, runloops, blobFolder, patienceMs } = options;
    this.#options = { ...options, warn };
    this.#pool = pool;
    const patience = new Patience(patienceMs, url);
    this.client = patientClient(pool, patience);
    this.blobs = openBlobs(this.client, blobFolder);
    this.secrets = new SecretStore(this.client, options.masterKeys, () => performance.now());
    this.programs = new Programs(this.client, () => performance.now());
    this.waiters = new Waiters(pool);
    this.chunks = new ChunkFeed(pool);
    this.live = new Live(pool, warn);
    this.#local = options.runner === undefined ? this.#newLocal() : null;
    const woken = (): void => this.#runloops.poke();
    const quarantined = (): void => {
      if (this.#closed === null) void this.#runloops.openQuarantine();
    };
    const { chunksKeptMs } = options;
    const keeping = { url, namespace, heartbeatMs, chunksKeptMs, woken, quarantined, warn };
    this.#keeper = runloops === 0 ? new Keeper(keeping) : new KeeperWorker(keeping);
    this.#notifier = new Notifier({
      url,
      listenUrl,
      heard: (channel) => this.#heard(channel),
      listening: (isListening) => (isListening ? this.#poller.stop() : this.#poller.start()),
      warn,
    });
    const watch = new Watch({
      client: pool,
      namespace,
      work: () => this.#runloops.poke(),
      mail: () => {
        this.#keeper.wake();
        this.#runloops.poke();
      },
      ended: () => this.waiters.look(),
    });
    this.#poller = new Poller(() => {
      this.chunks.look();
      return watch.look();
    });
    this.#runloops = this.#newRunloops();
    this.starter = new Starter({
      client: this.client,
      programs: this.programs,
      blobs: this.blobs,
      patience,
      now: () => this.now(),
      start: (runs) => this.#start(runs),
    });
    this.schedules = new ScheduleBook({
      client: this.client,
      prepare: (request) => this.starter.prepare(request),
      tell: (channel) => this.tell(channel),
    });
  }

  async #open(): Promise<void> {
    this.#clock.observe(await databaseTime(this.#pool));
    await this.#notifier.open();
    this.#keeper.open();
    await this.#runloops.open();
    const { url, leaseMs, dispatches, ports, allowed, firingsMax, retention, blobFolder, log, warn } = this.#options;
    this.#duties = openDuties({
      scheduler: {
        client: this.#pool,
        prepare: (request) => this.starter.prepare(request),
        now: () => this.now(),
        tell: (channel) => this.tell(channel),
        firingsMax,
        count: this.tally.add,
        warn,
      },
      outbox: dispatches
        ? {
            url,
            address: this.#address,
            leaseMs,
            ports,
            allowed,
            secrets: this.secrets,
            random: Math.random,
            count: this.tally.add,
            warn,
          }
        : null,
      maintenance: {
        url,
        settings: retention,
        blobFolder,
        sources: { programs: this.programs, blobs: this.blobs },
        log,
        warn,
      },
    });
  }

  /** For sealed values; null: there is none. */
  get codec(): PayloadCodec | null {
    return this.#options.codec;
  }

  async #start(runs: readonly NewRun[]): Promise<StartedRun[]> {
    const all = await this.#runloops.start(runs);
    const fresh = new Set(all.map(({ id }) => id));
    this.live.hint();
    this.tally.started(runs.filter(({ id }) => fresh.has(id)).map(({ type }) => type));
    return all;
  }

  /**
   * What this process can run: names of actions, and of workflows, with a slash behind, whose steps it has. Jobs that begin like
   * its actions are claimed here from now on.
   */
  async serve(names: ReadonlySet<string>): Promise<void> {
    await this.#local?.serve(names);
  }

  #newLocal(): LocalActions {
    return new LocalActions({
      settings: this.#options,
      // Null is for control planes, whose workers have the actions.
      namespace: this.#options.namespace!,
      address: this.#address,
      client: this.#pool,
      secrets: this.secrets,
      tellServed: (served) => this.#runloops.serve(served),
      streamed: () => this.tell("cairn_chunks"),
    });
  }

  #newRunloops(): Runloops {
    const makeRunner: MakeRunner = this.#options.runner ?? ((events) => this.#local!.runner(events));
    return new Runloops({
      settings: this.#options,
      address: this.#address,
      blobs: this.blobs,
      makeRunner: (events) => makeRunner(events, this),
      served: () => this.#local?.served ?? null,
      keep: (cells) => this.#keeper.keep(cells),
      acknowledged: (calls) => this.live.stepped(calls),
      ended: (notices) => this.#ended(notices),
      notify: (channel) => this.tell(channel),
    });
  }

  #ended(notices: readonly EndedRun[]): void {
    this.live.stepped(notices);
    this.tally.ended(notices);
    for (const notice of notices) tellRunSpan(notice);
    this.waiters.ended(notices);
    this.#notifier.notify("cairn_ended");
  }

  /** The database's time. */
  now(): number {
    return this.#clock.now();
  }

  /** Where events go that subscriptions name as ports. */
  get ports(): Readonly<Record<string, EventSink>> {
    return this.#options.ports;
  }

  /** What of the process subscriptions may use; null: all of it. */
  get allowed(): Allowed | null {
    return this.#options.allowed;
  }

  /** Removes what is over; null while the engine opens. */
  get maintenance(): Maintenance | null {
    return this.#duties?.maintenance ?? null;
  }

  /** How long things are kept where no rule says otherwise. */
  get retention(): RetentionSettings {
    return this.#options.retention;
  }

  /** For what had better fail than wait. */
  get impatient(): Queryable {
    return this.#pool;
  }

  /** What its runloops have done. */
  get counted(): CountedRunloop[] {
    return this.#runloops.counted;
  }

  /** Whether the database can be reached, is what this release needs, and knows all runloops of this process as alive. */
  async isReady(): Promise<boolean> {
    const { owners } = this.#runloops;
    const living = owners.filter((owner) => owner !== null);
    return living.length === owners.length && (await keptLeases(this.#pool, living)) === living.length;
  }

  /** Here and elsewhere. */
  tell(channel: Channel): void {
    this.#heard(channel);
    this.#notifier.notify(channel);
    this.#poller.hurry();
  }

  #heard(channel: Channel): void {
    this.live.hint();
    for (const duty of this.#duties?.all ?? []) duty.heard(channel);
    if (channel === "cairn_outbox") return;
    if (channel === "cairn_ended") return void this.waiters.look();
    if (channel === "cairn_chunks") return this.chunks.look();
    if (channel === "cairn_mail") this.#keeper.wake();
    void this.#lookAtClock();
    this.#runloops.poke();
  }

  async #lookAtClock(): Promise<void> {
    try {
      this.#clock.observe(await databaseTime(this.#pool));
    } catch {
      // Whoever asks next will be told that the database cannot be reached.
    }
  }

  /** Lets actions that run here end, commits what they return, hands everything over. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    // Whoever watches can go on elsewhere at once.
    this.live.close();
    const duties = this.#duties?.all ?? [];
    await Promise.all(duties.map(async (duty) => duty.drain?.()));
    this.starter.close();
    await this.#runloops.drain();
    await this.#runloops.close();
    await Promise.all(duties.map((duty) => duty.close()));
    await this.#local?.close();
    await this.#keeper.close();
    await this.#notifier.close();
    this.#poller.stop();
    this.waiters.close();
    this.chunks.close();
    await this.#pool.end();
  }
}
