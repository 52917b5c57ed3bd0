import type pg from "pg";
import { ask, columns, type Queryable, statement } from "./statement.ts";
import { SUBSCRIPTIONS_STATE } from "./subscriptions.ts";

/** Events that are published at a time. */
export const BATCH = 100;
/** Of their data, as it is stored: what is more comes with the next ones. */
const BATCH_BYTES = 4 * 1024 * 1024;

export interface OutboxEvent {
  readonly id: number;
  readonly namespace: string;
  readonly runId: string;
  readonly type: string;
  /** JSON. */
  readonly data: string;
  /** The span of its run; null: nobody traces it. */
  readonly traceparent: string | null;
  readonly createdAt: number;
}

/** An event that nobody was offered yet. */
export interface FreshEvent extends OutboxEvent {
  /** Subscriptions for which earlier ones of its run wait. */
  readonly blocked: readonly number[];
}

export interface FreshBatch {
  readonly events: readonly FreshEvent[];
  /** See `SUBSCRIPTIONS_STATE`. */
  readonly subscriptions: string;
}

const EVENT = `e.id, e.namespace, e.run_id AS "runId", e.type, e.data::text AS data, e.traceparent, e.created_at AS "createdAt"`;

/**
 * From the front, always: an event that is committed late has a smaller number than others, and those of its own run that
 * follow must not be read before it.
 */
// The order of what blocks is that of its index: where one run has most of the backlog, the first row of a scan would look as near.
const FRESH = statement(
  "fresh_events",
  `SELECT ${EVENT}, ${SUBSCRIPTIONS_STATE} AS subscriptions, ARRAY(
    SELECT s.id FROM cairn.subscriptions AS s WHERE s.namespace = e.namespace AND (
      SELECT true FROM cairn.outbox_backlog AS b WHERE b.subscription = s.id AND b.run_id = e.run_id AND b.dead_at IS NULL
      ORDER BY b.event_id - 0 LIMIT 1)
  ) AS blocked
  FROM (
    SELECT f.*, sum(pg_column_size(f.data)) OVER (ORDER BY f.id) - pg_column_size(f.data) AS bytes_before
    FROM cairn.outbox_shards AS s CROSS JOIN LATERAL (
      SELECT e.id, e.namespace, e.run_id, e.type, e.data, e.traceparent, e.created_at FROM cairn.outbox_events AS e
      WHERE e.shard = s.shard AND NOT e.passed AND e.published_at IS NULL ORDER BY e.id - 0 LIMIT ${BATCH}
    ) AS f WHERE s.shard = $1 AND s.holder = $2
  ) AS e WHERE e.bytes_before < ${BATCH_BYTES} ORDER BY e.id`,
);

/** Those that come next, if the shard is the dispatcher's. */
export async function freshEvents(client: Queryable, shard: number, dispatcher: string): Promise<FreshBatch> {
  type FreshRow = FreshEvent & { readonly subscriptions: string } & pg.QueryResultRow;
  const rows = await ask<FreshRow>(client, FRESH, [shard, dispatcher]);
  return { events: rows, subscriptions: rows[0]?.subscriptions ?? "" };
}

const PUBLISHED = statement(
  "published_events",
  `WITH fence AS MATERIALIZED (
    SELECT shard FROM cairn.outbox_shards WHERE shard = $1 AND holder = $2 FOR KEY SHARE
  ), marked AS (
    UPDATE cairn.outbox_events AS e SET passed = true, published_at = (SELECT cairn.now()) FROM fence
    WHERE e.id = ANY ($3::int8[])
  ) SELECT FROM fence`,
);

/** Everyone who wants these has them. False: the shard is another one's by now. */
export async function markPublished(
  client: Queryable,
  shard: number,
  dispatcher: string,
  events: readonly number[],
): Promise<boolean> {
  return (await ask(client, PUBLISHED, [shard, dispatcher, events])).length > 0;
}

/** What a subscription did not take. */
export interface NotTaken {
  readonly event: number;
  readonly subscription: number;
  /** 0: it was not tried. */
  readonly attempts: number;
  /** Until the next attempt; null: it was not tried and is due when its turn comes, or was, and is a dead letter. */
  readonly delayMs: number | null;
  readonly error: string | null;
}

const PASS = statement(
  "pass_events",
  "SELECT cairn.pass_events($1, $2, $3::int8[], $4::int8[], $5::int[], $6::int[], $7::float8[], $8::text[]) AS passed",
);

/** As `markPublished`, where not everyone has all. */
export async function passEvents(
  client: Queryable,
  shard: number,
  dispatcher: string,
  events: readonly number[],
  notTaken: readonly NotTaken[],
): Promise<boolean> {
  const waiting = columns(notTaken, ["event", "subscription", "attempts", "delayMs", "error"]);
  const rows = await ask<{ passed: boolean }>(client, PASS, [shard, dispatcher, events, ...waiting]);
  return rows[0]!.passed;
}

/** An event that waits for a subscription. */
export interface WaitingEvent extends OutboxEvent {
  readonly attempts: number;
}

const DUE = statement(
  "due_backlog",
  `SELECT ${EVENT}, w.attempts FROM (
    SELECT b.event_id, b.attempts, head.turn FROM (
      SELECT b.run_id, row_number() OVER (ORDER BY b.next_at) AS turn FROM cairn.outbox_shards AS s CROSS JOIN LATERAL (
        SELECT b.run_id, b.next_at FROM cairn.outbox_backlog AS b
        WHERE b.shard = s.shard AND b.subscription = $3 AND b.next_at <= (SELECT cairn.now()) ORDER BY b.next_at LIMIT $4
      ) AS b WHERE s.shard = $1 AND s.holder = $2
    ) AS head CROSS JOIN LATERAL (
      SELECT b.event_id, b.attempts FROM cairn.outbox_backlog AS b
      WHERE b.subscription = $3 AND b.run_id = head.run_id AND b.dead_at IS NULL ORDER BY b.event_id - 0 LIMIT $4
    ) AS b ORDER BY head.turn, b.event_id LIMIT $4
  ) AS w JOIN cairn.outbox_events AS e ON e.id = w.event_id ORDER BY w.turn, w.event_id`,
);

/**
 * Of the runs whose turn it is, what waits for the subscription, in the order of each run. Limited as a whole: where a run has more,
 * the rest is due when this is settled.
 */
export function dueBacklog(
  client: Queryable,
  shard: number,
  dispatcher: string,
  subscription: number,
  limit: number,
): Promise<WaitingEvent[]> {
  return ask<WaitingEvent & pg.QueryResultRow>(client, DUE, [shard, dispatcher, subscription, limit]);
}

/** One that was not taken once more. */
export interface RefusedAgain {
  readonly event: number;
  /** Whether this counts as an attempt: 1, or 0. */
  readonly counted: number;
  /** Until the next one; null: never, by itself. */
  readonly delayMs: number | null;
  readonly error: string | null;
}

const SETTLE = statement(
  "settle_backlog",
  "SELECT cairn.settle_backlog($1, $2, $3, $4::int8[], $5::int8[], $6::int[], $7::float8[], $8::text[]) AS settled",
);

export async function settleBacklog(
  client: Queryable,
  shard: number,
  dispatcher: string,
  subscription: number,
  taken: readonly number[],
  refused: readonly RefusedAgain[],
): Promise<boolean> {
  const again = columns(refused, ["event", "counted", "delayMs", "error"]);
  const values = [shard, dispatcher, subscription, taken, ...again];
  return (await ask<{ settled: boolean }>(client, SETTLE, values))[0]!.settled;
}

const LOOK = statement(
  "look_at_outbox",
  `SELECT s.shard, ${SUBSCRIPTIONS_STATE} AS subscriptions,
    (SELECT e.id FROM cairn.outbox_events AS e WHERE e.shard = s.shard AND NOT e.passed AND e.published_at IS NULL ORDER BY e.id - 0 LIMIT 1) IS NOT NULL
      AS fresh,
    ARRAY(SELECT u.id FROM unnest($2::int[]) AS u (id) WHERE (
      SELECT true FROM cairn.outbox_backlog AS b
      WHERE b.shard = s.shard AND b.subscription = u.id AND b.next_at <= clock.moment LIMIT 1
    )) AS due
  FROM (SELECT cairn.now() AS moment) AS clock, cairn.outbox_shards AS s WHERE s.holder = $1`,
);

/** What there is to do in a shard. */
export interface ShardLook {
  readonly shard: number;
  readonly subscriptions: string;
  /** Whether there are events that nobody was offered. */
  readonly fresh: boolean;
  /** Subscriptions for which something waits that is due. */
  readonly due: readonly number[];
}

/** Of all shards of a dispatcher, in one statement. */
export function lookAtOutbox(
  client: Queryable,
  dispatcher: string,
  subscriptions: readonly number[],
): Promise<ShardLook[]> {
  return ask<ShardLook & pg.QueryResultRow>(client, LOOK, [dispatcher, subscriptions]);
}

const LEASE = statement("lease_shards", "SELECT shards, share FROM cairn.lease_shards($1, $2, $3)");
const RELEASE = statement(
  "release_shards",
  "UPDATE cairn.outbox_shards SET holder = NULL WHERE holder = $1 AND shard = ANY ($2::smallint[])",
);
const LEAVE = statement(
  "leave_outbox",
  `WITH left_dispatchers AS (DELETE FROM cairn.outbox_dispatchers WHERE id = $1)
  UPDATE cairn.outbox_shards SET holder = NULL WHERE holder = $1`,
);

export interface ShardLease {
  readonly shards: readonly number[];
  /** How many a dispatcher should have: whoever has more gives some back. */
  readonly share: number;
}

export async function leaseShards(
  client: Queryable,
  dispatcher: string,
  address: string,
  leaseMs: number,
): Promise<ShardLease> {
  return (await ask<ShardLease & pg.QueryResultRow>(client, LEASE, [dispatcher, address, leaseMs]))[0]!;
}

export async function releaseShards(client: Queryable, dispatcher: string, shards: readonly number[]): Promise<void> {
  await ask(client, RELEASE, [dispatcher, shards]);
}

/** A graceful end: others have its shards at once. */
export async function leaveOutbox(client: Queryable, dispatcher: string): Promise<void> {
  await ask(client, LEAVE, [dispatcher]);
}
