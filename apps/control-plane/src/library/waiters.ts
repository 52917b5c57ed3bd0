import type pg from "pg";
import type { EndedNotice } from "../runloop/outside.ts";
import { endedRuns } from "../store/find-runs.ts";

/** Without news, it is looked so often whether a run has ended elsewhere. */
const LOOK_EVERY_MS = 1_000;

/** Owns: who waits for the end of which run. */
export class Waiters {
  readonly #client: pg.ClientBase;
  readonly #waiting = new Map<string, ((notice: EndedNotice) => void)[]>();
  #timer: NodeJS.Timeout | null = null;
  #looking = false;
  #again = false;

  constructor(client: pg.ClientBase) {
    this.#client = client;
  }

  /** Resolves when the run has ended. The caller has made sure that there is one. */
  wait(runId: string): Promise<EndedNotice> {
    return new Promise((resolve) => {
      const others = this.#waiting.get(runId);
      if (others === undefined) this.#waiting.set(runId, [resolve]);
      else others.push(resolve);
      this.#timer ??= setInterval(() => this.look(), LOOK_EVERY_MS);
    });
  }

  /** There is no such run. */
  forget(runId: string): void {
    this.#waiting.delete(runId);
    if (this.#waiting.size === 0) this.stop();
  }

  ended(notices: readonly EndedNotice[]): void {
    for (const notice of notices) {
      const waiting = this.#waiting.get(notice.runId);
      this.#waiting.delete(notice.runId);
      for (const resolve of waiting ?? []) resolve(notice);
    }
    if (this.#waiting.size === 0) this.stop();
  }

  /** Something has ended somewhere. */
  look(): void {
    this.#again = true;
    if (this.#looking || this.#waiting.size === 0) return;
    this.#looking = true;
    void this.#look().finally(() => (this.#looking = false));
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  async #look(): Promise<void> {
    while (this.#again && this.#waiting.size > 0) {
      this.#again = false;
      // A database that cannot be reached is asked again the next time.
      const notices = await endedRuns(this.#client, [...this.#waiting.keys()]).catch(() => []);
      this.ended(notices);
    }
  }
}
