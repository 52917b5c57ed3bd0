import type { EndedNotice } from "../runloop/outside.ts";
import { endsOfRuns } from "../store/find-runs.ts";
import { closedError, EngineError, missingError } from "./engine-error.ts";
import type { Queryable } from "../store/statement.ts";

/** Without news, it is looked so often whether a run has ended elsewhere. */
const LOOK_EVERY_MS = 1_000;
/** Runs that are looked for at one time. */
const LOOK_MAX = 1_000;

interface Waiter {
  readonly namespace: string;
  readonly resolve: (notice: EndedNotice) => void;
  readonly reject: (error: unknown) => void;
}

/** Owns: who waits for the end of which run. Whoever begins to wait is answered together with others who do. */
export class Waiters {
  readonly #client: Queryable;
  readonly #waiting = new Map<string, Waiter[]>();
  /** Runs that are to be looked at next, each behind those that were there before. */
  readonly #unseen = new Set<string>();
  /** All are to be looked at, each in its place. */
  #again = false;
  #timer: NodeJS.Timeout | null = null;
  #looking = false;
  #closed = false;

  constructor(client: Queryable) {
    this.#client = client;
  }

  /** Resolves when the run has ended; rejects if there is none. When the signal says so, nobody waits any more. */
  wait(namespace: string, runId: string, signal?: AbortSignal): Promise<EndedNotice> {
    if (this.#closed) return Promise.reject(closedError());
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return;
      const leave = (): void => this.#leave(runId, waiter);
      // A signal may be that of many who wait, one after the other.
      const settled = (): void => signal?.removeEventListener("abort", leave);
      const waiter: Waiter = {
        namespace,
        resolve: (notice) => (settled(), resolve(notice)),
        reject: (error) => (settled(), reject(error)),
      };
      signal?.addEventListener("abort", leave, { once: true });
      this.#join(runId, waiter);
    });
  }

  /** Resolves when one of these has ended, or is not there: it is one who waits for all of them, and leaves them together. */
  waitForOne(namespace: string, runIds: readonly string[], signal: AbortSignal): Promise<void> {
    if (this.#closed) return Promise.reject(closedError());
    return new Promise((resolve, reject) => {
      if (signal.aborted) return;
      let isOver = false;
      const leave = (): void => {
        if (isOver) return;
        isOver = true;
        signal.removeEventListener("abort", leave);
        for (const id of runIds) this.#leave(id, waiter);
      };
      const waiter: Waiter = {
        namespace,
        resolve: () => (leave(), resolve()),
        reject: (error) => (leave(), isMissing(error) ? resolve() : reject(error)),
      };
      signal.addEventListener("abort", leave);
      for (const id of runIds) this.#join(id, waiter);
    });
  }

  ended(notices: readonly EndedNotice[]): void {
    for (const notice of notices) for (const { resolve } of this.#take(notice.runId)) resolve(notice);
    if (this.#waiting.size === 0) this.#rest();
  }

  /** Something has ended somewhere. Resolves when that was looked at. */
  async look(): Promise<void> {
    this.#again = true;
    if (!this.#looking && this.#waiting.size > 0) await this.#look();
  }

  /** Whoever still waits is told so. */
  close(): void {
    this.#closed = true;
    this.#rest();
    for (const waiter of [...this.#waiting.values()].flat()) waiter.reject(closedError());
    this.#waiting.clear();
  }

  #join(runId: string, waiter: Waiter): void {
    const others = this.#waiting.get(runId);
    if (others === undefined) this.#waiting.set(runId, [waiter]);
    else others.push(waiter);
    this.#unseen.add(runId);
    this.#timer ??= setInterval(() => void this.look(), LOOK_EVERY_MS);
    if (!this.#looking) void this.#look();
  }

  #leave(runId: string, waiter: Waiter): void {
    const others = (this.#waiting.get(runId) ?? []).filter((each) => each !== waiter);
    if (others.length > 0) this.#waiting.set(runId, others);
    else this.#waiting.delete(runId);
    if (this.#waiting.size === 0) this.#rest();
  }

  #rest(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    this.#unseen.clear();
  }

  #take(runId: string): readonly Waiter[] {
    const waiters = this.#waiting.get(runId) ?? [];
    this.#waiting.delete(runId);
    return waiters;
  }

  async #look(): Promise<void> {
    this.#looking = true;
    // All who begin to wait in this turn of the event loop are looked for at once.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.size > 0 && (this.#again || this.#unseen.size > 0)) {
      // Behind those that stand there already: also while others begin to wait all the time.
      if (this.#again) for (const id of this.#waiting.keys()) this.#unseen.add(id);
      this.#again = false;
      const ids = this.#next();
      if (ids.length > 0) await this.#lookFor(ids);
    }
    this.#looking = false;
  }

  #next(): string[] {
    const ids: string[] = [];
    for (const id of this.#unseen) {
      this.#unseen.delete(id);
      if (this.#waiting.has(id)) ids.push(id);
      if (ids.length === LOOK_MAX) break;
    }
    return ids;
  }

  async #lookFor(ids: readonly string[]): Promise<void> {
    try {
      const found = new Map((await endsOfRuns(this.#client, ids)).map((run) => [run.runId, run]));
      for (const id of ids) {
        const run = found.get(id);
        this.#refuse(id, run?.namespace ?? null);
        if (run?.isLater) this.#unseen.add(id);
        if (run === undefined || run.status === null) continue;
        const { status, value, trace } = run;
        this.ended([{ runId: id, status, value: value!, trace }]);
      }
    } catch {
      // A database that cannot be reached is asked again the next time.
    }
  }

  /** Whoever waits for a run that is not there, or is another namespace's. */
  #refuse(id: string, namespace: string | null): void {
    const waiters = this.#waiting.get(id) ?? [];
    const strange = waiters.filter((waiter) => waiter.namespace !== namespace);
    if (strange.length === 0) return;
    this.#waiting.set(
      id,
      waiters.filter((waiter) => !strange.includes(waiter)),
    );
    if (this.#waiting.get(id)!.length === 0) this.#waiting.delete(id);
    for (const { reject } of strange) reject(missingError(id));
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof EngineError && error.code === "NotFound";
}
