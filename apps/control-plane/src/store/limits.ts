import type pg from "pg";
import { ask, type Queryable, statement } from "./statement.ts";

/** How the key of a call comes from its arguments; null: all calls have the same. */
export type LimitKey = { readonly path: string } | { readonly program: string };

/** What limits an action. */
export interface ActionLimits {
  /** Calls that are open at one time. */
  readonly concurrency: { readonly limit: number; readonly key: LimitKey | null } | null;
  /** Calls that begin within a length of time. */
  readonly rate: { readonly limit: number; readonly perMs: number; readonly key: LimitKey | null } | null;
}

export interface LimitedAction extends ActionLimits {
  readonly namespace: string;
  readonly action: string;
}

/** Writes nothing if they are as they were. */
const REGISTER = statement(
  "register_limits",
  `WITH changed AS (
    INSERT INTO cairn.action_limits AS l (namespace, action, concurrency, concurrency_key, rate, rate_ms, rate_key, changed_at)
    SELECT $1::text, $2::text, $3::int, $4::json, $5::int, $6::int8, $7::json, cairn.now()
    WHERE num_nonnulls($3, $5) > 0 OR EXISTS (SELECT FROM cairn.action_limits WHERE namespace = $1 AND action = $2)
    ON CONFLICT (namespace, action) DO UPDATE SET concurrency = excluded.concurrency,
      concurrency_key = excluded.concurrency_key, rate = excluded.rate, rate_ms = excluded.rate_ms,
      rate_key = excluded.rate_key, changed_at = excluded.changed_at
    WHERE (l.concurrency, l.concurrency_key::text, l.rate, l.rate_ms, l.rate_key::text) IS DISTINCT FROM
      (excluded.concurrency, excluded.concurrency_key::text, excluded.rate, excluded.rate_ms, excluded.rate_key::text)
    RETURNING 1
  ) SELECT nextval('cairn.limit_changes') FROM changed`,
);

/** Whoever registers last decides. Returns whether something has changed. */
export async function registerLimits(client: Queryable, limited: LimitedAction): Promise<boolean> {
  const { namespace, action, concurrency, rate } = limited;
  const rows = await ask(client, REGISTER, [
    namespace,
    action,
    concurrency?.limit ?? null,
    keyText(concurrency?.key),
    rate?.limit ?? null,
    rate?.perMs ?? null,
    keyText(rate?.key),
  ]);
  return rows.length > 0;
}

function keyText(key: LimitKey | null | undefined): string | null {
  return key === null || key === undefined ? null : JSON.stringify(key);
}

interface LimitsRow extends pg.QueryResultRow {
  readonly namespace: string;
  readonly action: string;
  readonly concurrency: number | null;
  readonly concurrencyKey: string | null;
  readonly rate: number | null;
  readonly rateMs: string | number | null;
  readonly rateKey: string | null;
}

const ALL = statement(
  "all_limits",
  `SELECT namespace, action, concurrency, concurrency_key::text AS "concurrencyKey", rate, rate_ms AS "rateMs",
    rate_key::text AS "rateKey" FROM cairn.action_limits`,
);

/** All that was ever limited, and how it is now. */
export async function allLimits(client: Queryable): Promise<LimitedAction[]> {
  return (await ask<LimitsRow>(client, ALL)).map((row) => ({
    namespace: row.namespace,
    action: row.action,
    concurrency: row.concurrency === null ? null : { limit: row.concurrency, key: keyOf(row.concurrencyKey) },
    rate: row.rate === null ? null : { limit: row.rate, perMs: Number(row.rateMs), key: keyOf(row.rateKey) },
  }));
}

function keyOf(text: string | null): LimitKey | null {
  return text === null ? null : (JSON.parse(text) as LimitKey);
}

/** Calls that share slots. */
export interface LimitGroup {
  readonly namespace: string;
  readonly action: string;
  readonly key: string;
}

export interface Granted {
  /** Calls of runs that the owner holds. To others a letter was sent. */
  readonly mine: readonly { readonly runId: string; readonly call: string; readonly attempt: number }[];
  /** How many in all. */
  readonly count: number;
  readonly lettersSent: boolean;
  /** When there is a token for those that wait. */
  readonly nextAt: number | null;
}

const GRANT = statement(
  "grant_calls",
  `SELECT g.run_id AS "runId", g.call, g.attempt, g.mine, g.next_at AS "nextAt" FROM cairn.grant_calls($1, $2, $3, $4) AS g`,
);

/** Hands out what is free. At most 1,000 calls at a time. */
export async function grantCalls(client: Queryable, owner: string, group: LimitGroup): Promise<Granted> {
  const rows = await ask<{
    runId: string | null;
    call: string;
    attempt: number;
    mine: boolean;
    nextAt: number | null;
  }>(client, GRANT, [owner, group.namespace, group.action, group.key]);
  const calls = rows.flatMap(({ runId, call, attempt, mine }) =>
    runId === null ? [] : [{ runId, call, attempt, mine }],
  );
  return {
    mine: calls.filter(({ mine }) => mine),
    count: calls.length,
    lettersSent: calls.some(({ mine }) => !mine),
    nextAt: rows.find(({ runId }) => runId === null)?.nextAt ?? null,
  };
}

/** What is stored of the limited calls of a run. */
export interface LimitedCall extends LimitGroup {
  readonly runId: string;
  readonly call: string;
  readonly attempt: number;
  readonly granted: boolean;
}

const OF_RUNS = statement(
  "limited_calls_of_runs",
  `SELECT w.run_id AS "runId", w.call, w.attempt, w.namespace, w.action, w.key, w.granted_at IS NOT NULL AS granted
  FROM unnest($1::uuid[]) AS wanted (id) CROSS JOIN LATERAL (
    SELECT w.* FROM cairn.limited_calls AS w WHERE w.run_id = wanted.id OFFSET 0
  ) AS w`,
);

export function limitedCallsOf(client: Queryable, runIds: readonly string[]): Promise<LimitedCall[]> {
  return ask<LimitedCall & pg.QueryResultRow>(client, OF_RUNS, [runIds]);
}

const NOBODY = "00000000-0000-0000-0000-000000000000";
/** Of those that are looked at in one sweep. */
const GROUPS_MAX = 500;

const GROUPS = statement(
  "groups_that_wait",
  `WITH RECURSIVE groups AS (
    (SELECT w.namespace, w.action, w.key FROM cairn.limited_calls AS w
     WHERE w.granted_at IS NULL AND (w.namespace, w.action, w.key) > ($1, $2, $3)
     ORDER BY w.namespace, w.action, w.key LIMIT 1)
    UNION ALL
    SELECT next.* FROM groups CROSS JOIN LATERAL (
      SELECT w.namespace, w.action, w.key FROM cairn.limited_calls AS w
      WHERE w.granted_at IS NULL AND (w.namespace, w.action, w.key) > (groups.namespace, groups.action, groups.key)
      ORDER BY w.namespace, w.action, w.key LIMIT 1
    ) AS next
  ) SELECT namespace, action, key FROM groups LIMIT ${GROUPS_MAX}`,
);

/** Grants that may have been told to nobody: whoever was to hear of them is gone. */
const REMIND = statement(
  "remind_of_grants",
  `WITH untold AS MATERIALIZED (
    SELECT w.run_id, w.call FROM cairn.limited_calls AS w
    WHERE w.granted_at IS NOT NULL AND NOT w.told AND w.granted_at < (SELECT cairn.now() - interval '10 s')
    ORDER BY w.granted_at LIMIT 1000 FOR UPDATE SKIP LOCKED
  ), told AS (
    UPDATE cairn.limited_calls AS w SET told = true FROM untold AS u WHERE w.run_id = u.run_id AND w.call = u.call
    RETURNING w.run_id, w.call, w.attempt
  ) INSERT INTO cairn.mailbox (run_id, kind, call, value, sent_at)
  SELECT t.run_id, 'granted', t.call, to_json(t.attempt), cairn.now() FROM told AS t
  WHERE EXISTS (SELECT FROM cairn.queue AS q WHERE q.run_id = t.run_id) RETURNING run_id`,
);

/** Of runs that are no more: a control plane of an earlier release ends runs, and knows nothing of slots. */
const DROP = statement(
  "drop_dead_slots",
  `DELETE FROM cairn.limited_calls AS w WHERE w.granted_at IS NOT NULL
  AND NOT EXISTS (SELECT FROM cairn.queue AS q WHERE q.run_id = w.run_id)`,
);

/** The first of all. */
export const FIRST_GROUP: LimitGroup = { namespace: "", action: "", key: "" };

/**
 * What nobody did who should have, since it went down: hands out what is free, of the groups behind one, and tells of grants
 * again. Returns where to go on the next time, and whether letters were sent.
 */
export async function sweepLimits(
  client: Queryable,
  behind: LimitGroup,
): Promise<{ readonly next: LimitGroup; readonly lettersSent: boolean }> {
  const { namespace, action, key } = behind;
  await ask(client, DROP);
  const groups = await ask<LimitGroup & pg.QueryResultRow>(client, GROUPS, [namespace, action, key]);
  let lettersSent = false;
  for (const group of groups) lettersSent = (await grantCalls(client, NOBODY, group)).lettersSent || lettersSent;
  lettersSent = (await ask(client, REMIND)).length > 0 || lettersSent;
  return { next: groups.length < GROUPS_MAX ? FIRST_GROUP : groups.at(-1)!, lettersSent };
}
