import type pg from "pg";
import { AUDIT_COLUMNS, type AuditRow } from "./audit-log.ts";
import type { EventRow } from "./list-events.ts";
import { INPUT_COLUMNS, INPUT_FAILED, type InputRow } from "./list-inputs.ts";
import type { AttemptRow } from "./load-attempts.ts";
import { ask, type Queryable, type Statement, statement } from "./statement.ts";

/** What something on the way of a run is, in the order in which those of the same time and input come. */
export const TIMELINE_SOURCES = ["audit", "failed", "succeeded", "input", "event"] as const;
export type TimelineSource = (typeof TIMELINE_SOURCES)[number];

/** Where it is: its id or number; of a try that came to nothing, which of its call. */
export interface TimelinePlace {
  readonly at: number;
  /** The input that it is, or comes with: so what came of an input is behind it, though both have the same time. */
  readonly input: number;
  readonly source: TimelineSource;
  readonly number: number;
  readonly call: string;
}

export interface TimelineLook {
  readonly sources: readonly TimelineSource[];
  readonly after: TimelinePlace | null;
  readonly newestFirst: boolean;
  readonly limit: number;
}

const rankOf = (source: TimelineSource): number => TIMELINE_SOURCES.indexOf(source);

/** Of a source that nobody wants, nothing is read. */
const part = (source: TimelineSource, columns: string, from: string): string =>
  `SELECT ${columns}, ${rankOf(source)} AS rank FROM ${from} AND ${rankOf(source)} = ANY ($3::int[])`;

/**
 * Times and numbers alone, of the rows of the run: no index has them by time, since each step would have to write it. With 100,000
 * inputs and as many events, a page took 100 to 150 ms.
 */
const places = (name: string, behind: string, direction: string): Statement =>
  statement(
    name,
    `SELECT at, input, rank, number, call FROM (
      ${part("audit", `at, 0 AS input, id AS number, '' AS call`, "cairn.audit_log WHERE (run_id = $1 OR run_ids @> ARRAY[$1::uuid]) AND namespace = $2")}
      UNION ALL ${part("event", "at, after_input, id, ''", "cairn.run_events WHERE run_id = $1")}
      UNION ALL ${part("input", "at, number, number, ''", "cairn.history WHERE run_id = $1")}
      UNION ALL ${part("succeeded", "at, number, number, ''", "cairn.history WHERE run_id = $1 AND kind = 'result' AND attempt IS NOT NULL")}
      UNION ALL ${part("failed", "ended_at, 0, attempt, call", "cairn.failed_attempts WHERE run_id = $1")}
    ) AS way
    WHERE $4::float8 IS NULL OR (at, input, rank, number, call) ${behind}
      (to_timestamp($4::float8 / 1000), $5::int, $6::int, $7::int8, $8::text)
    ORDER BY at ${direction}, input ${direction}, rank ${direction}, number ${direction}, call ${direction} LIMIT $9`,
  );
const OLDEST_FIRST = places("timeline_places", ">", "ASC");
const NEWEST_FIRST = places("timeline_places_backwards", "<", "DESC");

/** In the order of their times. */
export async function listPlaces(
  client: Queryable,
  run: { readonly id: string; readonly namespace: string },
  { sources, after, newestFirst, limit }: TimelineLook,
): Promise<TimelinePlace[]> {
  const behind =
    after === null
      ? [null, null, null, null, null]
      : [after.at, after.input, rankOf(after.source), after.number, after.call];
  const values = [run.id, run.namespace, sources.map(rankOf), ...behind, limit];
  const found = newestFirst ? NEWEST_FIRST : OLDEST_FIRST;
  const rows = await ask<Omit<TimelinePlace, "source"> & { readonly rank: number }>(client, found, values);
  return rows.map(({ rank, ...place }) => ({ ...place, source: TIMELINE_SOURCES[rank]! }));
}

const EVENTS = statement(
  "timeline_events",
  "SELECT id, kind, data, at FROM cairn.run_events WHERE run_id = $1 AND id = ANY ($2::int8[])",
);
const INPUTS = statement(
  "timeline_inputs",
  `SELECT ${INPUT_COLUMNS} FROM cairn.history AS h ${INPUT_FAILED} WHERE h.run_id = $1 AND h.number = ANY ($2::int[])`,
);
const AUDIT = statement(
  "timeline_audit",
  `SELECT ${AUDIT_COLUMNS} FROM cairn.audit_log WHERE namespace = $1 AND id = ANY ($2::int8[])`,
);
const SUCCEEDED = statement(
  "timeline_succeeded",
  `SELECT number, call, attempt, worker, started_at AS "startedAt", at AS "endedAt", 'succeeded' AS outcome, NULL AS error,
    NULL AS "retryAt"
  FROM cairn.history WHERE run_id = $1 AND number = ANY ($2::int[])`,
);
const FAILED = statement(
  "timeline_failed",
  `SELECT f.* FROM unnest($2::text[], $3::int[]) AS wanted (call, attempt) CROSS JOIN LATERAL (
    SELECT call, attempt, worker, started_at AS "startedAt", ended_at AS "endedAt", outcome, error, retry_at AS "retryAt"
    FROM cairn.failed_attempts AS t WHERE t.run_id = $1 AND t.call = wanted.call AND t.attempt = wanted.attempt OFFSET 0) AS f`,
);

/** What is at some places, by source. */
export interface TimelineRows {
  readonly audit: readonly AuditRow[];
  readonly events: readonly EventRow[];
  readonly inputs: readonly InputRow[];
  readonly succeeded: readonly (AttemptRow & { readonly number: number })[];
  readonly failed: readonly AttemptRow[];
}

export async function loadPlaces(
  client: Queryable,
  run: { readonly id: string; readonly namespace: string },
  wanted: readonly TimelinePlace[],
): Promise<TimelineRows> {
  const of = (source: TimelineSource): readonly TimelinePlace[] => wanted.filter((place) => place.source === source);
  const read = async <Row>(source: TimelineSource, how: Statement, first: string): Promise<Row[]> => {
    const numbers = of(source).map(({ number }) => number);
    return numbers.length === 0 ? [] : ask<Row & pg.QueryResultRow>(client, how, [first, numbers]);
  };
  const tries = of("failed");
  const [calls, numbers] = [tries.map(({ call }) => call), tries.map(({ number }) => number)];
  const [audit, events, inputs, succeeded, failed] = await Promise.all([
    read<AuditRow>("audit", AUDIT, run.namespace),
    read<EventRow>("event", EVENTS, run.id),
    read<InputRow>("input", INPUTS, run.id),
    read<AttemptRow & { readonly number: number }>("succeeded", SUCCEEDED, run.id),
    tries.length === 0 ? [] : ask<AttemptRow & pg.QueryResultRow>(client, FAILED, [run.id, calls, numbers]),
  ]);
  return { audit, events, inputs, succeeded, failed };
}
