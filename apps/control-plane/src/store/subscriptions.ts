import type { NewSubscription, SubscriptionTarget } from "@cairnjs/schemas";
import type pg from "pg";
import { ask, type Queryable, statement } from "./statement.ts";

/** Who wants which events, and where, as a dispatcher needs it. */
export interface Subscription {
  readonly id: number;
  readonly namespace: string;
  readonly name: string;
  readonly types: readonly string[];
  readonly target: SubscriptionTarget;
  readonly maxAttempts: number;
  readonly timeoutMs: number;
  readonly backoffMs: number;
  readonly backoffMaxMs: number;
  readonly status: "active" | "paused";
  /** Another one after each change. */
  readonly revision: number;
}

/** What people see of one. Times are milliseconds since the epoch. */
export interface SubscriptionStatus extends Omit<Subscription, "id" | "revision"> {
  readonly pausedReason: string | null;
  /** Since when nothing was taken; null while it is well. */
  readonly failingSince: number | null;
  readonly lastError: string | null;
  readonly lastDeliveredAt: number | null;
  readonly delivered: number;
  /** Attempts that failed. */
  readonly refused: number;
  /** Events that wait for it, and those that it will not get by itself. */
  readonly waiting: number;
  readonly dead: number;
  readonly createdAt: number;
  readonly changedAt: number;
}

type Row<T extends { target: SubscriptionTarget }> = Omit<T, "target"> & { target: string } & pg.QueryResultRow;

function parsed<T extends { target: SubscriptionTarget }>({ target, ...row }: Row<T>): T {
  return { ...row, target: JSON.parse(target) as SubscriptionTarget } as unknown as T;
}

const COLUMNS = `s.namespace, s.name, s.types, s.target, s.max_attempts AS "maxAttempts", s.timeout_ms AS "timeoutMs",
  s.backoff_ms AS "backoffMs", s.backoff_max_ms AS "backoffMaxMs", s.status`;

const ALL = statement("all_subscriptions", `SELECT s.id, s.revision, ${COLUMNS} FROM cairn.subscriptions AS s`);

/** Of all namespaces. */
export async function allSubscriptions(client: Queryable): Promise<Subscription[]> {
  return (await ask<Row<Subscription>>(client, ALL)).map((row) => parsed<Subscription>(row));
}

const PATTERNS = statement("event_patterns", "SELECT s.namespace, s.types FROM cairn.subscriptions AS s");

export function allPatterns(
  client: Queryable,
): Promise<{ readonly namespace: string; readonly types: readonly string[] }[]> {
  return ask(client, PATTERNS);
}

/**
 * Changes when any subscription does, as whoever asks sees them: what it sees beside it was written knowing the same ones.
 * (A sequence would not do: it moves before the change commits.)
 */
export const SUBSCRIPTIONS_STATE =
  "(SELECT count(*) || ':' || coalesce(sum(s.revision), 0) FROM cairn.subscriptions AS s)";

const UPSERT = statement(
  "upsert_subscription",
  `WITH clock AS MATERIALIZED (SELECT cairn.now() AS moment)
  INSERT INTO cairn.subscriptions AS s (namespace, name, types, target, max_attempts, timeout_ms, backoff_ms, backoff_max_ms,
    created_at, changed_at)
  SELECT $1, $2, $3::text[], $4::text::json, $5, $6, $7, $8, moment, moment FROM clock
  ON CONFLICT (namespace, name) DO UPDATE SET types = excluded.types, target = excluded.target,
    max_attempts = excluded.max_attempts, timeout_ms = excluded.timeout_ms, backoff_ms = excluded.backoff_ms,
    backoff_max_ms = excluded.backoff_max_ms, changed_at = excluded.changed_at, revision = nextval('cairn.subscription_changes'),
    failing_since = NULL, last_error = NULL`,
);

export type SubscriptionSettings = Required<NewSubscription>;

/** A pause that someone made stays. What was wrong need not be wrong any more. */
export async function upsertSubscription(
  client: Queryable,
  namespace: string,
  wanted: SubscriptionSettings,
): Promise<void> {
  const { name, types, target, maxAttempts, timeoutMs, backoffMs, backoffMaxMs } = wanted;
  const settings = [maxAttempts, timeoutMs, backoffMs, backoffMaxMs];
  await ask(client, UPSERT, [namespace, name, types, JSON.stringify(target), ...settings]);
}

const LIST = statement(
  "list_subscriptions",
  `SELECT ${COLUMNS}, s.paused_reason AS "pausedReason", s.failing_since AS "failingSince", s.last_error AS "lastError",
    s.last_delivered_at AS "lastDeliveredAt", s.delivered, s.refused, s.created_at AS "createdAt", s.changed_at AS "changedAt",
    (SELECT count(*) FROM cairn.outbox_backlog AS b WHERE b.subscription = s.id AND b.dead_at IS NULL) AS waiting,
    (SELECT count(*) FROM cairn.outbox_backlog AS b WHERE b.subscription = s.id AND b.dead_at IS NOT NULL) AS dead
  FROM cairn.subscriptions AS s WHERE s.namespace = $1 AND ($2::text IS NULL OR s.name = $2) ORDER BY s.name`,
);

export async function listSubscriptions(
  client: Queryable,
  namespace: string,
  name: string | null = null,
): Promise<SubscriptionStatus[]> {
  return (await ask<Row<SubscriptionStatus>>(client, LIST, [namespace, name])).map((row) =>
    parsed<SubscriptionStatus>(row),
  );
}

const PAUSE = statement(
  "pause_subscription",
  `UPDATE cairn.subscriptions SET status = 'paused', paused_reason = $3, revision = nextval('cairn.subscription_changes')
  WHERE namespace = $1 AND name = $2 AND ($4::bigint IS NULL OR revision = $4) RETURNING id`,
);
const RESUME = statement(
  "resume_subscription",
  `UPDATE cairn.subscriptions SET status = 'active', paused_reason = NULL, failing_since = NULL, last_error = NULL,
    revision = nextval('cairn.subscription_changes')
  WHERE namespace = $1 AND name = $2 RETURNING id`,
);
const DELETE = statement("delete_subscription", "SELECT cairn.delete_subscription($1, $2) AS deleted");

/** What it wants waits for it. False: there is none, in this revision if one is given. */
export async function pauseSubscription(
  client: Queryable,
  namespace: string,
  name: string,
  reason: string,
  revision: number | null = null,
): Promise<boolean> {
  return (await ask(client, PAUSE, [namespace, name, reason, revision])).length > 0;
}

export async function resumeSubscription(client: Queryable, namespace: string, name: string): Promise<boolean> {
  return (await ask(client, RESUME, [namespace, name])).length > 0;
}

export async function deleteSubscription(client: Queryable, namespace: string, name: string): Promise<boolean> {
  return (await ask<{ deleted: boolean }>(client, DELETE, [namespace, name]))[0]!.deleted;
}

const COUNT = statement(
  "count_deliveries",
  `UPDATE cairn.subscriptions AS s SET delivered = s.delivered + c.delivered, refused = s.refused + c.refused,
    last_delivered_at = CASE WHEN c.delivered > 0 THEN (SELECT cairn.now()) ELSE s.last_delivered_at END,
    failing_since = CASE WHEN c.error IS NULL THEN NULL ELSE coalesce(s.failing_since, (SELECT cairn.now())) END,
    last_error = coalesce(c.error, s.last_error)
  FROM unnest($1::int[], $2::int8[], $3::int8[], $4::text[]) AS c (id, delivered, refused, error) WHERE s.id = c.id`,
);

/** What was delivered since the last time, and what is wrong with a subscriber now. */
export interface DeliveryCount {
  readonly id: number;
  readonly delivered: number;
  readonly refused: number;
  /** Null: it is well. */
  readonly error: string | null;
}

export async function countDeliveries(client: Queryable, counts: readonly DeliveryCount[]): Promise<void> {
  await ask(client, COUNT, [
    counts.map(({ id }) => id),
    counts.map(({ delivered }) => delivered),
    counts.map(({ refused }) => refused),
    counts.map(({ error }) => error),
  ]);
}
