import type { LetterFilter, OUTBOX_STATES, OutboxFilter } from "@cairnjs/schemas";
import type pg from "pg";
import { ask, type Queryable, statement } from "./statement.ts";

type OutboxState = (typeof OUTBOX_STATES)[number];

/** An event of the outbox, as people see it. Times are milliseconds since the epoch. */
export interface OutboxEntry {
  readonly id: number;
  readonly runId: string;
  readonly type: string;
  readonly state: OutboxState;
  readonly createdAt: number;
  readonly publishedAt: number | null;
}

/** For whom an event waits. */
export interface OutboxDelivery {
  readonly subscription: string;
  readonly state: "waiting" | "dead";
  readonly attempts: number;
  readonly nextAt: number | null;
  readonly lastError: string | null;
  readonly deadAt: number | null;
}

const STATE = `CASE WHEN e.published_at IS NOT NULL THEN 'published' WHEN NOT e.passed THEN 'pending'
  WHEN EXISTS (SELECT FROM cairn.outbox_backlog AS b WHERE b.event_id = e.id AND b.dead_at IS NULL) THEN 'waiting' ELSE 'dead' END`;

const ENTRY = `e.id, e.run_id AS "runId", e.type, ${STATE} AS state, e.created_at AS "createdAt", e.published_at AS "publishedAt"`;

/** One way, or the other. */
const bothWays = (name: string, text: (behind: string, direction: string) => string) => ({
  newest: statement(name, text("<", "DESC")),
  oldest: statement(`${name}_backwards`, text(">", "ASC")),
});

const LIST = bothWays(
  "list_outbox",
  (behind, direction) => `SELECT * FROM (
    SELECT ${ENTRY} FROM cairn.outbox_events AS e
    WHERE e.namespace = $1 AND ($2::text IS NULL OR e.type = $2) AND ($3::uuid IS NULL OR e.run_id = $3)
      AND ($4::int8 IS NULL OR e.id ${behind} $4) AND ($5::text IS NULL OR EXISTS (
        SELECT FROM cairn.outbox_backlog AS b JOIN cairn.subscriptions AS s ON s.id = b.subscription
        WHERE b.event_id = e.id AND s.name = $5))
    ORDER BY e.id ${direction}
  ) AS entry WHERE $6::text IS NULL OR entry.state = $6 LIMIT $7`,
);

/** Those of a state that few have are found by what waits. */
const LIST_WAITING = bothWays(
  "list_outbox_backlog",
  (behind, direction) => `SELECT ${ENTRY} FROM cairn.outbox_events AS e WHERE e.id IN (
    SELECT b.event_id FROM cairn.outbox_backlog AS b JOIN cairn.subscriptions AS s ON s.id = b.subscription
    WHERE s.namespace = $1 AND ($5::text IS NULL OR s.name = $5) AND (b.dead_at IS NOT NULL) = ($6::text = 'dead')
  ) AND ($2::text IS NULL OR e.type = $2) AND ($3::uuid IS NULL OR e.run_id = $3) AND ($4::int8 IS NULL OR e.id ${behind} $4)
  ORDER BY e.id ${direction} LIMIT $7`,
);

/** The newest first, or the oldest: then `before` is the one behind which it goes on. */
export function listOutbox(
  client: Queryable,
  namespace: string,
  filter: OutboxFilter & { readonly limit: number; readonly oldestFirst?: boolean },
): Promise<OutboxEntry[]> {
  const { type = null, runId = null, before = null, subscription = null, state = null, limit } = filter;
  const ways = state === "waiting" || state === "dead" ? LIST_WAITING : LIST;
  const how = filter.oldestFirst === true ? ways.oldest : ways.newest;
  const values = [namespace, type, runId, before, subscription, state, limit];
  return ask<OutboxEntry & pg.QueryResultRow>(client, how, values);
}

const SHOW = statement(
  "show_outbox_event",
  `SELECT ${ENTRY}, e.data::text AS data FROM cairn.outbox_events AS e WHERE e.namespace = $1 AND e.id = $2`,
);
const DELIVERIES = statement(
  "deliveries_of_event",
  `SELECT s.name AS subscription, CASE WHEN b.dead_at IS NULL THEN 'waiting' ELSE 'dead' END AS state, b.attempts,
    b.next_at AS "nextAt", b.last_error AS "lastError", b.dead_at AS "deadAt"
  FROM cairn.outbox_backlog AS b JOIN cairn.subscriptions AS s ON s.id = b.subscription
  WHERE b.event_id = $1 ORDER BY s.name`,
);

export interface ShownEvent extends OutboxEntry {
  /** JSON. */
  readonly data: string;
  readonly deliveries: readonly OutboxDelivery[];
}

export async function showOutboxEvent(client: Queryable, namespace: string, id: number): Promise<ShownEvent | null> {
  const [found] = await ask<OutboxEntry & { readonly data: string } & pg.QueryResultRow>(client, SHOW, [namespace, id]);
  if (found === undefined) return null;
  return { ...found, deliveries: await ask<OutboxDelivery & pg.QueryResultRow>(client, DELIVERIES, [id]) };
}

/** At a time: the shards stand still meanwhile. */
const LETTERS_MAX = 1_000;

const DEAD = statement(
  "dead_letters",
  `SELECT b.event_id AS event, b.subscription FROM cairn.subscriptions AS s CROSS JOIN LATERAL (
    SELECT b.event_id, b.subscription FROM cairn.outbox_backlog AS b JOIN cairn.outbox_events AS e ON e.id = b.event_id
    WHERE b.subscription = s.id AND b.dead_at IS NOT NULL AND ($3::int8 IS NULL OR b.event_id = $3)
      AND ($4::text IS NULL OR e.type = $4) AND ($5::uuid IS NULL OR b.run_id = $5)
      AND (b.event_id, b.subscription) > ($6::int8, $7::int)
    ORDER BY b.event_id LIMIT ${LETTERS_MAX}
  ) AS b WHERE s.namespace = $1 AND ($2::text IS NULL OR s.name = $2) ORDER BY b.event_id, b.subscription LIMIT ${LETTERS_MAX}`,
);

const REDRIVE = statement("redrive_letters", "SELECT cairn.redrive_letters($1::int8[], $2::int[]) AS count");
const DISCARD = statement("discard_letters", "SELECT cairn.discard_letters($1::int8[], $2::int[]) AS count");

/** Dead letters are offered again, or given up for good. Returns how many. */
export async function changeLetters(
  client: Queryable,
  namespace: string,
  filter: LetterFilter,
  change: "redrive" | "discard",
): Promise<number> {
  const { subscription = null, id = null, type = null, runId = null } = filter;
  let behind = [0, 0];
  for (let count = 0; ;) {
    const values = [namespace, subscription, id, type, runId, ...behind];
    const letters = await ask<{ event: number; subscription: number }>(client, DEAD, values);
    if (letters.length === 0) return count;
    const named = [letters.map(({ event }) => event), letters.map((letter) => letter.subscription)];
    const how = change === "redrive" ? REDRIVE : DISCARD;
    count += (await ask<{ count: number }>(client, how, named))[0]!.count;
    const last = letters.at(-1)!;
    behind = [last.event, last.subscription];
  }
}

/** How the outbox stands. */
export interface OutboxStats {
  /** Events that were not offered yet, and since when the oldest waits. */
  readonly pending: number;
  readonly oldestPendingAt: number | null;
  /** Deliveries that wait, and those that are dead. */
  readonly waiting: number;
  readonly dead: number;
  /** Which process has how many of the shards of all namespaces. */
  readonly dispatchers: readonly { readonly address: string; readonly shards: number }[];
}

const PENDING = statement(
  "outbox_stats",
  `SELECT (SELECT count(*) FROM cairn.outbox_events AS e WHERE NOT e.passed AND e.published_at IS NULL AND e.namespace = $1) AS pending,
    (SELECT min(e.created_at) FROM cairn.outbox_events AS e WHERE NOT e.passed AND e.published_at IS NULL AND e.namespace = $1) AS "oldestPendingAt",
    (SELECT count(*) FROM cairn.subscriptions AS s JOIN cairn.outbox_backlog AS b ON b.subscription = s.id
      WHERE s.namespace = $1 AND b.dead_at IS NULL) AS waiting,
    (SELECT count(*) FROM cairn.subscriptions AS s JOIN cairn.outbox_backlog AS b ON b.subscription = s.id
      WHERE s.namespace = $1 AND b.dead_at IS NOT NULL) AS dead`,
);
const HOLDERS = statement(
  "outbox_holders",
  `SELECT d.address, (SELECT count(*) FROM cairn.outbox_shards AS s WHERE s.holder = d.id AND s.expires_at > clock.moment) AS shards
  FROM (SELECT cairn.now() AS moment) AS clock, cairn.outbox_dispatchers AS d WHERE d.expires_at > clock.moment ORDER BY 1, 2`,
);

export async function outboxStats(client: Queryable, namespace: string): Promise<OutboxStats> {
  const [counts] = await ask<Omit<OutboxStats, "dispatchers"> & pg.QueryResultRow>(client, PENDING, [namespace]);
  return { ...counts!, dispatchers: await ask<{ address: string; shards: number }>(client, HOLDERS) };
}
