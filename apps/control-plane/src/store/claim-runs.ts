import type pg from "pg";
import { FENCE } from "./fence.ts";
import { FORMAT } from "./format.ts";
import { skipScan } from "./skip-scan.ts";
import { ask, type Queryable, type Statement, statement } from "./statement.ts";

/** A run that a claim has made the owner's. */
export interface ClaimedRun {
  readonly id: string;
  readonly priority: number;
  readonly readyAt: number;
  readonly crashes: number;
  readonly attempt: number;
  readonly lastError: string | null;
  /** Whether it has history: a run that never began has nothing to load. */
  readonly begun: boolean;
  readonly startedAt: number;
  readonly leasedAt: number;
  /** Whether someone may be running calls of it. */
  readonly callsOut: boolean;
  readonly pastDeadline: boolean;
  /** Whether it takes no inputs until it is resumed. */
  readonly paused: boolean;
}

/**
 * Of the statements below: an UPDATE of what `picked` has locked. Its owner may write its own format from then on. That it is
 * leased is an event, written by the same statement.
 */
const TAKE = `taken AS (UPDATE cairn.queue AS q
  SET state = 'held', owner = $1, phase = 'running', wake_at = NULL, waiting_for = NULL, calls_out = true,
    format = greatest(q.format, picked.written_format), started_at = coalesce(q.started_at, picked.moment)
  FROM picked WHERE q.run_id = picked.run_id
  RETURNING q.run_id AS id, q.priority, q.ready_at AS "readyAt", q.crashes, q.attempt, q.last_error AS "lastError",
    picked.started_at IS NOT NULL AS begun, picked.calls_out AS "callsOut", q.started_at AS "startedAt", q.past_deadline AS "pastDeadline",
    q.paused, picked.moment AS "leasedAt"
  ), leased AS (
    INSERT INTO cairn.run_events (run_id, kind, data, at, after_input)
    SELECT taken.id, 'leased', json_build_object('by', fence.address), taken."leasedAt",
      CASE WHEN taken.begun THEN cairn.last_input(taken.id) ELSE 0 END FROM fence, taken
    WHERE cairn.keeps_events(taken.id)
  ) SELECT * FROM taken`;

/** Where a pool's claims of one priority have come to. */
export interface Cursor {
  readonly priority: number;
  readonly readyFrom: number;
}

/** A claim: locks rows of the queue that are ready, and takes them. `sources` stand beside the fence. */
function claimOf(name: string, which: string, order: string, limit: string, sources = ""): Statement {
  return statement(
    name,
    `WITH ${FENCE}, picked AS MATERIALIZED (
    SELECT c.run_id, c.started_at, c.calls_out, fence.written_format, fence.moment FROM fence, ${sources}LATERAL (
      SELECT run_id, started_at, calls_out FROM cairn.queue AS q
      WHERE q.state = 'ready' AND q.format <= fence.format AND ${which}
      ORDER BY ${order} LIMIT ${limit} FOR UPDATE SKIP LOCKED
    ) AS c LIMIT ${limit}
  ), ${TAKE}`,
  );
}

/** Null: any. */
function inNamespace(parameter: string): string {
  return `(${parameter}::text IS NULL OR split_part(q.pool, ':', 1) = ${parameter})`;
}

const IN_POOL = "q.crashes < 2 AND q.pool = $2";

const BY_PRIORITY = claimOf(
  "claim_by_priority",
  `${IN_POOL} AND q.priority = cursor.priority AND q.ready_at >= to_timestamp(cursor.ready_from / 1000)`,
  "q.ready_at",
  "$3",
  "unnest($4::smallint[], $5::float8[]) AS cursor (priority, ready_from), ",
);

const FROM_FRONT = claimOf("claim_from_front", IN_POOL, "q.priority DESC, q.ready_at", "$3");

const BY_AGE = claimOf(
  "claim_by_age",
  `${IN_POOL} AND q.ready_at >= to_timestamp($4::float8 / 1000)`,
  "q.ready_at",
  "$3",
);

/** Jobs of pools without the length of their lease; null: all. */
const SERVED = `($3::text[] IS NULL OR q.pool LIKE '%:*' OR regexp_replace(q.pool, '^([^:]*):@\\d+:', '\\1:') = ANY ($3))`;

const QUARANTINED = claimOf(
  "claim_quarantined",
  `q.crashes >= 2 AND ${inNamespace("$2")} AND ${SERVED}`,
  "q.ready_at",
  "1",
);

type Rows = Promise<ClaimedRun[]>;

/** An UPDATE returns rows in the order of its plan. */
async function claim(client: Queryable, how: Statement, values: readonly unknown[]): Rows {
  const claimed = await ask<ClaimedRun & pg.QueryResultRow>(client, how, values);
  return claimed.sort((a, b) => (how === BY_AGE ? 0 : b.priority - a.priority) || a.readyAt - b.readyAt);
}

/** From where earlier claims have come to, highest priority first; what lies before is found from the front. */
export function claimByPriority(
  client: Queryable,
  owner: string,
  pool: string,
  count: number,
  cursors: readonly Cursor[],
): Rows {
  const priorities = cursors.map(({ priority }) => priority);
  const from = cursors.map(({ readyFrom }) => readyFrom);
  return claim(client, BY_PRIORITY, [owner, pool, count, priorities, from]);
}

export function claimFromFront(client: Queryable, owner: string, pool: string, count: number): Rows {
  return claim(client, FROM_FRONT, [owner, pool, count]);
}

/** The oldest, whatever their priority: the promise that nothing starves. */
export function claimByAge(client: Queryable, owner: string, pool: string, count: number, readyFrom: number): Rows {
  return claim(client, BY_AGE, [owner, pool, count, readyFrom]);
}

/**
 * One of the runs whose owners went down again and again, for an owner who holds nothing else. Of jobs, only those that are
 * `served`; null: all.
 */
export function claimQuarantined(
  client: Queryable,
  owner: string,
  namespace: string | null,
  served: readonly string[] | null = null,
): Rows {
  return claim(client, QUARANTINED, [owner, namespace, served]);
}

const POOLS_READY = skipScan("pools", "pool", "cairn.queue", "t.state = 'ready' AND t.crashes < 2");

export const POOLS_WITH_WORK = `WITH RECURSIVE ${POOLS_READY} SELECT pool FROM pools`;

const POOLS = statement("pools_with_work", POOLS_WITH_WORK);

/** Pools in which something is ready, by one look at the index for each. */
export async function poolsWithWork(client: Queryable): Promise<string[]> {
  return (await ask<{ pool: string }>(client, POOLS)).map(({ pool }) => pool);
}

const SUSPECTS = statement(
  "has_quarantined",
  `SELECT EXISTS (
    SELECT FROM cairn.queue AS q
    WHERE q.state = 'ready' AND q.format <= ${FORMAT} AND q.crashes >= 2 AND ${inNamespace("$1")}
  ) AS there`,
);

/** Whether runs of the namespace (null: of any) wait that must be looked at alone. */
export async function hasQuarantined(client: Queryable, namespace: string | null): Promise<boolean> {
  return (await ask<{ there: boolean }>(client, SUSPECTS, [namespace]))[0]!.there;
}
