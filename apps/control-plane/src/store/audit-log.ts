import type pg from "pg";
import { beginningIn } from "../name-pattern.ts";
import { skipScan } from "./skip-scan.ts";
import { ask, columns, type Queryable, statement } from "./statement.ts";

/** Something that was done, or refused. */
export interface NewAuditEntry {
  readonly namespace: string;
  readonly who: string;
  /** Of the key that it was done with, if it was one: its name may be that of others. */
  readonly keyId: string | null;
  readonly action: string;
  readonly subject: string | null;
  readonly runId: string | null;
  /** Of what was done to many in one request. */
  readonly runIds?: readonly string[];
  /** As JSON. */
  readonly detail: string;
  readonly status: number;
  readonly via: "rest" | "grpc" | "direct";
  readonly address: string | null;
}

export interface AuditRow extends Omit<NewAuditEntry, "namespace" | "runIds"> {
  readonly id: number;
  readonly at: number;
}

const NAMES = [
  "namespace",
  "who",
  "keyId",
  "action",
  "subject",
  "runId",
  "runIds",
  "detail",
  "status",
  "via",
  "address",
] as const;

const WRITE = statement(
  "write_audit",
  `INSERT INTO cairn.audit_log (namespace, who, key_id, action, subject, run_id, run_ids, detail, status, via, address, at)
  SELECT e.namespace, e.who, e.key_id, e.action, e.subject, e.run_id, e.run_ids::uuid[], e.detail, e.status, e.via, e.address,
    (SELECT cairn.now())
  FROM unnest($1::text[], $2::text[], $3::uuid[], $4::text[], $5::text[], $6::uuid[], $7::text[], $8::json[], $9::smallint[],
    $10::text[], $11::text[]) AS e (namespace, who, key_id, action, subject, run_id, run_ids, detail, status, via, address)`,
);

export async function writeAudit(client: Queryable, entries: readonly NewAuditEntry[]): Promise<void> {
  await ask(client, WRITE, columns(entries, NAMES));
}

export const AUDIT_COLUMNS = `id, at, who, key_id AS "keyId", action, subject, run_id AS "runId", detail, status, via, address`;

/** Null: whatever it is. */
export interface AuditFilter {
  readonly who: string | null;
  /** Or a beginning, with a star. */
  readonly action: string | null;
  readonly runId: string | null;
  readonly since: Date | null;
  readonly until: Date | null;
  /** Behind this one, in the order that is wanted. */
  readonly after: number | null;
  readonly newestFirst: boolean;
  readonly limit: number;
}

/** Those who write at one time may number what they write the other way round. */
const ASIDE = "interval '1 minute'";

/** All that is of this time or later has a greater number than this, by the index of times: numbers are looked through from there. */
function before(time: string): string {
  return `coalesce((SELECT b.id FROM cairn.audit_log AS b WHERE b.namespace = $1 AND b.at < ${time} - ${ASIDE}
    ORDER BY b.at DESC LIMIT 1), 0)`;
}

/** And all that is earlier has a smaller one than this. */
function behind(time: string): string {
  return `coalesce((SELECT b.id FROM cairn.audit_log AS b WHERE b.namespace = $1 AND b.at >= ${time} + ${ASIDE}
    ORDER BY b.at LIMIT 1), 9223372036854775807)`;
}

/** The actions of a namespace: of each of them the next entries are found by an index. */
const ACTIONS = `WITH RECURSIVE ${skipScan("actions", "action", "cairn.audit_log", "t.namespace = $1")}`;

/** In the order of their numbers. */
export function listAudit(client: Queryable, namespace: string, filter: AuditFilter): Promise<AuditRow[]> {
  const { action, after, newestFirst, limit, who, runId, since, until } = filter;
  const values: unknown[] = [namespace, limit];
  const given = (value: unknown, sql: (parameter: string) => string): string[] =>
    value === null ? [] : [sql(`$${values.push(value)}`)];
  const beginning = action === null ? null : beginningIn(action);
  // What is known of a run is little, and has an index.
  const isByAction = runId === null && (who !== null || action !== null);
  const conditions = [
    "a.namespace = $1",
    ...given(who, (it) => `a.who = ${it}`),
    ...given(runId, (id) => `(a.run_id = ${id} OR a.run_ids @> ARRAY[${id}::uuid])`),
    ...given(since, (it) => `a.at >= ${it} AND a.id > ${before(`${it}::timestamptz`)}`),
    ...given(until, (it) => `a.at < ${it} AND a.id < ${behind(`${it}::timestamptz`)}`),
    ...given(after, (id) => `a.id ${newestFirst ? "<" : ">"} ${id}`),
  ];
  const isWanted = (column: string): string[] =>
    given(beginning ?? action, (it) => (beginning === null ? `${column} = ${it}` : `starts_with(${column}, ${it})`));
  const first = (wanted: readonly string[]): string =>
    `SELECT ${AUDIT_COLUMNS} FROM cairn.audit_log AS a WHERE ${wanted.join(" AND ")} ${order} LIMIT $2`;
  const order = `ORDER BY id ${newestFirst ? "DESC" : ""}`;
  const text = isByAction
    ? `${ACTIONS} SELECT found.* FROM actions AS k CROSS JOIN LATERAL (${first([...conditions, "a.action = k.action"])}) AS found
      WHERE ${["true", ...isWanted("k.action")].join(" AND ")} ${order} LIMIT $2`
    : first([...conditions, ...isWanted("a.action")]);
  return ask<AuditRow & pg.QueryResultRow>(client, { text }, values);
}

const READ = statement(
  "read_audit",
  `SELECT ${AUDIT_COLUMNS}, namespace FROM cairn.audit_log WHERE id > $1 AND id <= $2 ORDER BY id LIMIT $3`,
);

/** Of all namespaces, after one number and up to another. */
export function readAudit(
  client: Queryable,
  after: number,
  upTo: number,
  limit: number,
): Promise<(AuditRow & { readonly namespace: string })[]> {
  return ask<AuditRow & { readonly namespace: string } & pg.QueryResultRow>(client, READ, [after, upTo, limit]);
}

/** The kinds of what is written down in a namespace, without reading all of it. */
const KINDS = statement(
  "kinds_of_audit",
  `WITH RECURSIVE kinds AS (
    (SELECT namespace, action FROM cairn.audit_log ORDER BY namespace, action LIMIT 1)
    UNION ALL
    SELECT next.* FROM kinds AS k CROSS JOIN LATERAL (
      SELECT a.namespace, a.action FROM cairn.audit_log AS a
      WHERE (a.namespace, a.action) > (k.namespace, k.action) ORDER BY a.namespace, a.action LIMIT 1) AS next
  ) SELECT namespace, action FROM kinds`,
);

export function kindsOfAudit(client: Queryable): Promise<{ readonly namespace: string; readonly action: string }[]> {
  return ask(client, KINDS);
}

const SWEEP = statement(
  "sweep_audit",
  `WITH gone AS (
    DELETE FROM cairn.audit_log WHERE id = ANY (ARRAY(SELECT id FROM cairn.audit_log
      WHERE namespace = $1 AND action = $2 AND at < to_timestamp($3::float8 / 1000)
        AND id < ${behind("to_timestamp($3::float8 / 1000)")}
      ORDER BY id LIMIT $4)) RETURNING id
  ) SELECT count(*) AS count, cairn.note_removed('audit_log', max(id)) FROM gone`,
);

/** Of one kind, at most so many of those before a time. Returns how many. */
export async function removeAudit(
  client: Queryable,
  kind: { readonly namespace: string; readonly action: string },
  before: number,
  limit: number,
): Promise<number> {
  const values = [kind.namespace, kind.action, before, limit];
  return (await ask<{ count: number }>(client, SWEEP, values))[0]!.count;
}

/** How often something was done between two times, by who did it and when. */
export interface AuditCount {
  readonly who: string;
  readonly action: string;
  /** Which of the equal parts of the time, from 0. */
  readonly bucket: number;
  readonly done: number;
  readonly refused: number;
  readonly lastAt: number;
}

const COUNT = statement(
  "count_audit",
  `SELECT who, action, least(floor(extract(epoch FROM at - $2::timestamptz) * 1000 / $4::bigint), $5::int - 1)::int AS bucket,
    count(*) FILTER (WHERE status < 400)::int AS done, count(*) FILTER (WHERE status >= 400)::int AS refused,
    max(at) AS "lastAt"
  FROM cairn.audit_log WHERE namespace = $1 AND at >= $2 AND at < $3 GROUP BY 1, 2, 3`,
);

export function countAudit(
  client: Queryable,
  namespace: string,
  window: { readonly since: Date; readonly until: Date; readonly bucketMs: number; readonly buckets: number },
): Promise<AuditCount[]> {
  const { since, until, bucketMs, buckets } = window;
  return ask<AuditCount & pg.QueryResultRow>(client, COUNT, [namespace, since, until, bucketMs, buckets]);
}
