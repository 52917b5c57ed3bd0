import { setTimeout as delay } from "node:timers/promises";
import { Refused } from "../hub/refused.ts";
import { Poller } from "../library/poller.ts";
import { lastId, removedUpTo } from "../store/event-horizon.ts";
import type { Queryable } from "../store/statement.ts";
import type { Warn } from "../warn.ts";
import { type EventFilter, type Follower, isWanted, takeFrom } from "./event-follower.ts";
import { EventRing, type FedEvent } from "./event-ring.ts";
import { Horizon } from "./horizon.ts";
import type { LiveLog } from "./live-log.ts";
import { deadSource, dropped, leavingIfFailed, type LiveBatch, type LiveSource } from "./live-source.ts";

export interface EventFeedOptions {
  readonly log: LiveLog;
  readonly client: Queryable;
  readonly now: () => number;
  readonly warn: Warn;
  readonly beginMs?: number;
  readonly beginMsMax?: number;
  /** Tells of events that were just decided. */
  readonly told: (events: readonly FedEvent[]) => void;
}

/** Of one statement. */
const PAGE_MAX = 500;
/** Pages of those who come from before the ring that are read at one time. */
const CATCHING_UP_MAX = 2;
/**
 * How long whoever begins to watch waits until all that was written by then is decided: while one who writes events is open for longer, he begins at
 * the last id that is.
 */
const BEGIN_MS = 2_000;
/** If there is none, since that one was open before this process was: so long. */
const BEGIN_MS_MAX = 10_000;
/** While nobody watches, so that there is such an id, and not one of long ago. */
const IDLE_LOOK_MS = 1_000;
/** While someone is waited for that long, it is looked as often as if something had happened. */
const NEAR_MS = 250;
/** Of one who catches up, while that is held up or the database cannot be reached. */
const PAUSE_MS = 100;
/** After the last one has left: whoever reconnects finds the ring. */
const LINGER_MS = 30_000;

interface Beginning {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  /** Since when, and up to which id it was written then; null: that is not known yet. */
  readonly since: number;
  wanted: number | null;
}

function beginning(since: number): Beginning {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve: () => resolve(), since, wanted: null };
}

/**
 * Tells what happens to runs, wherever that is, in the order of ids.
 *
 * Owns: the horizon, the last events, and who watches how far. One statement finds what is new for all who watch; while nobody does, it is looked
 * once a second how far events are decided.
 *
 * I1 What is told is decided, so no event comes with an id that someone has gone past.
 * I2 Memory is bounded by the ring: a follower has a position in it, and no buffer.
 */
export class EventFeed {
  readonly #options: EventFeedOptions;
  readonly #horizon: Horizon;
  readonly #poller: Poller;
  readonly #followers = new Set<Follower>();
  /** Null: nobody watches, or it is not known where to begin. */
  #ring: EventRing | null = null;
  #attending = 0;
  #lingering: NodeJS.Timeout | null = null;
  #idle: NodeJS.Timeout | null = null;
  #begun: Beginning | null = null;
  #catching = 0;
  readonly #queue: (() => void)[] = [];
  #closed = false;

  constructor(options: EventFeedOptions) {
    this.#options = options;
    this.#horizon = new Horizon({ ...options, table: options.log.table });
    this.#poller = new Poller(() => this.#look());
  }

  /** Up to which id everything is told; -1 while that is not known. */
  get head(): number {
    return this.#ring?.head ?? -1;
  }

  get lagMs(): number {
    return this.#horizon.lagMs;
  }

  /** Someone may watch one day: from now on it is known how far events are decided. */
  open(): void {
    if (this.#idle !== null || this.#closed) return;
    this.#idle = setInterval(() => this.#lookIdly(), IDLE_LOOK_MS);
    this.#idle.unref();
    this.#lookIdly();
  }

  /** Something has happened here, or was heard of. */
  hint(): void {
    if (this.#attending > 0) this.#poller.hurry();
  }

  /** From now on it is looked for what happens, until whoever called this leaves. Resolves when that has begun; rejects if it cannot. */
  async attend(): Promise<() => void> {
    const leave = this.#come();
    if (this.#ring === null) await leavingIfFailed(this.#beginning(), leave);
    return leave;
  }

  #come(): () => void {
    this.#attending += 1;
    if (this.#lingering !== null) clearTimeout(this.#lingering);
    this.#lingering = null;
    this.#poller.start();
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      this.#attending -= 1;
      if (this.#attending > 0 || this.#closed) return;
      this.#lingering = setTimeout(() => this.#rest(), LINGER_MS);
      this.#lingering.unref();
    };
  }

  /** After an id, or from now on. */
  async follow(filter: EventFilter, after: number | null): Promise<LiveSource> {
    const leave = await this.attend();
    if (after !== null && (await leavingIfFailed(this.isAhead(after), leave))) {
      leave();
      return deadSource("unknown cursor");
    }
    const position = after ?? this.head;
    const follower: Follower = {
      filter,
      isFromBeginning: after === 0,
      position,
      isLive: false,
      hungry: null,
      over: null,
    };
    if (this.#closed) follower.over = dropped("closing");
    this.#followers.add(follower);
    const close = (): void => {
      this.#followers.delete(follower);
      leave();
    };
    return {
      next: () => this.#next(follower),
      get cursor() {
        return String(follower.position);
      },
      close,
    };
  }

  /** Whether an id was never drawn: it is of another past. */
  async isAhead(id: number): Promise<boolean> {
    return id > this.head && id > (await lastId(this.#options.client, this.#options.log.table));
  }

  close(): void {
    this.#closed = true;
    if (this.#idle !== null) clearInterval(this.#idle);
    this.#begun?.resolve();
    this.#rest();
    this.#dropAll("closing");
  }

  #rest(): void {
    this.#poller.stop();
    if (this.#lingering !== null) clearTimeout(this.#lingering);
    this.#lingering = null;
    this.#ring = null;
    this.#begun = null;
  }

  #lookIdly(): void {
    // A database that cannot be reached is asked again.
    if (this.#isResting) void this.#horizon.look().catch(() => {});
  }

  /** Nobody watches, nor did a moment ago. */
  get #isResting(): boolean {
    return this.#attending === 0 && this.#lingering === null;
  }

  /** Rejects if the database cannot be asked, or it takes too long. */
  async #beginning(): Promise<void> {
    if (this.#closed) return;
    const { client, log, now: clock, beginMs = BEGIN_MS, beginMsMax = BEGIN_MS_MAX } = this.#options;
    this.#begun ??= beginning(clock());
    const timers: NodeJS.Timeout[] = [];
    const tooLong = new Promise<never>((_, reject) => {
      const refuse = (): void =>
        reject(new Refused("Unavailable", "A transaction that writes events is open for long"));
      timers.push(setTimeout(() => void lastId(client, log.table).catch(reject), beginMs));
      timers.push(setTimeout(refuse, beginMsMax));
    });
    try {
      await Promise.race([this.#begun.promise, tooLong]);
    } finally {
      for (const timer of timers) clearTimeout(timer);
    }
  }

  /** Begins, if all is decided that was written when it was wanted, or that takes too long. */
  #beginAt(decided: number, last: number): void {
    const { now: clock, beginMs = BEGIN_MS } = this.#options;
    const begun = (this.#begun ??= beginning(clock()));
    begun.wanted ??= last;
    if (decided < begun.wanted && clock() - begun.since < beginMs) return;
    this.#ring = new EventRing(decided, this.#options.log.ring);
    begun.resolve();
    this.#begun = null;
  }

  #dropAll(reason: "closing" | "unknown cursor"): void {
    for (const follower of this.#followers) {
      follower.over = dropped(reason);
      follower.hungry?.(follower.over);
      follower.hungry = null;
    }
  }

  async #look(): Promise<boolean> {
    const horizon = this.#horizon;
    const isSamePast = await horizon.look();
    if (this.#isResting || this.#closed) return false;
    if (!isSamePast) {
      this.#ring = null;
      this.#dropAll("unknown cursor");
      return true;
    }
    // Most who are waited for end soon.
    const isNear = horizon.lagMs > 0 && horizon.lagMs < NEAR_MS;
    const { decided } = horizon;
    if (decided === null) return isNear;
    if (this.#ring === null) this.#beginAt(decided, horizon.last);
    const ring = this.#ring;
    if (ring === null) return isNear;
    const before = ring.head;
    while (ring === this.#ring && ring.head < decided) await this.#readOn(ring, decided);
    return ring.head > before || isNear;
  }

  async #readOn(ring: EventRing, decided: number): Promise<void> {
    const { client, log } = this.#options;
    const rows = await log.read(client, ring.head, decided, PAGE_MAX);
    if (ring !== this.#ring) return;
    const events = rows.map(({ event }) => event).filter((event) => event !== null);
    ring.append(events, rows.length === PAGE_MAX ? rows.at(-1)!.id : decided);
    for (const follower of this.#followers) {
      if (follower.hungry === null) continue;
      const isForIt = events.some((event) => event.id > follower.position && isWanted(follower.filter, event));
      if (!isForIt) follower.position = Math.max(follower.position, ring.head);
      else this.#feed(follower, ring);
    }
    this.#options.told(events);
  }

  #feed(follower: Follower, ring: EventRing): void {
    const batch = takeFrom(ring, follower);
    if (batch === null) return;
    const { hungry } = follower;
    follower.hungry = null;
    hungry?.(batch);
  }

  async #next(follower: Follower): Promise<LiveBatch> {
    for (;;) {
      if (follower.over !== null) return follower.over;
      const ring = this.#ring;
      if (ring !== null && follower.position >= ring.from) {
        follower.isLive = true;
        const batch = takeFrom(ring, follower);
        return batch ?? new Promise((resolve) => (follower.hungry = resolve));
      }
      if (follower.isLive) return (follower.over = dropped("slow"));
      const batch = ring === null ? await this.#afterBeginning() : await this.#catchUp(follower, ring);
      if (batch !== null) return batch;
    }
  }

  /** The database was restored a moment ago, or nobody has looked yet. */
  #afterBeginning(): Promise<null> {
    return this.#beginning().then(() => null, pause);
  }

  /** A page of what was before the ring. */
  async #catchUp(follower: Follower, ring: EventRing): Promise<LiveBatch | null> {
    if (this.#catching < CATCHING_UP_MAX) this.#catching += 1;
    else await new Promise<void>((resolve) => this.#queue.push(resolve));
    try {
      if (!this.#followers.has(follower) || follower.over !== null) return follower.over ?? dropped("closing");
      const upTo = Math.min(ring.head, this.#horizon.decided ?? -1);
      if (follower.position >= upTo) return await pause();
      const { client, log } = this.#options;
      const rows = await log.read(client, follower.position, upTo, PAGE_MAX);
      // After they were read: what was removed before is noted by then.
      const isExpired = !follower.isFromBeginning && follower.position < (await removedUpTo(client, log.table));
      if (isExpired) return (follower.over = dropped("expired"));
      follower.position = rows.length === PAGE_MAX ? rows.at(-1)!.id : upTo;
      const events = rows
        .map(({ event }) => event)
        .filter((event) => event !== null && isWanted(follower.filter, event));
      return events.length === 0 ? null : { kind: "items", items: events as FedEvent[] };
    } catch {
      // A database that cannot be reached is asked again.
      return await pause();
    } finally {
      // The place goes to whoever waits, before another one can come.
      const next = this.#queue.shift();
      if (next === undefined) this.#catching -= 1;
      else next();
    }
  }
}

async function pause(): Promise<null> {
  await delay(PAUSE_MS);
  return null;
}
