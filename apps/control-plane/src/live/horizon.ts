import { lastId, type NumberedTable, writersOf } from "../store/event-horizon.ts";
import type { Queryable } from "../store/statement.ts";
import type { Warn } from "../warn.ts";

/** A transaction that writes events and is open for longer is named: all who watch wait for it. */
const HELD_UP_MS = 5_000;

/** Ids up to one of them are decided when none of these writes any more. */
interface Candidate {
  readonly upTo: number;
  writers: ReadonlySet<string>;
  readonly since: number;
  isTold: boolean;
}

export interface HorizonOptions {
  readonly client: Queryable;
  readonly table: NumberedTable;
  /** Milliseconds, of a clock that does not jump. */
  readonly now: () => number;
  readonly warn: Warn;
}

/**
 * Up to which id the events of all runs are decided: they can be seen, or never will be. Ids are drawn from a sequence before their
 * transactions commit, so one that is lower may show later, and whoever had gone past it would never see it.
 *
 * As `CREATE INDEX CONCURRENTLY` does it: (1) which id was drawn last, (2) who holds the lock that every writer takes before it draws one; when all
 * of these have ended, every id up to that one is decided, for whoever takes the lock later draws a higher one. Tried and left: rows
 * below `pg_snapshot_xmin`, which any long transaction of the whole cluster holds up. Here only those do that write events.
 */
export class Horizon {
  readonly #options: HorizonOptions;
  #decided: number | null = null;
  #last = 0;
  #candidate: Candidate | null = null;
  #looking: Promise<unknown> = Promise.resolve();

  constructor(options: HorizonOptions) {
    this.#options = options;
  }

  /** Null: nothing is known yet. */
  get decided(): number | null {
    return this.#decided;
  }

  /** That was drawn last, as of the last look. */
  get last(): number {
    return this.#last;
  }

  /** For how long someone has been waited for. */
  get lagMs(): number {
    return this.#candidate === null ? 0 : this.#options.now() - this.#candidate.since;
  }

  /** False: ids are lower than they were, since the database was restored; nothing is known then. */
  look(): Promise<boolean> {
    // One after the other: what an earlier look has read must not be taken for news.
    const look = this.#looking.then(() => this.#look());
    this.#looking = look.catch(() => {});
    return look;
  }

  async #look(): Promise<boolean> {
    const { client, table } = this.#options;
    const last = await lastId(client, table);
    this.#last = last;
    const known = this.#candidate?.upTo ?? this.#decided;
    if (known !== null && last < known) {
      this.#decided = null;
      this.#candidate = null;
      return false;
    }
    if (last === this.#decided) return true;
    // After the id was read: whoever has drawn it, or a lower one, is seen here or has ended.
    const writers = new Set((await writersOf(client, table)).map(({ transaction }) => transaction));
    if (this.#candidate !== null) this.#settle(this.#candidate, writers);
    if (this.#candidate !== null) return true;
    if (writers.size === 0) this.#decided = last;
    else this.#candidate = { upTo: last, writers, since: this.#options.now(), isTold: false };
    return true;
  }

  #settle(candidate: Candidate, writing: ReadonlySet<string>): void {
    // One that was prepared in between has another name now: it may be one of those that are waited for.
    const still = [...writing].filter((writer) => candidate.writers.has(writer) || isPrepared(writer));
    candidate.writers = new Set(still);
    if (still.length > 0) return this.#complain(candidate);
    this.#decided = candidate.upTo;
    this.#candidate = null;
  }

  #complain(candidate: Candidate): void {
    if (candidate.isTold || this.lagMs < HELD_UP_MS) return;
    candidate.isTold = true;
    void this.#heldUp(candidate);
  }

  async #heldUp({ writers }: Candidate): Promise<void> {
    const { client, table } = this.#options;
    const all = await writersOf(client, table).catch(() => []);
    const those = all.filter(({ transaction }) => writers.has(transaction));
    if (those.length === 0) return;
    const names = those.map(({ pid, transaction }) => (pid === null ? `prepared ${transaction}` : `pid ${pid}`));
    const error = new Error(
      `a transaction that has written events is open for ${HELD_UP_MS / 1_000} s: ${names.join(", ")}`,
    );
    this.#options.warn("Those who watch runs are told nothing of what came after", error);
  }
}

/** One that was prepared while it was waited for has another name from then on. */
export function isPrepared(transaction: string): boolean {
  return transaction.startsWith("-1/");
}
