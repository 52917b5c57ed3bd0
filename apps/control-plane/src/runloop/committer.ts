import { commitTransitions, rowsOf } from "../store/commit-transitions.ts";
import { isContention } from "../store/contention.ts";
import type { Step } from "./step.ts";
import type { Queryable } from "../store/statement.ts";

/** In one transaction: rows of all runs. */
const BATCH_ROWS_MAX = 5_000;
/** Snapshots are what makes a batch large: as text they stand in the statement once more, and Postgres takes no gigabyte. */
const BATCH_SNAPSHOTS_LENGTH_MAX = 16 * 1024 * 1024;

export interface CommitterEvents {
  /** The steps are durable; the database's time, if it was told, and how long it took. */
  committed(steps: readonly Step[], moment: number | null, tookMs: number): void;
  /** The database refuses what this step wrote, and it alone. */
  refused(step: Step, error: unknown): void;
  /** Ownership, or the connection, is lost, or it is not known what became of the commit. */
  lost(error: unknown): void;
}

/**
 * Owns: steps that wait for their commit, and the connections they are committed on.
 *
 * Whatever is ready when a connection is free goes into one transaction: nothing waits for a batch to fill, and under
 * load batches are large. Two connections, so that one batch is being made while another one is written.
 *
 * A step that someone stands in the way of is tried again, alone, for as long as that takes: giving up would take
 * everything from everybody because of one row. Such tries use one connection at a time, and no two in a row, so that all
 * others go on.
 */
export class Committer {
  readonly #owner: string;
  readonly #idle: Queryable[];
  readonly #batchMax: number;
  readonly #events: CommitterEvents;
  #waiting: Step[] = [];
  /** Steps that others stand in the way of. */
  #hindered: Step[] = [];
  #retrying = false;
  #retriedLast = false;
  #stopped = false;

  /** At most so many runs in one transaction. */
  constructor(owner: string, clients: readonly Queryable[], batchMax: number, events: CommitterEvents) {
    this.#owner = owner;
    this.#batchMax = batchMax;
    this.#idle = [...clients];
    this.#events = events;
  }

  add(step: Step): void {
    this.#waiting.push(step);
  }

  /** Nothing that was added is committed any more. */
  stop(): void {
    this.#stopped = true;
    this.#waiting = [];
    this.#hindered = [];
  }

  flush(): void {
    while (!this.#stopped && this.#idle.length > 0) {
      const again = this.#nextHindered();
      const steps = again === null ? this.#nextBatch() : [again];
      if (steps.length === 0) return;
      void this.#commitNext(this.#idle.pop()!, steps, again !== null);
    }
  }

  async #commitNext(client: Queryable, steps: readonly Step[], again: boolean): Promise<void> {
    await this.#commit(client, steps);
    if (again) this.#retrying = false;
    this.#idle.push(client);
    this.flush();
  }

  #nextHindered(): Step | null {
    const wanted = !this.#retrying && (!this.#retriedLast || this.#waiting.length === 0);
    const step = wanted ? this.#hindered.shift() : undefined;
    this.#retriedLast = step !== undefined;
    this.#retrying ||= step !== undefined;
    return step ?? null;
  }

  #nextBatch(): Step[] {
    let rows = 0;
    let snapshots = 0;
    let count = 0;
    while (count < this.#waiting.length && count < this.#batchMax) {
      const { transition } = this.#waiting[count]!;
      rows += rowsOf(transition);
      snapshots += transition.snapshotsLength;
      if ((rows > BATCH_ROWS_MAX || snapshots > BATCH_SNAPSHOTS_LENGTH_MAX) && count > 0) break;
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }

  async #commit(client: Queryable, steps: readonly Step[]): Promise<void> {
    if (this.#stopped) return;
    const begun = performance.now();
    try {
      const transitions = steps.map(({ transition }) => transition);
      const moment = await commitTransitions(client, this.#owner, transitions);
      if (!this.#stopped) this.#events.committed(steps, moment, performance.now() - begun);
    } catch (error) {
      if (!this.#stopped) await this.#failed(client, steps, error);
    }
  }

  async #failed(client: Queryable, steps: readonly Step[], error: unknown): Promise<void> {
    const kind = kindOfFailure(error);
    if (kind === "lost") return this.#events.lost(error);
    if (steps.length === 1) {
      if (kind === "contention") this.#hindered.push(steps[0]!);
      else this.#events.refused(steps[0]!, error);
      return;
    }
    const middle = steps.length >> 1;
    await this.#commit(client, steps.slice(0, middle));
    await this.#commit(client, steps.slice(middle));
  }
}

/** By SQLSTATE: the values are to blame, others are in the way, or anything else, after which nothing is certain. */
export function kindOfFailure(error: unknown): "data" | "contention" | "lost" {
  const code = (error as { code?: unknown }).code;
  if (typeof code !== "string" || code.length !== 5) return "lost";
  if (isContention(error)) return "contention";
  return /^(22|23|54)/.test(code) ? "data" : "lost";
}
