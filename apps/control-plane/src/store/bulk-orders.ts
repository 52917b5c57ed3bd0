import type { ErrorCode } from "@cairnjs/schemas";
import type { BulkAction } from "@cairnjs/schemas/rest";
import type pg from "pg";
import { ask, type Queryable, statement } from "./statement.ts";

/** Which runs a page of an order is for. */
export interface KeptOrder {
  readonly ids: readonly string[];
  /** Behind which run others may be. */
  readonly next: string | null;
}

const ORDER = "run_ids AS ids, next";
const FIND = statement("find_bulk_order", `SELECT ${ORDER} FROM cairn.bulk_orders WHERE key = $1`);

export async function findOrder(client: Queryable, key: string): Promise<KeptOrder | undefined> {
  return (await ask<KeptOrder & pg.QueryResultRow>(client, FIND, [key]))[0];
}

const KEEP = statement(
  "keep_bulk_order",
  `INSERT INTO cairn.bulk_orders (key, run_ids, next, given_at)
  VALUES ($1, $2::uuid[], $3, cairn.now())
  ON CONFLICT (key) DO UPDATE SET key = excluded.key RETURNING ${ORDER}`,
);

/** The order that was kept under this key before, or this one from now on. */
export async function keepOrder(client: Queryable, key: string, order: KeptOrder): Promise<KeptOrder> {
  return (await ask<KeptOrder & pg.QueryResultRow>(client, KEEP, [key, order.ids, order.next]))[0]!;
}

export interface BulkOrder {
  /** That of an order that is kept; null: it is not. */
  readonly key: string | null;
  readonly ids: readonly string[];
  readonly action: BulkAction;
  readonly reason: string | null;
  /** Of a signal, and its value as it is stored. */
  readonly name: string | null;
  readonly value: string | null;
  /** Those that are held up now are not asked again. */
  readonly isLast: boolean;
}

/** A run that refuses an order. */
export interface RefusingRun {
  readonly id: string;
  readonly code: ErrorCode;
  /** Null: there is no such run. */
  readonly status: string | null;
  /** If the database says it. */
  readonly detail: string | null;
}

const CARRY_OUT = statement(
  "order_runs",
  "SELECT id, code, status, detail FROM cairn.order_runs($1, $2::uuid[], $3, $4, $5, $6::text::json, $7)",
);

/** In one transaction: all of it, or nothing. Returns those that refuse it, in the order of the ids. */
export function orderRuns(client: Queryable, order: BulkOrder): Promise<RefusingRun[]> {
  const { key, ids, action, reason, name, value, isLast } = order;
  return ask<RefusingRun & pg.QueryResultRow>(client, CARRY_OUT, [key, ids, action, reason, name, value, isLast]);
}

/** Those that would refuse an order, by why. */
export interface WouldRefuse {
  readonly code: ErrorCode;
  readonly count: number;
  /** Some of them, the newest first. */
  readonly ids: string[];
  /** Of the first. */
  readonly status: string;
}

const WOULD_REFUSE = statement(
  "would_refuse",
  `SELECT w.code, count(*)::int AS count, (array_agg(w.id ORDER BY w.id DESC))[1:$3] AS ids,
    (array_agg(w.status ORDER BY w.id DESC))[1] AS status
  FROM (SELECT r.id, r.status, cairn.refusal_of($2, r.status, r.deleted_at) AS code
    FROM cairn.runs AS r WHERE r.id = ANY ($1::uuid[])) AS w
  WHERE w.code IS NOT NULL GROUP BY w.code ORDER BY w.code`,
);

/** As far as the states of the runs tell it now. */
export function wouldRefuse(
  client: Queryable,
  action: BulkAction,
  ids: readonly string[],
  shown: number,
): Promise<WouldRefuse[]> {
  return ask<WouldRefuse & pg.QueryResultRow>(client, WOULD_REFUSE, [ids, action, shown]);
}

const FORGET = statement(
  "forget_bulk_orders",
  "DELETE FROM cairn.bulk_orders WHERE given_at < (SELECT cairn.now() - interval '12 hours')",
);

export async function forgetBulkOrders(client: Queryable): Promise<void> {
  await ask(client, FORGET);
}
