import type pg from "pg";
import { skipScan } from "./skip-scan.ts";
import { ask, type Queryable, statement } from "./statement.ts";

/** Pools that are looked at; further ones are not. */
const POOLS_MAX = 100;
/** What is counted is counted so far: a scrape costs the same beside millions of rows. */
export const COUNTED_MAX = 10_000;

export interface PoolDepth {
  readonly pool: string;
  /** Runs that nobody has claimed: at most `COUNTED_MAX`, which stands for as many or more. */
  readonly ready: number;
  /** How long the first of them waits. */
  readonly oldestMs: number;
}

const READY = "q.state = 'ready' AND q.crashes < 2";

const DEPTHS = statement(
  "pool_depths",
  `WITH RECURSIVE ${skipScan("pools", "pool", "cairn.queue", "t.state = 'ready' AND t.crashes < 2")}
  SELECT p.pool, d.ready, (extract(epoch FROM (SELECT cairn.now()) - o.ready_at) * 1000)::float8 AS "oldestMs"
  FROM (SELECT pool FROM pools LIMIT ${POOLS_MAX}) AS p CROSS JOIN LATERAL (
    SELECT count(*)::int AS ready FROM (SELECT FROM cairn.queue AS q WHERE q.pool = p.pool AND ${READY} LIMIT ${COUNTED_MAX}) AS few
  ) AS d CROSS JOIN LATERAL (
    SELECT q.ready_at FROM cairn.queue AS q WHERE q.pool = p.pool AND ${READY} ORDER BY q.ready_at LIMIT 1
  ) AS o`,
);

/** Of pools in which something is ready. */
export function poolDepths(client: Queryable): Promise<PoolDepth[]> {
  return ask<PoolDepth & pg.QueryResultRow>(client, DEPTHS);
}

/** Of the whole database. */
export interface OperatingLevels {
  /** Runs that live, about: what Postgres knows since it looked last. */
  readonly live: number;
  /** Counts, of at most `COUNTED_MAX` each. */
  readonly held: number;
  readonly quarantined: number;
  readonly limitedWaiting: number;
  readonly limitedOpen: number;
  readonly backlog: number;
  readonly deadLetters: number;
  /** Subscriptions that take nothing at the moment. */
  readonly failingSubscriptions: number;
  /** How long the first schedule that is due has been so; null: none is. */
  readonly scheduleLateMs: number | null;
  /** How long the first event waits that was offered to nobody; null: there is none. */
  readonly outboxLagMs: number | null;
  /** The database's time. */
  readonly now: number;
}

const counted = (table: string, where: string): string =>
  `(SELECT count(*)::int FROM (SELECT FROM cairn.${table} AS t WHERE ${where} LIMIT ${COUNTED_MAX}) AS few)`;
const since = (time: string): string => `(extract(epoch FROM clock.moment - ${time}) * 1000)::float8`;

const LEVELS = statement(
  "operating_levels",
  `SELECT (SELECT greatest(c.reltuples, 0)::float8 FROM pg_class AS c WHERE c.oid = 'cairn.queue'::regclass) AS live,
    ${counted("queue", "t.state = 'held'")} AS held,
    ${counted("queue", "t.state = 'ready' AND t.crashes >= 2")} AS quarantined,
    ${counted("limited_calls", "t.granted_at IS NULL")} AS "limitedWaiting",
    ${counted("limited_calls", "t.granted_at IS NOT NULL")} AS "limitedOpen",
    ${counted("outbox_backlog", "t.dead_at IS NULL")} AS backlog,
    ${counted("outbox_backlog", "t.dead_at IS NOT NULL")} AS "deadLetters",
    (SELECT count(*)::int FROM cairn.subscriptions AS s WHERE s.failing_since IS NOT NULL) AS "failingSubscriptions",
    ${since(`(SELECT s.next_run_at FROM cairn.schedules AS s WHERE s.status = 'active' AND s.next_run_at <= clock.moment
      ORDER BY s.next_run_at LIMIT 1)`)} AS "scheduleLateMs",
    ${since(`(SELECT min(first.created_at) FROM cairn.outbox_shards AS s CROSS JOIN LATERAL (
      SELECT e.created_at FROM cairn.outbox_events AS e WHERE e.shard = s.shard AND NOT e.passed AND e.published_at IS NULL
      ORDER BY e.id - 0 LIMIT 1) AS first)`)} AS "outboxLagMs",
    clock.moment AS now
  FROM (SELECT cairn.now() AS moment) AS clock`,
);

/** By indexes, and no further than `COUNTED_MAX`. */
export async function operatingLevels(client: Queryable): Promise<OperatingLevels> {
  return (await ask<OperatingLevels & pg.QueryResultRow>(client, LEVELS))[0]!;
}
