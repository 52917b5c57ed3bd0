import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type pg from "pg";
import type { BlobStore } from "../blobs/blob-store.ts";
import { openBlobs } from "../blobs/open-blobs.ts";
import type { Logger } from "@cairnjs/worker/host";
import type { PayloadCodec } from "cairnjs";
import type { Allowed } from "../outbox/allowed.ts";
import type { EventSink } from "../outbox/event-sink.ts";
import type { CallRunner, MakeRunner, RunnerEvents } from "../hub/call-runner.ts";
import { CallTimes } from "../hub/call-times.ts";
import { ChunkFeed } from "../chunks/chunk-feed.ts";
import { Live } from "../live/live.ts";
import { Keeper } from "../keeper/keeper.ts";
import type { Maintenance, RetentionSettings } from "../maintenance/maintenance.ts";
import { DatabaseClock } from "../runloop/clock.ts";
import { Lives } from "../runloop/lives.ts";
import type { Channel, Outside } from "../runloop/outside.ts";
import { Programs } from "../runloop/programs.ts";
import type { CountedRunloop } from "../runloop/runloop-counters.ts";
import { SharedCells } from "../runloop/shared-cells.ts";
import { ScheduleBook } from "../scheduler/schedule-book.ts";
import { openPool } from "../store/connection.ts";
import type { Queryable } from "../store/statement.ts";
import { servesLease, shareOf } from "../runloop/pools.ts";
import type { NewRun, StartedRun } from "../store/start-runs.ts";
import { writeChunks } from "../store/stream-chunks.ts";
import { keptLeases } from "../store/kept-leases.ts";
import type { MasterKeys } from "../secrets/master-keys.ts";
import { SecretStore } from "../secrets/secret-store.ts";
import { databaseTime } from "../store/time.ts";
import { KeeperWorker } from "../threads/keeper-worker.ts";
import { type RunloopPort, RunloopWorker } from "../threads/runloop-worker.ts";
import { type Duties, openDuties } from "./duties.ts";
import { EngineTally } from "./engine-tally.ts";
import { type LocalLoad, localRunner, type LocalRunnerOptions } from "./local-runner.ts";
import { Notifier } from "./notifier.ts";
import { Patience, patientClient } from "./patience.ts";
import { Poller } from "./poller.ts";
import { Presence, type PresenceOptions } from "./presence.ts";
import { tellRunSpan } from "./run-span.ts";
import { ServedSegments } from "./served-segments.ts";
import { Starter } from "./starter.ts";
import { Waiters } from "./waiters.ts";
import { Watch } from "./watch.ts";
import type { Warn } from "../warn.ts";

export interface EngineOptions {
  readonly url: string;
  /** Null: nothing is heard, so it is looked for. */
  readonly listenUrl: string | null;
  /** The one whose actions are here: runs of others are for other processes. Null: all, whose actions workers have. */
  readonly namespace: string | null;
  readonly leaseMs: number;
  /** Other lengths, each with a runloop of its own. */
  readonly leases: readonly number[];
  readonly heartbeatMs: number;
  /** How long it is kept what calls stream. */
  readonly chunksKeptMs: number;
  /** Runloops in threads of their own; 0: one, in this thread. */
  readonly runloops: number;
  /** Of each thread. */
  readonly memoryMb: number;
  /** Runs that one runloop holds in memory. */
  readonly heldMax: number;
  /** Runs whose transitions are in one commit. */
  readonly batchMax: number;
  /** Connections for what people ask. */
  readonly poolSize: number;
  /** What they may take there. */
  readonly heldBytesMax: number;
  /** Actions that run at one time in this process. */
  readonly capacity: number;
  /** Runs of schedules that one transaction starts. */
  readonly firingsMax: number;
  /** Who runs calls; without it, the actions of this process. */
  readonly runner?: MakeRunner;
  /** Where large values are; null: in the database. */
  readonly blobFolder: string | null;
  /** How long requests wait for a database that cannot be reached. */
  readonly patienceMs: number;
  /** Whether this process publishes events of the outbox. */
  readonly dispatches: boolean;
  /** Where events go that subscriptions name as ports. */
  readonly ports: Readonly<Record<string, EventSink>>;
  /** What of the process subscriptions may use; null: all of it. */
  readonly allowed: Allowed | null;
  /** Where handlers of this process log; null: on the console. */
  readonly logger: Logger | null;
  readonly retention: RetentionSettings;
  /** Data keys of secrets are wrapped by them; null: there are none, and no secrets. */
  readonly masterKeys: MasterKeys | null;
  /** For sealed values, where actions run here. */
  readonly codec: PayloadCodec | null;
  /** What it does that people may want to know, a line at a time. */
  readonly log: (line: string) => void;
  readonly warn: Warn;
}

type LocalStatus = ReturnType<PresenceOptions["status"]>;

/** A runloop of this process. */
interface Member {
  readonly runloop: RunloopPort;
  /** The length of leases that it serves; null: the usual one. */
  readonly lease: number | null;
  readonly cells: SharedCells;
}

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
  readonly #runner: CallRunner<Member>;
  readonly #notifier: Notifier;
  readonly #poller: Poller;
  readonly #keeper: Keeper | KeeperWorker;
  readonly #members: Member[];
  /** Null while it opens. */
  #duties: Duties | null = null;
  /** For runs that were taken over again and again; started when there is one. */
  #quarantine: Member | null = null;
  /** Of calls that run in this process. */
  readonly #times = new CallTimes(performance.now());
  #load: LocalLoad = { running: 0, load: 0 };
  readonly #clock = new DatabaseClock(() => performance.now());
  /** Of the actions of this process; null: workers have them. */
  readonly #local: { readonly presence: Presence; readonly segments: ServedSegments } | null;
  /** Whose turn it is to take the runs that are started here. */
  #turn = 0;
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
    this.#local = options.runner === undefined ? this.#openLocal() : null;
    const { runner = (events) => localRunner(this.#localOptions(), events) } = options;
    const events: RunnerEvents<Member> = {
      report: (member, outcomes) => member.runloop.outcomes(outcomes),
      strangers: (member, calls) => member.runloop.strangers(calls),
      unserved: (member, calls) => member.runloop.unserved(calls),
      joined: (namespace, segments) => {
        for (const { runloop } of this.#everyone()) runloop.joined(namespace, segments);
      },
      roomChanged: () => this.#showRoom(),
    };
    this.#runner = runner<Member>(events, this);
    const woken = (): void => this.#poke();
    const quarantined = (): void => void this.#openQuarantine();
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
      work: () => this.#poke(),
      mail: () => {
        this.#keeper.wake();
        this.#poke();
      },
      ended: () => this.waiters.look(),
    });
    this.#poller = new Poller(() => {
      this.chunks.look();
      return watch.look();
    });
    this.#members = [
      ...Array.from({ length: Math.max(1, runloops) }, () => this.#newMember(false)),
      ...options.leases.map((lease) => this.#newMember(false, lease)),
    ];
    this.#showRoom();
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
    await Promise.all(this.#members.map(({ runloop }) => runloop.open()));
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

  /** Each by a runloop whose owner has the right lease; these take turns. */
  async #start(runs: readonly NewRun[]): Promise<StartedRun[]> {
    const { leases } = this.#options;
    const started = [null, ...leases].map(async (lease) => {
      const own = runs.filter(({ pool }) => servesLease({ own: lease, others: leases }, pool));
      const members = this.#members.filter((member) => member.lease === lease);
      return own.length === 0 ? [] : members[this.#turn++ % members.length]!.runloop.start(own);
    });
    const all = (await Promise.all(started)).flat();
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
    await this.#local?.presence.show(names);
    this.#local?.segments.serve([...names].filter((name) => !name.endsWith("/")));
  }

  #openLocal(): { readonly presence: Presence; readonly segments: ServedSegments } {
    const { namespace, capacity, heartbeatMs, warn } = this.#options;
    const address = this.#address;
    const id = `${address}:${randomUUID().slice(0, 8)}`;
    // Null is for control planes, whose workers have the actions.
    const status = (): LocalStatus => this.#localStatus();
    const about = { id, namespace: namespace!, address, capacity, heartbeatMs, status };
    return {
      presence: new Presence({ ...about, client: this.#pool, warn }),
      segments: new ServedSegments(namespace!, (served) => {
        for (const { runloop } of this.#everyone()) runloop.serve(served);
      }),
    };
  }

  #localStatus(): LocalStatus {
    const { running, load } = this.#load;
    return { inFlight: running, queueDepth: load - running, ...this.#times.rates(performance.now()) };
  }

  #localOptions(): LocalRunnerOptions {
    return {
      capacity: this.#options.capacity,
      worker: this.#address,
      times: this.#times,
      logger: this.#options.logger,
      opened: (load) => (this.#load = load),
      elsewhere: async () => this.#local!.presence.elsewhere(),
      leave: (segment, forMs) => this.#local!.segments.leave(segment, forMs),
      codec: this.#options.codec,
      secrets: (namespace, names) => this.secrets.read(namespace, names),
      chunks: {
        write: (chunks) => writeChunks(this.#pool, chunks),
        written: () => this.tell("cairn_chunks"),
        warn: this.#options.warn,
      },
    };
  }

  #newMember(alone: boolean, lease: number | null = null): Member {
    const { url, namespace, heldMax, batchMax, heldBytesMax, memoryMb, runloops, blobFolder, leases } = this.#options;
    const leaseMs = lease ?? this.#options.leaseMs;
    const cells = new SharedCells();
    const options = {
      settings: {
        url,
        namespace,
        address: this.#address,
        leaseMs,
        leases: { own: lease, others: leases },
        heldMax,
        batchMax,
        heldBytesMax,
        alone,
      },
      cells,
      outside: this.#outside(() => member),
      // It may not have heard of outcomes that were reported in between.
      begun: async () => this.#runner.reportAgain(member),
    };
    const runloop =
      runloops === 0
        ? new Lives({ ...options, blobs: this.blobs, random: Math.random })
        : new RunloopWorker({ ...options, blobFolder, memoryMb });
    const member: Member = { runloop, lease, cells };
    this.#keeper.keep(cells);
    if (this.#local !== null) runloop.serve(this.#local.segments.served);
    return member;
  }

  #outside(member: () => Member): Outside {
    const runner = this.#runner;
    return {
      dispatch: (calls) => runner.dispatch(member(), calls),
      adopt: (calls) => {
        const strangers = runner.adopt(member(), calls);
        if (strangers.length > 0) member().runloop.strangers(strangers);
      },
      abort: (calls) => runner.abort(calls),
      recall: (calls) => runner.recall(member(), calls),
      acknowledge: (calls) => {
        this.live.stepped(calls);
        runner.acknowledge(calls);
      },
      ended: (notices) => {
        this.live.stepped(notices);
        this.tally.ended(notices);
        for (const notice of notices) tellRunSpan(notice);
        this.waiters.ended(notices);
        this.#notifier.notify("cairn_ended");
      },
      notify: (channel) => this.tell(channel),
      warn: this.#options.warn,
    };
  }

  async #openQuarantine(): Promise<void> {
    if (this.#closed !== null) return;
    if (this.#quarantine !== null) return this.#quarantine.runloop.poke();
    this.#quarantine = this.#newMember(true);
    try {
      await this.#quarantine.runloop.open();
    } catch (error) {
      this.#quarantine = null;
      this.#options.warn("Runs in quarantine cannot be looked at", error);
    }
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
    return this.#everyone().map(({ cells }) => cells.counters.read());
  }

  /** Whether the database can be reached, is what this release needs, and knows all runloops of this process as alive. */
  async isReady(): Promise<boolean> {
    const owners = this.#members.map(({ cells }) => cells.owner);
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
    this.#poke();
  }

  async #lookAtClock(): Promise<void> {
    try {
      this.#clock.observe(await databaseTime(this.#pool));
    } catch {
      // Whoever asks next will be told that the database cannot be reached.
    }
  }

  #poke(): void {
    for (const { runloop } of this.#everyone()) runloop.poke();
  }

  #showRoom(): void {
    const room = shareOf(this.#runner.room, this.#members.length);
    for (const { cells, runloop } of this.#members) {
      if (typeof room === "number") cells.room = room;
      else runloop.serve(room);
    }
  }

  #everyone(): Member[] {
    return this.#quarantine === null ? this.#members : [...this.#members, this.#quarantine];
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
    await Promise.all(this.#everyone().map(({ runloop }) => runloop.drain()));
    await this.#runner.idle();
    await Promise.all(this.#everyone().map(({ runloop }) => runloop.close()));
    await Promise.all(duties.map((duty) => duty.close()));
    this.#local?.segments.close();
    // It may be that there is no database: then others notice by themselves.
    await this.#local?.presence.close().catch(() => {});
    await this.#keeper.close();
    await this.#notifier.close();
    this.#poller.stop();
    this.waiters.close();
    this.chunks.close();
    await this.#pool.end();
  }
}
