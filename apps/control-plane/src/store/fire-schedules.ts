import type pg from "pg";
import { CREATED, insertAdmitted, type NewRun, runColumns, wantedRuns } from "./start-runs.ts";
import { ask, columns, type Queryable, statement } from "./statement.ts";

/** What was decided about a schedule that was in this revision. */
export interface Firing {
  readonly id: string;
  readonly revision: number;
  /** Whether runs start beside one that lives. */
  readonly allowDuplicate: boolean;
  /** Whether its time has come: then `nextAt` is the next one. Else somebody wants runs of it. */
  readonly advances: boolean;
  readonly nextAt: number | null;
  readonly missed: number;
  /** Why there are no runs. */
  readonly error: string | null;
}

export interface FiredRun extends NewRun {
  readonly scheduleId: string;
  /** Null: it has no due time. */
  readonly scheduledFor: number | null;
}

export interface Fired {
  readonly id: string;
  /** Those that were started. */
  readonly runIds: readonly string[];
  /** Since a run lived. */
  readonly skipped: number;
}

/** Somebody may hold the lock of a schedule: it is passed over. Nobody else's keys or ids are in the way. */
const LOCK_TIMEOUT_MS = 200;

const FIRE = statement(
  "fire_schedules",
  `WITH clock AS MATERIALIZED (SELECT cairn.now() AS moment, set_config('lock_timeout', '${LOCK_TIMEOUT_MS}', true)),
  locked AS MATERIALIZED (
    SELECT s.id AS schedule_id, s.namespace, s.type, s.name AS schedule, p.next_at, p.missed, p.error, p.advances, p.allows
    FROM unnest($1::uuid[], $2::bigint[], $3::boolean[], $4::boolean[], $5::float8[], $6::int[], $7::text[])
      AS p (id, revision, allows, advances, next_at, missed, error)
    JOIN cairn.schedules AS s ON s.id = p.id AND s.revision = p.revision
    FOR UPDATE OF s SKIP LOCKED
  ),
  wanted AS MATERIALIZED (
    SELECT w.*, coalesce(to_timestamp(w.run_at / 1000), clock.moment) AS due, clock.moment, l.allows, l.schedule,
      to_timestamp(w.for_ms / 1000) AS scheduled_for, NULL::uuid AS owner, NULL::text AS address,
      NULL::smallint AS written_format
    FROM clock, ${wantedRuns(8, { schedule_id: "uuid", for_ms: "float8" })} JOIN locked AS l ON l.schedule_id = w.schedule_id
    WHERE NOT EXISTS (SELECT FROM cairn.runs AS r WHERE r.id = w.id)
      AND NOT EXISTS (SELECT FROM cairn.runs AS r WHERE r.namespace = l.namespace AND r.type = l.type
        AND r.schedule = l.schedule AND r.scheduled_for = to_timestamp(w.for_ms / 1000))
  ),
  living AS MATERIALIZED (
    SELECT l.schedule_id, (SELECT q.run_id FROM cairn.queue AS q WHERE q.schedule = l.schedule_id LIMIT 1) AS run_id
    FROM locked AS l
  ),
  judged AS MATERIALIZED (
    SELECT w.*, w.allows OR (v.run_id IS NULL
      AND row_number() OVER (PARTITION BY w.schedule_id ORDER BY w.ordinal) = 1) AS goes, v.run_id AS living
    FROM wanted AS w JOIN living AS v ON v.schedule_id = w.schedule_id
  ),
  admitted AS MATERIALIZED (SELECT * FROM judged WHERE goes),
  ${insertAdmitted({ schedule: "schedule", scheduleId: "schedule_id", scheduledFor: "scheduled_for" }, `cairn.is_wanted(namespace, '${CREATED}')`)},
  counted AS MATERIALIZED (
    SELECT j.schedule_id, count(*) FILTER (WHERE j.goes) AS fired, array_agg(j.id) FILTER (WHERE j.goes) AS run_ids, count(*) FILTER (WHERE NOT j.goes) AS skipped,
      (array_agg(j.id ORDER BY j.ordinal DESC) FILTER (WHERE j.goes))[1] AS run_id,
      (array_agg(j.scheduled_for ORDER BY j.ordinal DESC) FILTER (WHERE j.goes))[1] AS scheduled_for,
      (array_agg(coalesce(j.living, j.id) ORDER BY j.ordinal))[1] AS in_the_way,
      min(j.scheduled_for) FILTER (WHERE NOT j.goes) AS first_skipped, max(j.scheduled_for) FILTER (WHERE NOT j.goes) AS last_skipped
    FROM judged AS j GROUP BY j.schedule_id
  ),
  skipped AS (
    INSERT INTO cairn.run_events (run_id, kind, data, at, after_input)
    SELECT c.in_the_way, 'skipped', json_build_object('schedule', l.schedule, 'count', c.skipped,
      'first', c.first_skipped, 'last', c.last_skipped), clock.moment, cairn.last_input(c.in_the_way)
    FROM clock, counted AS c JOIN locked AS l ON l.schedule_id = c.schedule_id WHERE c.skipped > 0 AND l.advances
  ),
  advanced AS (
    UPDATE cairn.schedules AS s SET revision = s.revision + 1,
      next_run_at = CASE WHEN l.advances THEN to_timestamp(l.next_at / 1000) ELSE s.next_run_at END,
      last_run_at = CASE WHEN c.fired > 0 THEN clock.moment ELSE s.last_run_at END,
      last_run_id = coalesce(c.run_id, s.last_run_id),
      last_due_at = CASE WHEN c.fired > 0 THEN c.scheduled_for ELSE s.last_due_at END,
      fired = s.fired + coalesce(c.fired, 0),
      skipped = s.skipped + CASE WHEN l.advances THEN coalesce(c.skipped, 0) ELSE 0 END,
      last_skipped_at = CASE WHEN l.advances THEN coalesce(c.last_skipped, s.last_skipped_at) ELSE s.last_skipped_at END,
      missed = s.missed + l.missed,
      last_error = CASE WHEN l.error IS NOT NULL THEN l.error WHEN c.fired > 0 THEN NULL ELSE s.last_error END,
      last_error_at = CASE WHEN l.error IS NOT NULL THEN clock.moment WHEN c.fired > 0 THEN NULL ELSE s.last_error_at END
    FROM clock, locked AS l LEFT JOIN counted AS c ON c.schedule_id = l.schedule_id WHERE s.id = l.schedule_id
  )
  SELECT l.schedule_id AS id, coalesce(c.run_ids, '{}') AS "runIds", coalesce(c.skipped, 0) AS skipped
  FROM locked AS l LEFT JOIN counted AS c ON c.schedule_id = l.schedule_id`,
);

const FIRING = ["id", "revision", "allowDuplicate", "advances", "nextAt", "missed", "error"] as const;

/**
 * Locks the schedules, judges whether runs of them live, starts the runs and moves the schedules on, in one transaction. Those
 * that somebody has changed, or is about to, are passed over, and are not among those returned. A due time that has a run
 * already gets no other one.
 */
export function fireSchedules(
  client: Queryable,
  firings: readonly Firing[],
  runs: readonly FiredRun[],
): Promise<Fired[]> {
  const values = [...columns(firings, FIRING), ...columns(runs, ["scheduleId", "scheduledFor"]), ...runColumns(runs)];
  return ask<Fired & pg.QueryResultRow>(client, FIRE, values);
}
