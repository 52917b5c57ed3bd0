import { hostname } from "node:os";
import type pg from "pg";
import { Keeper } from "../keeper/keeper.ts";
import { DatabaseClock } from "../runloop/clock.ts";
import { Lives } from "../runloop/lives.ts";
import type { Outside } from "../runloop/outside.ts";
import { namespaceOfPool } from "../runloop/pools.ts";
import { Programs } from "../runloop/programs.ts";
import { databaseTime } from "../store/time.ts";
import { openConnection } from "../store/connection.ts";
import { ActionHost } from "./action-host.ts";
import { type Channel, Notifier } from "./notifier.ts";
import { Starter } from "./starter.ts";
import { Waiters } from "./waiters.ts";

export interface EngineOptions {
  readonly url: string;
  readonly listenUrl: string;
  /** The one whose actions are here: runs of others are for other processes. */
  readonly namespace: string;
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  /** Runs that one runloop holds in memory. */
  readonly heldMax: number;
  /** Actions that run at one time. */
  readonly capacity: number;
  readonly warn: (message: string, error: unknown) => void;
}

/** A control plane and an action host in one process: everything but what people call. */
export class Engine {
  readonly client: pg.Client;
  readonly programs: Programs;
  readonly waiters: Waiters;
  readonly starter: Starter;
  readonly #options: EngineOptions;
  readonly #host: ActionHost;
  readonly #notifier: Notifier;
  readonly #keeper: Keeper;
  readonly #lives: Lives[];
  readonly #clock = new DatabaseClock(() => performance.now());

  static async open(options: EngineOptions): Promise<Engine> {
    const client = await openConnection(options.url, "client");
    const engine = new Engine(options, client);
    await engine.#open();
    return engine;
  }

  private constructor(options: EngineOptions, client: pg.Client) {
    const { url, listenUrl, namespace, leaseMs, heartbeatMs, heldMax, capacity, warn } = options;
    this.#options = options;
    this.client = client;
    this.programs = new Programs(client, () => performance.now());
    this.waiters = new Waiters(client);
    const address = `${hostname()}:${process.pid}`;
    this.#host = new ActionHost({
      capacity,
      worker: address,
      report: (outcomes) => this.#lives[0]!.outcomes(outcomes),
    });
    this.#keeper = new Keeper({ url, heartbeatMs, woken: () => this.#poke(), warn });
    this.#notifier = new Notifier({ url, listenUrl, heard: (channel) => this.#heard(channel), warn });
    let owner: string | null = null;
    const lives = new Lives({
      url,
      address,
      leaseMs,
      heldMax,
      alone: false,
      outside: this.#outside(),
      random: Math.random,
      serves: (pool) => (namespaceOfPool(pool) === namespace ? Math.max(0, 2 * capacity - this.#host.load) : 0),
      owner: (id) => {
        if (owner !== null) this.#keeper.forget(owner);
        owner = id;
        if (id !== null) this.#keeper.keep(id, () => lives.progress);
        if (id !== null) this.#host.reportAgain();
      },
    });
    this.#lives = [lives];
    this.starter = new Starter({
      client,
      programs: this.programs,
      now: () => this.#clock.now(),
      start: (runs) => lives.start(runs),
    });
  }

  async #open(): Promise<void> {
    this.#clock.observe(await databaseTime(this.client));
    await this.#notifier.open();
    this.#keeper.open();
    for (const lives of this.#lives) await lives.open();
  }

  #outside(): Outside {
    const host = (): ActionHost => this.#host;
    return {
      dispatch: (calls) => host().dispatch(calls),
      adopt: (calls) => {
        const strangers = host().adopt(calls);
        if (strangers.length > 0) this.#lives[0]!.strangers(strangers);
      },
      abort: (calls) => host().abort(calls),
      acknowledge: (calls) => host().acknowledge(calls),
      ended: (notices) => {
        this.waiters.ended(notices);
        this.#notifier.notify("cairn_ended");
      },
      notify: (channel) => this.tell(channel),
      warn: this.#options.warn,
    };
  }

  /** Here and elsewhere. */
  tell(channel: Channel): void {
    this.#heard(channel);
    this.#notifier.notify(channel);
  }

  #heard(channel: Channel): void {
    if (channel === "cairn_ended") return this.waiters.look();
    if (channel === "cairn_mail") this.#keeper.wake();
    void databaseTime(this.client).then(
      (moment) => this.#clock.observe(moment),
      () => {},
    );
    this.#poke();
  }

  #poke(): void {
    for (const lives of this.#lives) lives.poke();
  }

  /** Lets actions that run here end, commits what they return, hands everything over. */
  async close(): Promise<void> {
    for (const lives of this.#lives) lives.drain();
    await this.#host.idle();
    for (const lives of this.#lives) await lives.close();
    await this.#keeper.close();
    await this.#notifier.close();
    this.waiters.stop();
    await this.client.end();
  }
}
