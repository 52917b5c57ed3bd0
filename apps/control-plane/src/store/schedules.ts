import type pg from "pg";
import { ask, type Queryable, type Statement, statement } from "./statement.ts";

/** Of firings that were missed: none, the last one, or all of them are started. */
export type CatchUp = "none" | "last" | "all";

/** Which one. */
export interface ScheduleKey {
  readonly namespace: string;
  readonly type: string;
  readonly name: string;
}

/** What people say of it; times are in milliseconds. */
export interface ScheduleSettings {
  readonly cron: string | null;
  readonly timeZone: string | null;
  readonly everyMs: number | null;
  readonly anchor: number | null;
  readonly jitterMs: number;
  /** In the tagged encoding. */
  readonly payload: string;
  readonly priority: number;
  readonly maxAttempts: number | null;
  readonly tags: readonly string[];
  readonly deadlineMs: number | null;
  readonly deadLetterType: string | null;
  readonly allowDuplicate: boolean;
  readonly catchUp: CatchUp;
}

export interface ScheduleRow extends ScheduleKey, ScheduleSettings {
  readonly id: string;
  /** Another one after each change. */
  readonly revision: number;
  readonly status: "active" | "paused";
  readonly pauseReason: string | null;
  readonly nextRunAt: number | null;
  readonly lastRunAt: number | null;
  readonly lastRunId: string | null;
  readonly lastDueAt: number | null;
  readonly fired: number;
  readonly skipped: number;
  readonly lastSkippedAt: number | null;
  readonly missed: number;
  readonly lastError: string | null;
  readonly lastErrorAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

const VIEW = `s.namespace, s.type, s.name, s.id, s.revision, s.cron, s.time_zone AS "timeZone", s.interval_ms AS "everyMs",
  s.anchor, s.jitter_ms AS "jitterMs", s.payload, s.priority, s.max_attempts AS "maxAttempts", s.tags,
  s.deadline_ms AS "deadlineMs", s.dead_letter_type AS "deadLetterType", s.allow_duplicate AS "allowDuplicate",
  s.catch_up AS "catchUp", s.status, s.pause_reason AS "pauseReason", s.next_run_at AS "nextRunAt",
  s.last_run_at AS "lastRunAt", s.last_run_id AS "lastRunId", s.last_due_at AS "lastDueAt", s.fired, s.skipped,
  s.last_skipped_at AS "lastSkippedAt", s.missed, s.last_error AS "lastError", s.last_error_at AS "lastErrorAt",
  s.created_at AS "createdAt", s.updated_at AS "updatedAt"`;

const KEY = "s.namespace = $1 AND s.type = $2 AND s.name = $3";

const FIND = statement(
  "find_schedule",
  `WITH clock AS MATERIALIZED (SELECT cairn.now() AS moment)
  SELECT clock.moment AS now, ${VIEW} FROM clock LEFT JOIN cairn.schedules AS s ON ${KEY}`,
);

/** With the time at which it was so. */
export async function findSchedule(
  client: Queryable,
  { namespace, type, name }: ScheduleKey,
): Promise<{ readonly now: number; readonly schedule: ScheduleRow | null }> {
  const rows = await ask<{ now: number } & ScheduleRow>(client, FIND, [namespace, type, name]);
  const { now, ...schedule } = rows[0]!;
  return { now, schedule: schedule.id === null ? null : schedule };
}

export interface SchedulesFilter {
  readonly type: string | null;
  readonly status: ScheduleRow["status"] | null;
  /** Those that come after this one in the order of types and names. */
  readonly after: { readonly type: string; readonly name: string } | null;
  readonly backwards?: boolean;
  readonly limit: number;
}

const list = (name: string, behind: string, direction: string): Statement =>
  statement(
    name,
    `SELECT ${VIEW} FROM cairn.schedules AS s
    WHERE s.namespace = $1 AND ($2::text IS NULL OR s.type = $2) AND ($3::text IS NULL OR s.status = $3)
      AND ($4::text IS NULL OR (s.type, s.name) ${behind} ($4, $5::text))
    ORDER BY s.type ${direction}, s.name ${direction} LIMIT $6`,
  );
const LIST = list("list_schedules", ">", "ASC");
const LIST_BACKWARDS = list("list_schedules_backwards", "<", "DESC");

export function listSchedules(client: Queryable, namespace: string, filter: SchedulesFilter): Promise<ScheduleRow[]> {
  const { type, status, after, limit, backwards = false } = filter;
  const values = [namespace, type, status, after?.type ?? null, after?.name ?? null, limit];
  return ask<ScheduleRow & pg.QueryResultRow>(client, backwards ? LIST_BACKWARDS : LIST, values);
}

const SETTINGS: Readonly<Record<keyof ScheduleSettings, string>> = {
  cron: "cron",
  timeZone: "time_zone",
  everyMs: "interval_ms",
  anchor: "anchor",
  jitterMs: "jitter_ms",
  payload: "payload",
  priority: "priority",
  maxAttempts: "max_attempts",
  tags: "tags",
  deadlineMs: "deadline_ms",
  deadLetterType: "dead_letter_type",
  allowDuplicate: "allow_duplicate",
  catchUp: "catch_up",
};
const names = Object.values(SETTINGS);
/** Times come as milliseconds. */
const given = names.map((column, index) =>
  column === "anchor" ? `to_timestamp($${index + 8}::float8 / 1000)` : `$${index + 8}`,
);

const SAVE = statement(
  "save_schedule",
  `INSERT INTO cairn.schedules AS s (namespace, type, name, status, next_run_at, id, created_at, updated_at, ${names.join(", ")})
  SELECT $1, $2, $3, $4, to_timestamp($5::float8 / 1000), $6::uuid, clock.moment, clock.moment, ${given.join(", ")}
  FROM (SELECT cairn.now() AS moment) AS clock
  ON CONFLICT (namespace, type, name) DO UPDATE SET status = excluded.status, next_run_at = excluded.next_run_at,
    pause_reason = CASE WHEN excluded.status = 'paused' THEN s.pause_reason END, revision = s.revision + 1,
    updated_at = excluded.updated_at, ${names.map((column) => `${column} = excluded.${column}`).join(", ")}
  WHERE s.revision = $7::bigint
  RETURNING ${VIEW}`,
);

/** Written if it is what it was: null if somebody has changed it since. `id` is for one that is not there. */
export async function saveSchedule(
  client: Queryable,
  { namespace, type, name }: ScheduleKey,
  expected: { readonly id: string; readonly revision: number | null },
  settings: ScheduleSettings,
  { status, nextRunAt }: Pick<ScheduleRow, "status" | "nextRunAt">,
): Promise<ScheduleRow | null> {
  const said = Object.keys(SETTINGS).map((key) => settings[key as keyof ScheduleSettings]);
  const values = [namespace, type, name, status, nextRunAt, expected.id, expected.revision, ...said];
  return (await ask<ScheduleRow & pg.QueryResultRow>(client, SAVE, values))[0] ?? null;
}

const PAUSE = statement(
  "pause_schedule",
  `UPDATE cairn.schedules AS s SET status = 'paused', pause_reason = $4, next_run_at = NULL, revision = s.revision + 1,
    updated_at = cairn.now()
  WHERE ${KEY} RETURNING ${VIEW}`,
);

/** Null: there is none. */
export async function pauseSchedule(
  client: Queryable,
  { namespace, type, name }: ScheduleKey,
  reason: string | null,
): Promise<ScheduleRow | null> {
  return (await ask<ScheduleRow & pg.QueryResultRow>(client, PAUSE, [namespace, type, name, reason]))[0] ?? null;
}

const RESUME = statement(
  "resume_schedule",
  `UPDATE cairn.schedules AS s SET status = 'active', pause_reason = NULL, next_run_at = to_timestamp($3::float8 / 1000),
    revision = s.revision + 1, updated_at = cairn.now()
  WHERE s.id = $1 AND s.revision = $2 AND s.status = 'paused' RETURNING ${VIEW}`,
);

/** Null: it was changed since. */
export async function resumeSchedule(
  client: Queryable,
  { id, revision }: ScheduleRow,
  nextRunAt: number | null,
): Promise<ScheduleRow | null> {
  return (await ask<ScheduleRow & pg.QueryResultRow>(client, RESUME, [id, revision, nextRunAt]))[0] ?? null;
}

const DELETE = statement("delete_schedule", `DELETE FROM cairn.schedules AS s WHERE ${KEY}`);

/** Its runs stay. Whether there was one is for whoever has looked to say: it may be asked twice. */
export async function deleteSchedule(client: Queryable, { namespace, type, name }: ScheduleKey): Promise<void> {
  await ask(client, DELETE, [namespace, type, name]);
}

/** Schedules in a revision, by their ids. */
export type Revisions = ReadonlyMap<string, number>;

/** By the ids and revisions of those that are left to others. */
const isOurs = (ids: string, revisions: string): string =>
  `NOT EXISTS (SELECT FROM unnest(${ids}::uuid[], ${revisions}::bigint[]) AS u (id, revision) WHERE u.id = s.id AND u.revision = s.revision)`;

const NEXT = statement(
  "next_schedule",
  `SELECT cairn.now() AS now, (SELECT s.next_run_at FROM cairn.schedules AS s
    WHERE s.status = 'active' AND s.next_run_at IS NOT NULL AND ${isOurs("$1", "$2")} ORDER BY s.next_run_at LIMIT 1) AS "nextAt"`,
);

/** When the next one is due, of all namespaces, but for some. */
export async function nextSchedule(
  client: Queryable,
  others: Revisions,
): Promise<{ readonly now: number; readonly nextAt: number | null }> {
  const values = [[...others.keys()], [...others.values()]];
  return (await ask<{ now: number; nextAt: number | null }>(client, NEXT, values))[0]!;
}

const DUE = statement(
  "due_schedules",
  `SELECT ${VIEW} FROM cairn.schedules AS s
  WHERE s.status = 'active' AND s.next_run_at <= to_timestamp($1::float8 / 1000) AND ${isOurs("$3", "$4")}
  ORDER BY s.next_run_at LIMIT $2`,
);

/** Those that have waited longest, but for some. */
export function dueSchedules(client: Queryable, now: number, limit: number, others: Revisions): Promise<ScheduleRow[]> {
  const values = [now, limit, [...others.keys()], [...others.values()]];
  return ask<ScheduleRow & pg.QueryResultRow>(client, DUE, values);
}
