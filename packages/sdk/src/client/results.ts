import type { RunOutcome } from "@cairnjs/schemas/rest";
import { IS_BROWSER } from "./browser.ts";
import { Failure, type Patience } from "./patience.ts";
import { Together, type WaitTogether } from "./together.ts";
import type { Transport } from "./transport.ts";
import { Turns, WAIT_MS_MAX } from "./turns.ts";

/**
 * Each who waits alone holds a connection, and so do those who get what has ended. A browser has six of HTTP/1.1 to a host, for its pages and
 * their workers, and whoever sends the signal that a run waits for needs one too.
 */
const ALONE_MAX = IS_BROWSER ? 1 : 20;
const GETTING_MAX = IS_BROWSER ? 1 : 20;

const ENDED: ReadonlySet<RunOutcome["status"]> = new Set(["succeeded", "failed", "cancelled"] as const);

interface Wanted extends WaitTogether {
  readonly patience: Patience;
  isTold: boolean;
}

/**
 * Results of runs, for those who wait for them. The first who come wait alone: their request brings the result when there is one. All others
 * wait together, and ask for a result when they know that there is one.
 */
export class Results {
  readonly #transport: Transport;
  readonly #alone = new Turns(ALONE_MAX);
  readonly #getting = new Turns(GETTING_MAX);
  readonly #together: Together;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.#together = new Together(transport);
  }

  /** How the run has ended; null: it has not, until then. Rejects with `CairnError`, or with the signal's reason. */
  async of(id: string, until: number | null, signal: AbortSignal | undefined): Promise<RunOutcome | null> {
    const wanted: Wanted = { id, until, signal, patience: this.#transport.patience(), isTold: false };
    for (;;) {
      const outcome = await this.#next(wanted);
      if (outcome !== null && ENDED.has(outcome.status)) return outcome;
      if (until !== null && performance.now() >= until) return null;
    }
  }

  /** What is known of it next; null: that it has not ended. */
  async #next(wanted: Wanted): Promise<RunOutcome | null> {
    if (this.#alone.isFree) return this.#alone.take(wanted.signal, () => this.#ask(wanted, WAIT_MS_MAX));
    const isEnded = this.#together.isMissing ? null : await this.#isEnded(wanted);
    if (isEnded === false) return null;
    return this.#getting.take(wanted.signal, (waitMs) => this.#ask(wanted, isEnded === null ? waitMs : 0));
  }

  /** Null: nobody can wait together. */
  async #isEnded(wanted: Wanted): Promise<boolean | null> {
    const { signal, patience } = wanted;
    try {
      const isEnded = await this.#together.ended(wanted);
      patience.reset();
      wanted.isTold = true;
      return isEnded;
    } catch (failure) {
      if (!(failure instanceof Failure)) throw failure;
      if (this.#together.isMissing) return null;
      if (failure.again === "never") throw failure.error;
      await this.#transport.waited(patience, failure, signal);
      return false;
    }
  }

  #ask({ id, until, signal, patience }: Wanted, waitMs: number): Promise<RunOutcome> {
    const leftMs = until === null ? waitMs : Math.max(0, Math.ceil(until - performance.now()));
    const query = { waitMs: Math.min(waitMs, leftMs) };
    const path = `/runs/${encodeURIComponent(id)}/result`;
    return this.#transport.ask({ method: "GET", path, query, repeatable: true, signal }, patience);
  }
}
