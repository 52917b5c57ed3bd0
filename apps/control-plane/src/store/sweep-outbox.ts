import type pg from "pg";
import { ask, columns, type Queryable, statement } from "./statement.ts";

/** Types of events, by beginnings, and when those that are over were published at the latest; the first that is for a type counts. */
export interface OutboxKind {
  readonly namespace: string;
  readonly type: string;
}

/** The types among the next events, by their numbers: what is kept longer than others is passed over, page by page. */
const PAGE = statement(
  "outbox_page",
  `WITH page AS MATERIALIZED (
    SELECT e.id, e.namespace, e.type, e.created_at FROM cairn.outbox_events AS e WHERE e.id > $1 ORDER BY e.id LIMIT $2
  ) SELECT (SELECT max(id) FROM page) AS last, (SELECT max(created_at) FROM page) AS "createdAt",
    coalesce((SELECT json_agg(DISTINCT jsonb_build_object('namespace', namespace, 'type', type)) FROM page), '[]') AS kinds`,
);

export interface OutboxPage {
  /** Null: there are no more. */
  readonly last: number | null;
  /** Of the newest of them. */
  readonly createdAt: number | null;
  readonly kinds: readonly OutboxKind[];
}

export async function outboxPage(client: Queryable, after: number, limit: number): Promise<OutboxPage> {
  const [page] = await ask<OutboxPage & { kinds: string } & pg.QueryResultRow>(client, PAGE, [after, limit]);
  return { ...page!, kinds: JSON.parse(page!.kinds) as OutboxKind[] };
}

const SWEEP = statement(
  "sweep_outbox",
  `DELETE FROM cairn.outbox_events AS e USING unnest($3::text[], $4::text[], $5::float8[]) AS k (namespace, type, before)
  WHERE e.id > $1 AND e.id <= $2 AND e.namespace = k.namespace AND e.type = k.type
    AND e.published_at < to_timestamp(k.before / 1000)`,
);

/** Deletes events that were published before the times of their types, of those with numbers after one up to another. */
export async function sweepOutbox(
  client: Queryable,
  after: number,
  upTo: number,
  kinds: readonly (OutboxKind & { readonly before: number })[],
): Promise<number> {
  const { name, text } = SWEEP;
  const values = [after, upTo, ...columns(kinds, ["namespace", "type", "before"])];
  return (await client.query({ name, text, values })).rowCount ?? 0;
}
