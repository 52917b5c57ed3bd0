import type pg from "pg";
import { mailSizes } from "./mail.ts";
import { ask, type Queryable, type Statement, statement } from "./statement.ts";

/** What does not change while a run lives. */
export interface RunRow {
  readonly id: string;
  readonly namespace: string;
  readonly type: string;
  readonly version: string;
  readonly priority: number;
  readonly payload: string;
  readonly checked: boolean;
  readonly maxAttempts: number;
  readonly tags: readonly string[];
  readonly deadline: number | null;
  readonly parent: string | null;
  readonly parentCall: string | null;
  readonly deadLetterType: string | null;
  /** If it has not begun then, it never does. */
  readonly expiresAt: number | null;
  /** What it may not do, as JSON; null: it may do everything. */
  readonly effects: string | null;
  /** Of one that lives again and has not gone on yet: how it had ended. */
  readonly formerStatus: string | null;
  readonly forkedFrom: string | null;
  /** How many inputs the state had that it began with. */
  readonly forkedNumber: number | null;
  readonly deleted: boolean;
  /** The span of whoever has started it; null: nobody traces it. */
  readonly traceparent: string | null;
}

const RUNS = statement(
  "load_runs",
  `SELECT r.* FROM unnest($1::uuid[]) AS wanted (id) CROSS JOIN LATERAL (
    SELECT id, namespace, type, version, priority, payload, checked, max_attempts AS "maxAttempts", tags, deadline,
      parent, parent_call AS "parentCall", dead_letter_type AS "deadLetterType", expires_at AS "expiresAt", effects, former_status AS "formerStatus", forked_from AS "forkedFrom",
      forked_number AS "forkedNumber", deleted_at IS NOT NULL AS deleted, traceparent
    FROM cairn.runs WHERE runs.id = wanted.id OFFSET 0
  ) AS r`,
);

export function loadRuns(client: Queryable, ids: readonly string[]): Promise<RunRow[]> {
  return ask<RunRow & pg.QueryResultRow>(client, RUNS, [ids]);
}

const PAYLOAD_SIZES = statement(
  "payload_sizes",
  `SELECT wanted.id, r.bytes FROM unnest($1::uuid[]) AS wanted (id) CROSS JOIN LATERAL (
    SELECT cairn.value_bytes(payload) AS bytes FROM cairn.runs WHERE runs.id = wanted.id OFFSET 0
  ) AS r`,
);

const STATE_SIZES = statement(
  "state_sizes",
  `SELECT wanted.id, coalesce(s.bytes, 0) + coalesce(h.bytes, 0) AS bytes
  FROM unnest($1::uuid[]) AS wanted (id) CROSS JOIN LATERAL (
    SELECT max(number) AS number, sum(coalesce(part.blob_bytes, octet_length(part.bytes)) + cairn.value_bytes(part.open))::float8 AS bytes
    FROM cairn.snapshots AS part WHERE part.run_id = wanted.id AND part.number >= (
      SELECT newest.base FROM cairn.snapshots AS newest WHERE newest.run_id = wanted.id ORDER BY newest.number DESC LIMIT 1
    )
  ) AS s CROSS JOIN LATERAL (
    SELECT sum(cairn.value_bytes(value))::float8 AS bytes FROM cairn.history
    WHERE run_id = wanted.id AND number > coalesce(s.number, 0)
  ) AS h`,
);

/** What would be read to load runs with their mail, in bytes, by run: asked first, since there may be no room for it. */
export async function storedBytes(
  client: Queryable,
  runs: readonly { readonly id: string; readonly begun: boolean }[],
): Promise<Map<string, number>> {
  const begun = runs.filter((run) => run.begun);
  const sizesOf = (how: Statement, some: typeof runs): Promise<{ id: string; bytes: number }[]> =>
    ask(client, how, [some.map(({ id }) => id)]);
  const [payloads, states, mail] = await Promise.all([
    sizesOf(PAYLOAD_SIZES, runs),
    begun.length === 0 ? [] : sizesOf(STATE_SIZES, begun),
    mailSizes(
      client,
      runs.map(({ id }) => id),
    ),
  ]);
  const sizes = new Map(payloads.map(({ id, bytes }) => [id, bytes]));
  for (const { id, bytes } of [...states, ...mail]) sizes.set(id, bytes + (sizes.get(id) ?? 0));
  return sizes;
}

const CHILDREN = statement("live_children", "SELECT id FROM cairn.runs WHERE parent = $1 AND status = 'pending'");

export async function liveChildren(client: Queryable, parent: string): Promise<string[]> {
  return (await ask<{ id: string }>(client, CHILDREN, [parent])).map(({ id }) => id);
}

interface SnapshotAbout {
  readonly runId: string;
  readonly number: number;
  readonly base: number;
  readonly open: string;
}

export interface SnapshotRow extends SnapshotAbout {
  readonly bytes: Buffer;
}

/** Its bytes are here, or in the blob with this digest (in hex). */
export interface StoredSnapshot extends SnapshotAbout {
  readonly bytes: Buffer | null;
  readonly blob: string | null;
}

const SNAPSHOTS = statement(
  "load_snapshots",
  `SELECT s.* FROM unnest($1::uuid[], $2::int[]) AS wanted (id, number) CROSS JOIN LATERAL (
    SELECT run_id AS "runId", number, base, bytes, encode(blob, 'hex') AS blob, open FROM cairn.snapshots AS part
    WHERE part.run_id = wanted.id AND part.number <= wanted.number AND part.number >= (
      SELECT newest.base FROM cairn.snapshots AS newest
      WHERE newest.run_id = wanted.id AND newest.number <= wanted.number ORDER BY newest.number DESC LIMIT 1
    ) ORDER BY part.number OFFSET 0
  ) AS s`,
);

/** Of each run the parts of the newest snapshot at or before a number: the full one, then its deltas. */
export function loadSnapshots(
  client: Queryable,
  wanted: readonly { readonly id: string; readonly number: number }[],
): Promise<StoredSnapshot[]> {
  return ask<StoredSnapshot & pg.QueryResultRow>(client, SNAPSHOTS, [
    wanted.map(({ id }) => id),
    wanted.map(({ number }) => number),
  ]);
}

export type HistoryKind = "start" | "result" | "error" | "timer" | "signal" | "cancel" | "undo" | "rollback" | "fork";

/** No input has a higher number: that of the column's type. */
export const NUMBER_MAX = 2 ** 31 - 1;

export interface HistoryRow {
  readonly runId: string;
  readonly number: number;
  readonly kind: HistoryKind;
  readonly call: string | null;
  readonly node: string | null;
  readonly name: string | null;
  readonly value: string | null;
  readonly at: number;
  /** In hex. */
  readonly digest: string;
  /** Of a start or a result; null of others. */
  readonly attempt: number | null;
}

export const HISTORY_COLUMNS = `run_id AS "runId", number, kind, call, node, name, value, at, encode(digest, 'hex') AS digest,
    attempt`;

const HISTORY = statement(
  "load_history",
  `SELECT h.* FROM unnest($1::uuid[], $2::int[], $3::int[]) AS wanted (id, after, upto) CROSS JOIN LATERAL (
    SELECT ${HISTORY_COLUMNS}
    FROM cairn.history WHERE run_id = wanted.id AND number > wanted.after AND number <= wanted.upto
    ORDER BY number OFFSET 0
  ) AS h`,
);

/** Inputs after one number up to another, in their order. */
export function loadHistory(
  client: Queryable,
  wanted: readonly { readonly id: string; readonly after: number; readonly upTo: number }[],
): Promise<HistoryRow[]> {
  return ask<HistoryRow & pg.QueryResultRow>(client, HISTORY, [
    wanted.map(({ id }) => id),
    wanted.map(({ after }) => after),
    wanted.map(({ upTo }) => upTo),
  ]);
}

/** What is known of the tries of a call. */
export interface TriesRow {
  readonly runId: string;
  readonly call: string;
  /** The number of the last one. */
  readonly attempt: number;
  readonly failed: number;
  readonly lost: number;
  /** When the next is due, if the last one failed. */
  readonly retryAt: number | null;
}

const TRIES = statement(
  "load_tries",
  `SELECT t.* FROM unnest($1::uuid[], $2::text[], $3::int[]) AS wanted (id, call, after) CROSS JOIN LATERAL (
    SELECT wanted.id AS "runId", wanted.call, max(attempt) AS attempt,
      (count(*) FILTER (WHERE outcome = 'failed'))::int AS failed,
      (count(*) FILTER (WHERE outcome = 'lost'))::int AS lost,
      (array_agg(retry_at ORDER BY attempt DESC))[1] AS "retryAt"
    FROM cairn.failed_attempts AS a WHERE a.run_id = wanted.id AND a.call = wanted.call AND a.attempt > wanted.after OFFSET 0
  ) AS t WHERE t.attempt IS NOT NULL`,
);

/** Tries with a higher number than one of them, if there are any. */
export function loadTries(
  client: Queryable,
  calls: readonly { readonly runId: string; readonly call: string; readonly after: number }[],
): Promise<TriesRow[]> {
  return ask<TriesRow & pg.QueryResultRow>(client, TRIES, [
    calls.map(({ runId }) => runId),
    calls.map(({ call }) => call),
    calls.map(({ after }) => after),
  ]);
}
