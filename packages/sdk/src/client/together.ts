import type { EndedRuns } from "@cairnjs/schemas/rest";
import { onAbort } from "./abort.ts";
import { IS_BROWSER } from "./browser.ts";
import { Failure } from "./patience.ts";
import { startTimer } from "./timer.ts";
import type { Transport } from "./transport.ts";
import { WAIT_MS_MAX } from "./turns.ts";

/** What one request takes. */
const IDS_MAX = 1_000;
/** Requests that are held at one time: each has a connection. */
const HELD_MAX = IS_BROWSER ? 1 : 10;
/** From one sending to the next, and more for each who waits, since each is looked for: at most 10,000 a second. */
const PACE_MS = 50;
const PACE_MS_EACH = 0.1;
const PACE_MS_MAX = 1_000;
/** So long nobody waits together after a control plane was found to be too old for it. */
const MISSING_MS = 60_000;

export interface WaitTogether {
  readonly id: string;
  /** By `performance`; null: for ever. */
  readonly until: number | null;
  readonly signal: AbortSignal | undefined;
  /** It was answered before that the run has not ended: when the time is over, nobody need be asked. */
  readonly isTold: boolean;
}

interface Waiter {
  readonly id: string;
  /** When there is to be an answer, in any case. */
  readonly until: number | null;
  readonly resolve: (isEnded: boolean) => void;
  readonly reject: (reason: unknown) => void;
}

interface Held {
  readonly waiters: Set<Waiter>;
  readonly end: AbortController;
}

/**
 * Those who wait for the ends of many runs, by requests that ask for up to 1,000 of them.
 *
 * Owns who waits, and by which request. I1: a request that is answered wakes all who waited by it; whoever wants to wait on comes again. I2:
 * those who come go with the next sending, and sendings have a pace, so requests do not grow with those who wait, and nobody is left out for
 * longer than a second. I3: `HELD_MAX` are held; when there is no room for another one, the smallest is given up, and its runs are asked for
 * with the new ones. When all are full, they take turns.
 */
export class Together {
  readonly #transport: Transport;
  /** Those for whom nothing is asked just now, in the order of their turns. */
  readonly #next = new Set<Waiter>();
  readonly #held = new Set<Held>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #sentAt = Number.NEGATIVE_INFINITY;
  #missingUntil = Number.NEGATIVE_INFINITY;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The control plane does not know how to wait for many. */
  get isMissing(): boolean {
    return performance.now() < this.#missingUntil;
  }

  /**
   * Resolves when there is an answer, or the time is over: true if the run has ended, or is not there. Rejects with `Failure`, or with the
   * reason of a signal.
   */
  ended({ id, until, signal, isTold }: WaitTogether): Promise<boolean> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason as Error);
      const settled = (): void => {
        stopTimer?.();
        unheard?.();
      };
      const waiter: Waiter = {
        id,
        until: isTold ? null : until,
        resolve: (isEnded) => (settled(), resolve(isEnded)),
        reject: (reason) => (settled(), reject(reason)),
      };
      const abort = (): void => (this.#leave(waiter), waiter.reject(signal!.reason));
      const end = (): void => (this.#leave(waiter), waiter.resolve(false));
      const stopTimer = until !== null && isTold ? startTimer(until - performance.now(), end) : null;
      const unheard = signal === undefined ? null : onAbort(signal, abort);
      this.#next.add(waiter);
      this.#sendSoon();
    });
  }

  #leave(waiter: Waiter): void {
    this.#next.delete(waiter);
    for (const held of this.#held) if (held.waiters.delete(waiter) && held.waiters.size === 0) this.#giveUp(held);
  }

  /** Also those who come in this turn of the event loop, if it is not too early. */
  #sendSoon(): void {
    if (this.#timer !== null || this.#next.size === 0) return;
    let count = this.#next.size;
    for (const { waiters } of this.#held) count += waiters.size;
    const paceMs = Math.min(PACE_MS_MAX, PACE_MS + count * PACE_MS_EACH);
    const afterMs = Math.max(0, this.#sentAt + paceMs - performance.now());
    this.#timer = setTimeout(() => this.#send(), afterMs);
  }

  #send(): void {
    this.#timer = null;
    this.#sentAt = performance.now();
    const requests = Math.min(HELD_MAX, Math.ceil(this.#next.size / IDS_MAX));
    for (let count = 0; count < requests; count++) {
      if (this.#held.size === HELD_MAX) this.#giveUp(this.#smallest());
      void this.#hold([...this.#next].slice(0, IDS_MAX));
    }
    this.#sendSoon();
  }

  /** Of those that are as small, the oldest. */
  #smallest(): Held {
    return [...this.#held].reduce((least, held) => (held.waiters.size < least.waiters.size ? held : least));
  }

  #giveUp(held: Held): void {
    this.#held.delete(held);
    for (const waiter of held.waiters) this.#next.add(waiter);
    held.end.abort();
  }

  async #hold(waiters: readonly Waiter[]): Promise<void> {
    for (const waiter of waiters) this.#next.delete(waiter);
    const held: Held = { waiters: new Set(waiters), end: new AbortController() };
    this.#held.add(held);
    try {
      const ended = await this.#ask(waiters, held.end.signal);
      if (this.#held.delete(held)) for (const waiter of held.waiters) waiter.resolve(ended.has(waiter.id));
    } catch (failure) {
      if (!this.#held.delete(held)) return;
      const isMissing = failure instanceof Failure && [404, 405].includes(failure.error.status);
      if (isMissing) this.#missingUntil = performance.now() + MISSING_MS;
      for (const { reject } of held.waiters) reject(failure);
    }
  }

  async #ask(waiters: readonly Waiter[], signal: AbortSignal): Promise<ReadonlySet<string>> {
    const now = performance.now();
    const leftMs = waiters.map(({ until }) => (until === null ? WAIT_MS_MAX : Math.ceil(until - now)));
    const waitMs = Math.max(
      0,
      leftMs.reduce((least, ms) => Math.min(least, ms), WAIT_MS_MAX),
    );
    const body = JSON.stringify({ ids: [...new Set(waiters.map(({ id }) => id))], waitMs });
    const ask = { method: "POST", path: "/runs/wait", body, repeatable: true, signal } as const;
    const { items } = await this.#transport.once<EndedRuns>(ask);
    return new Set(items.map(({ id }) => id));
  }
}
