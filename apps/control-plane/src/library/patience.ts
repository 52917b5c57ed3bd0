import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { isConnectionLoss } from "../store/connection.ts";
import type { Queryable } from "../store/statement.ts";
import { closedError, EngineError } from "./engine-error.ts";

/** Between two tries: twice as long each time. */
const PAUSE_MIN_MS = 25;
const PAUSE_MAX_MS = 1_000;

/** How long requests wait for a database that cannot be reached, and what they are told then. */
export class Patience {
  readonly ms: number;
  readonly #where: string;

  constructor(ms: number, url: string) {
    this.ms = ms;
    const { host, port } = new pg.Client({ connectionString: url });
    this.#where = `${host}:${port}`;
  }

  /** For what may be asked twice: it may have been done, and the answer lost. */
  async with<T>(ask: () => Promise<T>): Promise<T> {
    const until = performance.now() + this.ms;
    for (let pauseMs = PAUSE_MIN_MS; ; pauseMs = Math.min(PAUSE_MAX_MS, pauseMs * 2)) {
      try {
        return await ask();
      } catch (error) {
        if (!isConnectionLoss(error)) throw error;
        const leftMs = until - performance.now();
        if (leftMs <= 0) throw this.exhausted(error);
        await delay(Math.min(pauseMs, leftMs));
      }
    }
  }

  /** Neither servers nor `pg` say passwords. */
  exhausted(cause: unknown): EngineError {
    const { message, code } = cause as { message: string; code?: string };
    const reason = (message || code || "no connection").replaceAll(/\s*\n\s*/g, " ");
    const waited = this.ms === 0 ? "" : ` for ${this.ms / 1_000} s`;
    return new EngineError("Unavailable", `The database on ${this.#where} could not be reached${waited} (${reason})`, {
      cause,
    });
  }
}

/**
 * Each query is asked again while the connection is lost: for those that may be repeated, and ours all may. When the pool was
 * closed, that is what whoever asks is told.
 */
export function patientClient(pool: pg.Pool, patience: Patience): Queryable {
  const query = (...given: Parameters<pg.Pool["query"]>): unknown =>
    patience.with(() => {
      if (pool.ending) throw closedError();
      return pool.query(...given) as unknown as Promise<pg.QueryResult>;
    });
  return { query: query as unknown as Queryable["query"] };
}
