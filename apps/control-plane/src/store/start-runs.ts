import { toldType } from "@cairnjs/schemas";
import type pg from "pg";
import { FENCE } from "./fence.ts";
import { FIRST_FORMAT } from "./format.ts";
import { ask, columns, type Queryable, type Statement, statement } from "./statement.ts";

/** A run to be started; what it says was checked. */
export interface NewRun {
  readonly id: string;
  readonly namespace: string;
  readonly type: string;
  readonly version: string;
  readonly pool: string;
  readonly priority: number;
  readonly payload: string;
  /** What is stored in its place: a reference to a blob, which is durable. */
  readonly payloadReference?: string | null;
  readonly maxAttempts: number;
  /** Milliseconds since the epoch, or null: now. */
  readonly runAt: number | null;
  readonly tags: readonly string[];
  readonly deadline: number | null;
  readonly idempotencyKey: string | null;
  /** SHA-256 of the payload, in hex. */
  readonly payloadDigest: string;
  readonly deadLetterType: string | null;
  /** The span of whoever starts it; null: nobody traces it. */
  readonly traceparent: string | null;
}

export interface StartedRun {
  readonly id: string;
  /** Of the queue: held if it belongs to the owner who started it. */
  readonly state: "ready" | "parked" | "held";
  readonly createdAt: number;
}

const COLUMNS = [
  "id",
  "namespace",
  "type",
  "version",
  "pool",
  "priority",
  "payload",
  "maxAttempts",
  "runAt",
  "tags",
  "deadline",
  "idempotencyKey",
  "payloadDigest",
  "deadLetterType",
  "traceparent",
] as const;

/** Someone's transaction may hold a key or an id for as long as it likes: whoever starts runs does not wait for it. */
const LOCK_TIMEOUT_MS = 200;

/** The type of event that tells of a start. */
export const CREATED = toldType("created");

/** Columns that only runs of schedules have. */
interface ScheduleColumns {
  readonly schedule: string;
  readonly scheduleId: string;
  readonly scheduledFor: string;
}

/**
 * Every start from here ends in these: runs that were `admitted`, with the columns of `wantedRuns`, when they are `due`, and who
 * owns them, if anybody does (`address`). `isTold` is an expression that says of a row whether others are told of it, if there are any.
 */
export function insertAdmitted({ schedule, scheduleId, scheduledFor }: ScheduleColumns, isTold: string | null): string {
  return `started AS (
    INSERT INTO cairn.runs (id, namespace, type, version, priority, payload, checked, max_attempts, run_at, tags,
      deadline, idempotency_key, dead_letter_type, traceparent, created_at, schedule, scheduled_for)
    SELECT id, namespace, type, version, priority, payload::json, true, max_attempts, due, tags::text[],
      to_timestamp(deadline / 1000), key, dead_letter_type, traceparent, moment, ${schedule}, ${scheduledFor} FROM admitted
  ),
  queued AS (
    INSERT INTO cairn.queue (run_id, pool, priority, state, ready_at, wake_at, owner, phase, started_at, calls_out, format,
      schedule)
    SELECT id, pool, priority,
      CASE WHEN due > moment THEN 'parked' WHEN owner IS NULL THEN 'ready' ELSE 'held' END,
      greatest(due, moment), CASE WHEN due > moment THEN due END, CASE WHEN due <= moment THEN owner END,
      CASE WHEN due > moment THEN 'sleeping' WHEN owner IS NULL THEN 'ready' ELSE 'running' END,
      CASE WHEN due <= moment AND owner IS NOT NULL THEN moment END, due <= moment AND owner IS NOT NULL,
      CASE WHEN due <= moment AND owner IS NOT NULL THEN written_format ELSE ${FIRST_FORMAT} END, ${scheduleId}
    FROM admitted RETURNING run_id, state
  ),
  created AS (
    INSERT INTO cairn.run_events (run_id, kind, data, at)
    SELECT id, 'created', CASE WHEN due <= moment AND owner IS NOT NULL THEN json_build_object('leasedBy', address) END, moment
    FROM admitted
  )${
    isTold === null
      ? ""
      : `, told AS (
    INSERT INTO cairn.outbox_events (namespace, run_id, type, data, traceparent, created_at)
    SELECT namespace, id, '${CREATED}', json_build_object('type', type, 'version', version, 'attempt', 1, 'lastError', NULL),
      cairn.run_span(traceparent, id), moment
    FROM admitted WHERE ${isTold}
  )`
  }`;
}

const TYPES = [
  "uuid",
  "text",
  "text",
  "text",
  "text",
  "int",
  "text",
  "int",
  "float8",
  "text",
  "float8",
  "text",
  "text",
  "text",
  "text",
];

/** Runs as rows: from parameters of which the first has this number. With columns before these, for what else is said of each. */
export function wantedRuns(first: number, before: Readonly<Record<string, string>> = {}): string {
  const types = [...Object.values(before), ...TYPES];
  const parameters = types.map((type, index) => `$${first + index}::${type}[]`);
  return `unnest(${parameters.join(", ")}) WITH ORDINALITY AS w (${Object.keys(before)
    .map((name) => `${name}, `)
    .join("")}id, namespace,
      type, version, pool, priority, payload, max_attempts, run_at, tags, deadline, key, digest, dead_letter_type,
      traceparent, ordinal)`;
}

/** What `wantedRuns` takes. */
export function runColumns(runs: readonly NewRun[]): string[] {
  const refers = runs.some(({ payloadReference }) => typeof payloadReference === "string");
  const rows = refers ? runs.map((run) => ({ ...run, payload: run.payloadReference ?? run.payload })) : runs;
  return columns(rows, COLUMNS);
}

const NO_SCHEDULE = { schedule: "NULL::text", scheduleId: "NULL::uuid", scheduledFor: "NULL::timestamptz" };

const startStatement = (name: string, isTold: string | null): Statement =>
  statement(
    name,
    `WITH ${FENCE},
  clock AS MATERIALIZED (SELECT cairn.now() AS moment, set_config('lock_timeout', '${LOCK_TIMEOUT_MS}', true)),
  wanted AS MATERIALIZED (
    SELECT w.*, coalesce(to_timestamp(w.run_at / 1000), clock.moment) AS due, clock.moment
    FROM clock, ${wantedRuns(2)}
    WHERE NOT EXISTS (SELECT FROM cairn.runs AS r WHERE r.id = w.id)
  ),
  keyed AS (
    INSERT INTO cairn.idempotency_keys (namespace, type, key, run_id, payload_digest)
    SELECT namespace, type, key, id, decode(digest, 'hex') FROM wanted WHERE key IS NOT NULL ORDER BY ordinal
    ON CONFLICT DO NOTHING RETURNING run_id
  ),
  admitted AS MATERIALIZED (
    SELECT w.*, fence.id AS owner, fence.address, fence.written_format FROM wanted AS w LEFT JOIN fence ON true WHERE w.key IS NULL
    UNION ALL
    SELECT w.*, fence.id, fence.address, fence.written_format FROM keyed JOIN wanted AS w ON w.id = keyed.run_id LEFT JOIN fence ON true
  ),
  ${insertAdmitted(NO_SCHEDULE, isTold)}
  SELECT run_id AS id, state, clock.moment AS "createdAt" FROM queued, clock`,
  );

const START = startStatement("start_runs", null);
/** One of its own: what nobody wants to know costs nothing. */
const START_TOLD = startStatement("start_told_runs", "namespace = ANY ($17::text[])");

/**
 * Starts runs in one transaction. The ones not among those returned were there before, by id or by key. (What was
 * inserted is not joined with what was wanted: joins of CTEs are nested loops, and took 100 µs a run in batches of 1,000.) With an owner
 * whose lease is alive, runs that are due are its own at once: no claim, no notification. `told`: namespaces in which someone wants to know.
 */
export function startRuns(
  client: Queryable,
  owner: string | null,
  runs: readonly NewRun[],
  told: readonly string[] = [],
): Promise<StartedRun[]> {
  const values = [owner, ...runColumns(runs)];
  if (told.length === 0) return ask<StartedRun & pg.QueryResultRow>(client, START, values);
  return ask<StartedRun & pg.QueryResultRow>(client, START_TOLD, [...values, told]);
}

export interface EarlierRun {
  readonly id: string;
  readonly namespace: string;
  readonly type: string;
  readonly payloadDigest: string;
}

const EARLIER = statement(
  "earlier_runs",
  `SELECT w.ordinal::int AS ordinal, r.id, r.namespace, r.type,
    encode(cairn.value_digest(r.payload), 'hex') AS "payloadDigest"
  FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS w (id, namespace, type, key, ordinal)
  LEFT JOIN cairn.idempotency_keys AS k ON k.namespace = w.namespace AND k.type = w.type AND k.key = w.key
  JOIN cairn.runs AS r ON r.id = coalesce(k.run_id, w.id)`,
);

/** Of runs that could not be started since there was one: which. */
export async function findEarlierRuns(client: Queryable, runs: readonly NewRun[]): Promise<(EarlierRun | undefined)[]> {
  const rows = await ask<EarlierRun & { ordinal: number } & pg.QueryResultRow>(
    client,
    EARLIER,
    columns(runs, ["id", "namespace", "type", "idempotencyKey"]),
  );
  const found = new Map(rows.map(({ ordinal, ...run }) => [ordinal, run]));
  return runs.map((_, index) => found.get(index + 1));
}

const PAYLOAD = statement("payload_of_run", "SELECT r.payload::text AS payload FROM cairn.runs AS r WHERE r.id = $1");

/** Its input as it is stored; null: it is not there any more. */
export async function storedPayload(client: Queryable, id: string): Promise<string | null> {
  return (await ask<{ payload: string }>(client, PAYLOAD, [id]))[0]?.payload ?? null;
}
