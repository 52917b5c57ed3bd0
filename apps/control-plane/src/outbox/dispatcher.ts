import { randomUUID } from "node:crypto";
import type pg from "pg";
import { LastingConnection } from "../keeper/lasting-connection.ts";
import type { Duty } from "../library/duties.ts";
import type { Allowed } from "./allowed.ts";
import type { Count } from "../library/engine-tally.ts";
import type { Channel } from "../runloop/outside.ts";
import { leaseShards, leaveOutbox, lookAtOutbox, releaseShards, type ShardLook } from "../store/outbox.ts";
import { countDeliveries, pauseSubscription } from "../store/subscriptions.ts";
import { passBacklog } from "./backlog-pass.ts";
import type { EventSink } from "./event-sink.ts";
import type { SecretReader } from "./secrets.ts";
import { type Pass, passFresh } from "./fresh-pass.ts";
import { aboutSubscription, type Subscriber } from "./subscriber.ts";
import { Subscribers } from "./subscribers.ts";
import type { Warn } from "../warn.ts";

/** Without news of events, they are looked for so often. */
const LOOK_EVERY_MS = 1_000;
/** Between two looks however much is due. */
const LOOK_AGAIN_MS = 5;
/** For what is on its way when the process ends. */
const CLOSE_MAX_MS = 2_000;
/** Before a lease runs out, nothing more is begun by it. */
const LEASE_MARGIN = 0.2;

export interface DispatcherOptions {
  readonly url: string;
  /** For people. */
  readonly address: string;
  /** How long shards stay with a process that says nothing. */
  readonly leaseMs: number;
  /** What the process itself brings, by name. */
  readonly ports: Readonly<Record<string, EventSink>>;
  /** What of the process subscriptions may use; null: all of it. */
  readonly allowed: Allowed | null;
  readonly secrets: SecretReader;
  readonly random: () => number;
  readonly count: Count;
  readonly warn: Warn;
}

/**
 * Publishes events of the outbox.
 *
 * Owns: a share of the 16 shards, by leases; its connection; the ways to subscribers.
 * Does not own: events and what waits, which are rows; whoever holds their shard changes them.
 *
 * Invariants:
 *   O1  What is sent was read after its transaction had committed, and nothing is sent inside a transaction.
 *   O2  An event is sent by whoever holds its shard; one that has lost it writes nothing (each statement asks).
 *   O3  Of one run, one subscriber is sent events in their order: an event is not sent while an earlier one waits for it.
 *   O4  A row says that an event was taken only after it was; a crash in between sends it again.
 */
export class OutboxDispatcher implements Duty {
  readonly #id = randomUUID();
  readonly #options: DispatcherOptions;
  readonly #connection: LastingConnection;
  readonly #subscribers: Subscribers;
  readonly #closing = new AbortController();
  #shards: ReadonlySet<number> = new Set();
  /** Others should have these: they are given back when nothing is under way in them. */
  readonly #leaving = new Set<number>();
  /** By this process's own clock. */
  #leasedUntil = 0;
  #leaseAgainAt = 0;
  /** What is under way: shards, and subscriptions in shards. */
  readonly #underWay = new Map<string, Promise<void>>();
  #timer: NodeJS.Timeout | null = null;
  #timerAt = Number.POSITIVE_INFINITY;
  #looking: Promise<void> | null = null;
  #again = false;
  #failing = false;
  #closed = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#connection = new LastingConnection(options.url, "outbox");
    const { ports, secrets, allowed, random, count, warn } = options;
    const now = (): number => performance.now();
    this.#subscribers = new Subscribers({
      ports,
      secrets,
      allowed,
      random,
      count,
      warn,
      now,
      closing: this.#closing.signal,
    });
  }

  open(): void {
    this.#lookIn(0);
  }

  heard(channel: Channel): void {
    if (channel === "cairn_outbox") this.#lookIn(0);
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    const patience = setTimeout(() => this.#closing.abort(), CLOSE_MAX_MS);
    await this.#looking;
    await Promise.all(this.#underWay.values());
    clearTimeout(patience);
    await this.#subscribers.close();
    try {
      // It may be that there is no database: then others have the shards when the lease has run out.
      if (this.#shards.size > 0) await this.#leave(await this.#connection.client());
    } catch (error) {
      this.#options.warn("Events are published by others when the lease of this process has run out", error);
    }
    await this.#connection.close();
  }

  async #leave(client: pg.Client): Promise<void> {
    await this.#count(client);
    await leaveOutbox(client, this.#id);
  }

  #lookIn(ms: number): void {
    const at = performance.now() + ms;
    if (this.#closed || at >= this.#timerAt) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timerAt = at;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#timerAt = Number.POSITIVE_INFINITY;
      this.#look();
    }, ms);
  }

  #look(): void {
    if (this.#looking !== null) {
      this.#again = true;
      return;
    }
    this.#again = false;
    this.#looking = this.#lookOnce().finally(() => {
      this.#looking = null;
      this.#lookIn(this.#again ? LOOK_AGAIN_MS : LOOK_EVERY_MS);
    });
  }

  async #lookOnce(): Promise<void> {
    await this.#guarded(async (client) => {
      if (performance.now() >= this.#leaseAgainAt) await this.#lease(client);
      const active = this.#subscribers.all.filter(({ isActive }) => isActive).map(({ about }) => about.id);
      const looks = await lookAtOutbox(client, this.#id, active);
      // What is due for those that were not known is seen at the next look.
      if (looks[0] !== undefined && (await this.#subscribers.see(client, looks[0].subscriptions))) this.#again = true;
      for (const { shard, fresh, due } of this.#inTurn(looks)) {
        if (fresh) this.#work(`${shard}`, shard, (pass) => passFresh(pass));
        for (const id of due) this.#workOff(shard, id);
      }
      await this.#count(client);
      this.#failing = false;
    });
  }

  /** Of a subscriber that is down, whichever shard comes first tries it: another one each time, so that none is tried by one event. */
  #inTurn(looks: readonly ShardLook[]): readonly ShardLook[] {
    const first = Math.floor(this.#options.random() * looks.length);
    return [...looks.slice(first), ...looks.slice(0, first)];
  }

  /** Keeps its shards, takes free ones, and gives back what is more than its share. */
  async #lease(client: pg.Client): Promise<void> {
    const { address, leaseMs } = this.#options;
    const before = performance.now();
    const { shards, share } = await leaseShards(client, this.#id, address, leaseMs);
    this.#shards = new Set(shards);
    this.#leasedUntil = before + leaseMs * (1 - LEASE_MARGIN);
    this.#leaseAgainAt = before + leaseMs / 3;
    this.#leaving.clear();
    for (const shard of shards.slice(share)) this.#leaving.add(shard);
    const idle = [...this.#leaving].filter((shard) => ![...this.#underWay.keys()].some((key) => isOf(key, shard)));
    if (this.#leaving.size > idle.length) this.#leaseAgainAt = before;
    if (idle.length === 0) return;
    await releaseShards(client, this.#id, idle);
    this.#shards = new Set(shards.filter((shard) => !idle.includes(shard)));
  }

  #holds(shard: number): boolean {
    const isLeased = this.#shards.has(shard) && !this.#leaving.has(shard);
    return !this.#closed && isLeased && performance.now() < this.#leasedUntil;
  }

  #workOff(shard: number, id: number): void {
    this.#work(`${shard}/${id}`, shard, async (pass) => {
      const subscriber = this.#subscribers.find(id);
      return subscriber === undefined ? false : passBacklog(pass, subscriber);
    });
  }

  /** As long as there is more; each kind of work in a shard goes on beside the others. */
  #work(key: string, shard: number, once: (pass: Pass) => Promise<boolean>): void {
    if (this.#underWay.has(key)) return;
    const work = this.#guarded(async (client) => {
      const pass = this.#pass(client, shard);
      while (this.#holds(shard)) if (!(await once(pass))) return;
    });
    this.#underWay.set(
      key,
      work.finally(() => this.#underWay.delete(key)),
    );
  }

  #pass(client: pg.Client, shard: number): Pass {
    return {
      client,
      shard,
      dispatcher: this.#id,
      subscribers: this.#subscribers,
      gone: (subscriber, error) => this.#gone(client, subscriber, error),
      count: this.#options.count,
      dueIn: (ms) => this.#lookIn(Math.max(LOOK_AGAIN_MS, Math.min(ms, LOOK_EVERY_MS))),
    };
  }

  async #gone(client: pg.Client, { about }: Subscriber, error: string): Promise<void> {
    // Somebody may have given it another address meanwhile.
    if (!(await pauseSubscription(client, about.namespace, about.name, error, about.revision))) return;
    this.#options.warn(
      `The subscription ${about.name} of ${about.namespace} was paused`,
      new Error(error),
      aboutSubscription(about),
    );
  }

  async #count(client: pg.Client): Promise<void> {
    const counts = this.#subscribers.all.flatMap((subscriber) => subscriber.takeCount() ?? []);
    if (counts.length > 0) await countDeliveries(client, counts);
  }

  /** What goes wrong with the database is told once, until it is well. */
  async #guarded(work: (client: pg.Client) => Promise<void>): Promise<void> {
    try {
      await work(await this.#connection.client());
    } catch (error) {
      if (this.#closed) return;
      if (!this.#failing) this.#options.warn("Events could not be published", error);
      this.#failing = true;
      await this.#connection.close();
    }
  }
}

function isOf(key: string, shard: number): boolean {
  return key === `${shard}` || key.startsWith(`${shard}/`);
}
