import { setTimeout as delay } from "node:timers/promises";
import { PAUSE_PER_LOOK, SharedLooks } from "../library/shared-looks.ts";
import { lastInputs } from "../store/follow-runs.ts";
import { removedUpTo, RUN_EVENTS_TABLE } from "../store/event-horizon.ts";
import {
  steppedTails,
  TAIL_BEGINNING,
  tailEvents,
  type TailPages,
  type TailPosition,
  type TailRows,
  tailsOver,
  tailSteps,
  type WatchedTail,
} from "../store/read-events.ts";
import type { Queryable } from "../store/statement.ts";
import type { EventFeed } from "./event-feed.ts";
import type { FedEvent } from "./event-ring.ts";
import { deadSource, dropped, leavingIfFailed, type LiveBatch, type LiveSource } from "./live-source.ts";
import { settledUpTo } from "./settling.ts";
import { itemsOf, tailCursor } from "./tail-items.ts";
import { inOrder, type Settled } from "./tail-order.ts";

/** Whether runs that someone holds have taken inputs is looked for so often. */
const PEEK_EVERY_MS = 500;
/** Between two looks, however much happens. */
const PAUSE_MS = 10;
/** Runs of one statement, and what it reads of them. */
const LOOKED_AT_MAX = 500;
const PAGES: TailPages = { ofRun: 100, ofAll: 2_000 };
/** For those who write events while it is looked, it is waited so long. */
const SETTLE_MS = 100;

/** What was read of a run. */
interface Tail extends TailRows {
  /** It has ended, and all of it was there to be read. */
  readonly isOver: boolean;
  /** Something that came after what was seen was removed, or may have been. */
  readonly isExpired: boolean;
}

/** Someone who watches one run. */
interface Follower {
  readonly runId: string;
  readonly type: string;
  position: TailPosition;
  /** There may be something that was not there at the last look. */
  isStale: boolean;
  hungry: ((batch: LiveBatch) => void) | null;
  over: LiveBatch | null;
}

/** A run that someone watches. */
interface WatchedRun {
  readonly id: string;
  readonly followers: Set<Follower>;
  /** Nobody held it at the last look. Before it takes inputs someone must claim it, and that is an event. */
  isResting: boolean;
}

/**
 * Tells what single runs do: their events, and the inputs that they take.
 *
 * Owns: who watches which run, and how far. What happens is heard of by events, and by whoever commits inputs in this process; inputs that others
 * have taken without an event are looked for, once for each run that someone holds, however many watch it.
 * All who wait for something that has happened are looked for together; for whoever does not take
 * what he was given, nothing is read. Events are told once they are decided, as to those who watch everything; inputs have one writer, whose
 * numbers show in their order. All are told in the one order that `inOrder` knows.
 */
export class RunTails {
  readonly #client: Queryable;
  readonly #feed: () => EventFeed;
  readonly #pages: TailPages;
  readonly #followers = new Set<Follower>();
  readonly #runs = new Map<string, WatchedRun>();
  readonly #looks = new SharedLooks<Follower>({
    waiting: () =>
      [...this.#followers].filter(({ hungry, isStale }) => hungry !== null && isStale).slice(0, LOOKED_AT_MAX),
    lookFor: (followers) => this.#lookFor(followers),
    pauseMs: PAUSE_MS,
  });
  #timer: NodeJS.Timeout | null = null;
  #peeking = false;
  #closed = false;

  constructor(client: Queryable, feed: () => EventFeed, pages = PAGES) {
    this.#client = client;
    this.#feed = feed;
    this.#pages = pages;
  }

  /** From its beginning, or after what was seen. */
  async follow(runId: string, type: string, after: TailPosition | null): Promise<LiveSource> {
    const feed = this.#feed();
    const leave = await feed.attend();
    if (after !== null && (await leavingIfFailed(this.#isAhead(runId, after), leave))) {
      leave();
      return deadSource("unknown cursor");
    }
    const position = after ?? TAIL_BEGINNING;
    const follower: Follower = { runId, type, position, isStale: true, hungry: null, over: null };
    if (this.#closed) follower.over = dropped("closing");
    this.#join(follower);
    return {
      next: () => {
        if (follower.over !== null) return Promise.resolve(follower.over);
        return new Promise((resolve) => {
          follower.hungry = resolve;
          this.#looks.wake();
        });
      },
      get cursor() {
        return tailCursor(follower.position);
      },
      close: () => {
        this.#leave(follower);
        leave();
      },
    };
  }

  /** Events of these were decided. */
  told(events: readonly FedEvent[]): void {
    if (this.#followers.size > 0) this.stepped(events);
  }

  /** These have taken inputs, here. */
  stepped(runs: Iterable<{ readonly runId: string }>): void {
    if (this.#followers.size === 0) return;
    for (const { runId } of runs) {
      const run = this.#runs.get(runId);
      if (run !== undefined) this.#hasNews(run);
    }
    this.#looks.wake();
  }

  close(): void {
    this.#closed = true;
    for (const follower of this.#followers) {
      follower.over = dropped("closing");
      follower.hungry?.(follower.over);
      this.#leave(follower);
    }
  }

  #join(follower: Follower): void {
    this.#followers.add(follower);
    const { runId: id } = follower;
    const run = this.#runs.get(id);
    if (run === undefined) this.#runs.set(id, { id, followers: new Set([follower]), isResting: false });
    else run.followers.add(follower);
    this.#timer ??= setInterval(() => void this.#peek(), PEEK_EVERY_MS);
  }

  #leave(follower: Follower): void {
    this.#followers.delete(follower);
    const run = this.#runs.get(follower.runId);
    run?.followers.delete(follower);
    if (run?.followers.size === 0) this.#runs.delete(follower.runId);
    if (this.#followers.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  async #isAhead(runId: string, { event, number }: TailPosition): Promise<boolean> {
    if (await this.#feed().isAhead(event)) return true;
    return number > 0 && number > ((await lastInputs(this.#client, [runId]))[0]?.number ?? 0);
  }

  #hasNews(run: WatchedRun): void {
    run.isResting = false;
    for (const follower of run.followers) follower.isStale = true;
  }

  /** Of runs of which nobody tells: those that may have taken inputs, and have someone who waits for that. */
  async #peek(): Promise<void> {
    if (this.#peeking) return;
    this.#peeking = true;
    const quiet: { readonly run: WatchedRun; readonly runId: string; readonly number: number }[] = [];
    for (const run of this.#runs.values()) {
      const number = run.isResting ? null : quietNumber(run);
      if (number !== null) quiet.push({ run, runId: run.id, number });
    }
    try {
      for (let begun = 0; begun < quiet.length && !this.#closed; begun += LOOKED_AT_MAX) {
        await this.#peekAt(quiet.slice(begun, begun + LOOKED_AT_MAX));
      }
    } catch {
      // A database that cannot be reached is asked again the next time.
    } finally {
      this.#peeking = false;
    }
  }

  async #peekAt(
    some: readonly { readonly run: WatchedRun; readonly runId: string; readonly number: number }[],
  ): Promise<void> {
    const before = performance.now();
    // An event that comes meanwhile may tell of a claim that is not seen here.
    for (const { run } of some) run.isResting = true;
    const found = await steppedTails(this.#client, some).catch((error: unknown) => {
      for (const { run } of some) run.isResting = false;
      throw error;
    });
    for (const [index, { hasStepped, isHeld }] of found.entries()) {
      const { run } = some[index]!;
      if (hasStepped) this.#hasNews(run);
      else if (isHeld) run.isResting = false;
    }
    if (found.some(({ hasStepped }) => hasStepped)) this.#looks.wake();
    await delay(PAUSE_PER_LOOK * (performance.now() - before));
  }

  async #lookFor(followers: readonly Follower[]): Promise<void> {
    // Those who have seen the same are told the same.
    const groups = new Map<string, Follower[]>();
    for (const follower of followers) {
      const key = `${follower.runId}/${tailCursor(follower.position)}`;
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [follower]);
      else group.push(follower);
    }
    const watched = Array.from(groups.values(), ([first]) => watchedTail(first!));
    for (const follower of followers) {
      // What happens from now on is news. Who has to wait stays stale, and is looked at again after the others.
      follower.isStale = false;
      this.#comesLast(follower);
    }
    const found = await this.#read(watched).catch(() => null);
    // A database that cannot be reached is asked again the next time.
    if (found === null) for (const follower of followers) follower.isStale = true;
    let index = 0;
    for (const group of groups.values()) if (found !== null) this.#tell(group, found.tails[index++]!, found.settled);
  }

  /** In this order: of a run that has ended all steps are read, and of those that were read all events that came before. */
  async #read(
    watched: readonly WatchedTail[],
  ): Promise<{ readonly tails: readonly Tail[]; readonly settled: Settled }> {
    const client = this.#client;
    const { head: before } = this.#feed();
    const over = await tailsOver(client, watched);
    const steps = await tailSteps(client, watched, this.#pages);
    const last = await settledUpTo(client, RUN_EVENTS_TABLE, SETTLE_MS);
    // While somebody writes for long, what was decided before he began is told.
    const upTo = Math.max(last ?? 0, this.#feed().head);
    const events = await tailEvents(client, watched, this.#pages);
    // After they were read: what was removed before is noted by then.
    const removed = events.some(({ isBroken }) => isBroken) ? await removedUpTo(client, RUN_EVENTS_TABLE) : 0;
    const tails = watched.map(({ event }, index) => ({
      steps: steps[index]!.rows,
      hasAllSteps: steps[index]!.isAll,
      events: events[index]!.rows,
      hasAllEvents: events[index]!.isAll,
      isOver: over.has(index),
      isExpired: events[index]!.isBroken && event <= removed && over.get(index) !== "gone",
    }));
    return { tails, settled: { before, upTo, isKnown: last !== null } };
  }

  #tell(group: readonly Follower[], tail: Tail, settled: Settled): void {
    if (tail.isExpired) return group.forEach((each) => this.#give(each, (each.over = dropped("expired"))));
    const [{ runId, type, position }] = group as [Follower];
    const { items, last } = itemsOf(runId, type, inOrder(position, tail, settled));
    const hasMore = !tail.hasAllEvents || !tail.hasAllSteps || items.length < tail.events.length + tail.steps.length;
    for (const follower of group) {
      if (items.length > 0) follower.position = last!;
      // An end is told for itself.
      if (hasMore || items.length > 0) follower.isStale = true;
      if (items.length > 0) this.#give(follower, { kind: "items", items });
      else if (tail.isOver && !hasMore) this.#give(follower, (follower.over = { kind: "end" }));
    }
  }

  #give(follower: Follower, batch: LiveBatch): void {
    // Behind those who were looked at, and for whom nothing was read.
    this.#comesLast(follower);
    const { hungry } = follower;
    follower.hungry = null;
    hungry?.(batch);
  }

  /** The next time. Whoever has left stays away. */
  #comesLast(follower: Follower): void {
    if (this.#followers.delete(follower)) this.#followers.add(follower);
  }
}

/** Up to which input those were told who wait for more; null: nobody does. */
function quietNumber({ followers }: WatchedRun): number | null {
  let last: number | null = null;
  for (const { hungry, isStale, position } of followers) {
    if (hungry !== null && !isStale) last = Math.min(last ?? position.number, position.number);
  }
  return last;
}

function watchedTail({ runId, position }: Follower): WatchedTail {
  return { runId, ...position };
}
