import type pg from "pg";
import { ask, type Queryable, statement } from "./statement.ts";

export interface PoolDepth {
  readonly pool: string;
  readonly ready: number;
}

/** By the partial index of runs that are ready; those that are parked, which may be many more, are not looked at. */
const DEPTHS = statement(
  "queue_depths",
  "SELECT pool, count(*)::int AS ready FROM cairn.queue WHERE state = 'ready' GROUP BY pool",
);

/** Runs that nobody has claimed, by pool. */
export function queueDepths(client: Queryable): Promise<PoolDepth[]> {
  return ask<PoolDepth & pg.QueryResultRow>(client, DEPTHS);
}
