import type pg from "pg";
import { commitTransitions, rowsOf } from "../store/commit-transitions.ts";
import type { Step } from "./step.ts";

/** In one transaction: runs, and rows of all of them. */
const BATCH_RUNS_MAX = 1_000;
const BATCH_ROWS_MAX = 5_000;
/** Of a commit that others stand in the way of; it fails no run. */
const CONTENTION_TRIES_MAX = 50;

export interface CommitterEvents {
  /** The steps are durable; the database's time. */
  committed(steps: readonly Step[], moment: number): void;
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
 */
export class Committer {
  readonly #owner: string;
  readonly #idle: pg.ClientBase[];
  readonly #events: CommitterEvents;
  #waiting: Step[] = [];
  #underWay = 0;
  #stopped = false;
  #whenIdle: (() => void)[] = [];

  constructor(owner: string, clients: readonly pg.ClientBase[], events: CommitterEvents) {
    this.#owner = owner;
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
  }

  get busy(): boolean {
    return this.#underWay > 0 || this.#waiting.length > 0;
  }

  async idle(): Promise<void> {
    if (this.busy) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  flush(): void {
    while (!this.#stopped && this.#waiting.length > 0 && this.#idle.length > 0) {
      const client = this.#idle.pop()!;
      this.#underWay += 1;
      void this.#commitNext(client);
    }
  }

  async #commitNext(client: pg.ClientBase): Promise<void> {
    await this.#commit(client, this.#nextBatch());
    this.#idle.push(client);
    this.#underWay -= 1;
    this.flush();
    if (!this.busy) for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  #nextBatch(): Step[] {
    let rows = 0;
    let count = 0;
    while (count < this.#waiting.length && count < BATCH_RUNS_MAX) {
      rows += rowsOf(this.#waiting[count]!.transition);
      if (rows > BATCH_ROWS_MAX && count > 0) break;
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }

  async #commit(client: pg.ClientBase, steps: readonly Step[], tries = 1): Promise<void> {
    if (this.#stopped) return;
    try {
      const transitions = steps.map(({ transition }) => transition);
      const moment = await commitTransitions(client, this.#owner, transitions);
      if (!this.#stopped) this.#events.committed(steps, moment);
    } catch (error) {
      if (!this.#stopped) await this.#failed(client, steps, error, tries);
    }
  }

  async #failed(client: pg.ClientBase, steps: readonly Step[], error: unknown, tries: number): Promise<void> {
    const kind = kindOfFailure(error);
    if (kind === "lost" || (kind === "contention" && tries >= CONTENTION_TRIES_MAX)) return this.#events.lost(error);
    if (steps.length === 1) {
      return kind === "contention" ? this.#commit(client, steps, tries + 1) : this.#events.refused(steps[0]!, error);
    }
    const middle = steps.length >> 1;
    await this.#commit(client, steps.slice(0, middle), tries + 1);
    await this.#commit(client, steps.slice(middle), tries + 1);
  }
}

/** By SQLSTATE: the values are to blame, others are in the way, or anything else, after which nothing is certain. */
function kindOfFailure(error: unknown): "data" | "contention" | "lost" {
  const code = (error as { code?: unknown }).code;
  if (typeof code !== "string" || code.length !== 5) return "lost";
  if (["55P03", "40001", "40P01"].includes(code)) return "contention";
  return /^(22|23|54)/.test(code) ? "data" : "lost";
}
