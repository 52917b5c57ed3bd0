import type { LiveStep } from "@cairnjs/schemas/rest";
import { SharedLooks } from "../library/shared-looks.ts";
import { lastInputs } from "../store/follow-runs.ts";
import { readTails, steppedTails, type TailPosition, type TailRows, type WatchedTail } from "../store/read-events.ts";
import type { Queryable } from "../store/statement.ts";
import type { EventFeed } from "./event-feed.ts";
import { type FedEvent, liveText } from "./event-ring.ts";
import { deadSource, dropped, leavingIfFailed, type LiveBatch, type LiveItem, type LiveSource } from "./live-source.ts";

/** Inputs of runs that other processes hold are looked for so often. */
const LOOK_EVERY_MS = 500;
/** Between two looks, however much happens. */
const PAUSE_MS = 10;
/** What one who watches is given at a time. */
const BATCH_LENGTH_MAX = 256 * 1024;
/** Runs of one statement. */
const LOOKED_AT_MAX = 500;

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

/**
 * Tells what single runs do: their events, and the inputs that they take.
 *
 * Owns: who watches which run, and how far. All who wait for something that has happened are looked for together; for whoever does not take
 * what he was given, nothing is read. Events are told once they are decided, as to those who watch everything; inputs have one writer, whose
 * numbers show in their order.
 */
export class RunTails {
  readonly #client: Queryable;
  readonly #feed: () => EventFeed;
  readonly #followers = new Set<Follower>();
  readonly #byRun = new Map<string, Set<Follower>>();
  readonly #looks = new SharedLooks<Follower>({
    waiting: () =>
      [...this.#followers].filter(({ hungry, isStale }) => hungry !== null && isStale).slice(0, LOOKED_AT_MAX),
    lookFor: (followers) => this.#lookFor(followers),
    pauseMs: PAUSE_MS,
  });
  #timer: NodeJS.Timeout | null = null;
  #peeking = false;
  #closed = false;

  constructor(client: Queryable, feed: () => EventFeed) {
    this.#client = client;
    this.#feed = feed;
  }

  /** From its beginning, or after what was seen. */
  async follow(runId: string, type: string, after: TailPosition | null): Promise<LiveSource> {
    const feed = this.#feed();
    const leave = await feed.attend();
    if (after !== null && (await leavingIfFailed(this.#isAhead(runId, after), leave))) {
      leave();
      return deadSource("unknown cursor");
    }
    const position = after ?? { event: 0, number: 0 };
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
    for (const { runId } of runs) for (const follower of this.#byRun.get(runId) ?? []) follower.isStale = true;
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
    const others = this.#byRun.get(follower.runId);
    if (others === undefined) this.#byRun.set(follower.runId, new Set([follower]));
    else others.add(follower);
    this.#timer ??= setInterval(() => void this.#peek(), LOOK_EVERY_MS);
  }

  #leave(follower: Follower): void {
    this.#followers.delete(follower);
    const others = this.#byRun.get(follower.runId);
    others?.delete(follower);
    if (others?.size === 0) this.#byRun.delete(follower.runId);
    if (this.#followers.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  async #isAhead(runId: string, { event, number }: TailPosition): Promise<boolean> {
    if (await this.#feed().isAhead(event)) return true;
    return number > 0 && number > ((await lastInputs(this.#client, [runId]))[0]?.number ?? 0);
  }

  /** Inputs that were taken elsewhere are heard of by nobody. */
  async #peek(): Promise<void> {
    if (this.#peeking) return;
    this.#peeking = true;
    try {
      const quiet = [...this.#followers].filter(({ hungry, isStale }) => hungry !== null && !isStale);
      const found = quiet.length === 0 ? [] : await steppedTails(this.#client, quiet.map(watchedTail));
      for (const index of found) quiet[index]!.isStale = true;
      if (found.length > 0) this.#looks.wake();
    } catch {
      // A database that cannot be reached is asked again the next time.
    } finally {
      this.#peeking = false;
    }
  }

  async #lookFor(followers: readonly Follower[]): Promise<void> {
    const { head } = this.#feed();
    // Those who have seen the same are told the same.
    const groups = new Map<string, Follower[]>();
    for (const follower of followers) {
      const key = `${follower.runId}/${tailCursor(follower.position)}`;
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [follower]);
      else group.push(follower);
    }
    const watched = Array.from(groups.values(), ([first]) => watchedTail(first!));
    // What happens from now on is news.
    for (const follower of followers) follower.isStale = false;
    const found = await readTails(this.#client, watched).catch(() => null);
    // A database that cannot be reached is asked again the next time, and so is it for what one look cannot read.
    if (found === null || found.isCut) for (const follower of followers) follower.isStale = true;
    let index = 0;
    for (const group of groups.values()) if (found !== null) this.#tell(group, found.tails[index++]!, head);
  }

  #tell(group: readonly Follower[], tail: TailRows, head: number): void {
    const [{ runId, type, position }] = group as [Follower];
    const events = tail.events.filter(({ id }) => id <= head);
    const isHeldUp = events.length < tail.events.length;
    // A step is not told before the event by which its run was created.
    const isUncreated = isHeldUp && position.event === 0 && events.length === 0;
    const steps = isUncreated ? [] : tail.steps;
    const { items, last } = itemsOf(runId, type, position, { ...tail, events, steps });
    const isEnd = tail.isOver && !isHeldUp;
    for (const follower of group) {
      follower.position = last;
      // The rest may be there already; an end is told for itself.
      if (items.length > 0) follower.isStale = true;
      if (items.length === 0 && !isEnd) continue;
      // Who was told comes last the next time.
      if (this.#followers.delete(follower)) this.#followers.add(follower);
      if (items.length === 0) follower.over = { kind: "end" };
      const { hungry } = follower;
      follower.hungry = null;
      hungry?.(items.length > 0 ? { kind: "items", items } : { kind: "end" });
    }
  }
}

function watchedTail({ runId, position }: Follower): WatchedTail {
  return { runId, ...position };
}

/** Both in their order, and by time among each other. */
function itemsOf(
  runId: string,
  type: string,
  from: TailPosition,
  { events, steps }: TailRows,
): { readonly items: LiveItem[]; readonly last: TailPosition } {
  let last = from;
  const told = { length: 0 };
  const items: LiveItem[] = [];
  const tell = (position: TailPosition, said: Parameters<typeof liveText>[3]): void => {
    last = position;
    const cursor = tailCursor(last);
    const text = liveText(cursor, runId, type, said);
    items.push({ cursor, text });
    told.length += text.length;
  };
  let [event, step] = [0, 0];
  while (event < events.length || step < steps.length) {
    if (told.length > BATCH_LENGTH_MAX) break;
    const [nextEvent, nextStep] = [events[event], steps[step]];
    const isFirst = last.event === 0;
    if (nextStep === undefined || (nextEvent !== undefined && (isFirst || nextEvent.at <= nextStep.at))) {
      tell({ event: nextEvent!.id, number: last.number }, nextEvent!);
      event += 1;
    } else {
      const { at, ...said } = nextStep;
      const data = JSON.stringify(said satisfies LiveStep);
      tell({ event: last.event, number: nextStep.number }, { kind: "step", data, at });
      step += 1;
    }
  }
  return { items, last };
}

function tailCursor({ event, number }: TailPosition): string {
  return `${event}-${number}`;
}

/** Null: it is none. */
export function positionIn(cursor: string): TailPosition | null {
  const [, event, number] = /^(\d{1,15})-(\d{1,9})$/.exec(cursor) ?? [];
  return event === undefined ? null : { event: Number(event), number: Number(number) };
}
