import { type ChunkPosition, type ChunkRow, readChunks } from "../store/stream-chunks.ts";
import type { Queryable } from "../store/statement.ts";
import { closedError } from "../library/engine-error.ts";
import { SharedLooks } from "../library/shared-looks.ts";

/** Without news, it is looked so often. */
const LOOK_EVERY_MS = 1_000;
/** Between two looks, however much is streamed. */
const PAUSE_MS = 20;

/** Someone who watches a run. */
interface Follower {
  readonly runId: string;
  readonly seen: Map<string, ChunkPosition>;
  /** Nothing more will come: it is told what there is, and then that there is nothing. */
  isLast: boolean;
  /** There may be something that was not there at the last look. */
  isStale: boolean;
  /** It waits for the next ones. */
  hungry: { readonly resolve: (rows: readonly ChunkRow[]) => void; readonly reject: (error: unknown) => void } | null;
}

/** The chunks of a run, as they come. */
export interface Following {
  /** Resolves with some, in order; with none after `finish`, when there are no more. One at a time. */
  next(): Promise<readonly ChunkRow[]>;
  /** The run has ended. */
  finish(): void;
  /** Nobody watches any more: who waits is told of none. */
  close(): void;
}

/**
 * Owns: who watches which run, and how far he has seen it. All who wait are looked for in one statement; for whoever does not take what he
 * was given, nothing is read.
 */
export class ChunkFeed {
  readonly #client: Queryable;
  readonly #followers = new Set<Follower>();
  readonly #looks = new SharedLooks<Follower>({
    waiting: () => [...this.#followers].filter(({ hungry, isStale }) => hungry !== null && isStale),
    lookFor: (followers) => this.#lookFor(followers),
    pauseMs: PAUSE_MS,
  });
  #timer: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(client: Queryable) {
    this.#client = client;
  }

  follow(runId: string, seen: Iterable<ChunkPosition>): Following {
    const positions = new Map(Array.from(seen, (each) => [each.call, each]));
    const follower: Follower = { runId, seen: positions, isLast: false, isStale: true, hungry: null };
    this.#followers.add(follower);
    this.#timer ??= setInterval(() => this.look(), LOOK_EVERY_MS);
    return {
      next: () => {
        if (this.#closed) return Promise.reject(closedError());
        return new Promise((resolve, reject) => {
          follower.hungry = { resolve, reject };
          this.#looks.wake();
        });
      },
      finish: () => {
        follower.isLast = true;
        follower.isStale = true;
        this.#looks.wake();
      },
      close: () => this.#leave(follower),
    };
  }

  /** Something was streamed somewhere. */
  look(): void {
    for (const follower of this.#followers) follower.isStale = true;
    this.#looks.wake();
  }

  /** Whoever still waits is told so. */
  close(): void {
    this.#closed = true;
    for (const follower of this.#followers) {
      follower.hungry?.reject(closedError());
      this.#leave(follower);
    }
  }

  #leave(follower: Follower): void {
    this.#followers.delete(follower);
    follower.hungry?.resolve([]);
    follower.hungry = null;
    if (this.#followers.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Where not all is read at once, those who were given something come last the next time. */
  #takesTurns(follower: Follower): void {
    if (this.#followers.delete(follower)) this.#followers.add(follower);
  }

  async #lookFor(followers: readonly Follower[]): Promise<void> {
    // What happens from now on is news.
    const last = new Set(followers.filter(({ isLast }) => isLast));
    for (const follower of followers) follower.isStale = false;
    const wanted = followers.map(({ runId, seen }) => ({ runId, seen: seen.values() }));
    // A database that cannot be reached is asked again the next time.
    const found = await readChunks(this.#client, wanted).catch(() => null);
    if (found === null) return;
    for (const [index, follower] of followers.entries()) {
      const rows = found.rows[index]!;
      // There may be more than is read at once, of this run or another.
      if (found.isCut || rows.length > 0) follower.isStale = true;
      const isOver = rows.length === 0 && last.has(follower) && !found.isCut;
      if (rows.length === 0 && !isOver) continue;
      for (const { call, attempt, number } of rows) follower.seen.set(call, { call, attempt, number });
      this.#takesTurns(follower);
      const { hungry } = follower;
      follower.hungry = null;
      hungry?.resolve(rows);
    }
  }
}
