import type pg from "pg";
import { ask, columns, type Queryable, statement } from "./statement.ts";

/** A chunk of a try, to be seen by those who watch its run. */
export interface NewChunk {
  readonly incarnation: string;
  readonly namespace: string;
  readonly runId: string;
  readonly call: string;
  readonly attempt: number;
  readonly number: number;
  /** Encoded. */
  readonly value: string;
}

/** In the order of the key: two who write the same chunks wait for each other, and never in a circle. */
const WRITE = statement(
  "write_chunks",
  `WITH given AS MATERIALIZED (
    SELECT * FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::int[], $6::int[], $7::text[])
      AS c (incarnation, namespace, run_id, call, attempt, number, value)
  ), living AS MATERIALIZED (
    SELECT s.* FROM (SELECT DISTINCT g.incarnation, g.namespace, g.run_id FROM given AS g) AS s
    WHERE s.incarnation = (SELECT i.id FROM cairn.incarnation AS i)
      AND EXISTS (SELECT FROM cairn.queue AS q WHERE q.run_id = s.run_id)
      AND EXISTS (SELECT FROM cairn.runs AS r WHERE r.id = s.run_id AND r.namespace = s.namespace)
  ), written AS (
    INSERT INTO cairn.stream_chunks (run_id, call, attempt, number, value, at)
    SELECT g.run_id, g.call, g.attempt, g.number, g.value::json, cairn.now() FROM given AS g
    JOIN living AS l ON l.run_id = g.run_id AND l.namespace = g.namespace AND l.incarnation = g.incarnation
    ORDER BY g.run_id, g.call, g.attempt, g.number
    ON CONFLICT DO NOTHING
  ) SELECT incarnation, namespace, run_id AS "runId" FROM living`,
);

/** Those that are there already stay as they are. Returns `runKey`s of the runs that live: chunks of others are not written. */
export async function writeChunks(client: Queryable, chunks: readonly NewChunk[]): Promise<Set<string>> {
  const values = columns(chunks, ["incarnation", "namespace", "runId", "call", "attempt", "number", "value"]);
  return new Set((await ask<RunOfChunk & pg.QueryResultRow>(client, WRITE, values)).map(runKey));
}

type RunOfChunk = Pick<NewChunk, "incarnation" | "namespace" | "runId">;

export function runKey({ incarnation, namespace, runId }: RunOfChunk): string {
  return `${incarnation}/${namespace}/${runId}`;
}

/** How far someone has seen what a call streams. */
export interface ChunkPosition {
  readonly call: string;
  readonly attempt: number;
  readonly number: number;
}

export interface WatchedRun {
  readonly runId: string;
  /** One for each call. */
  readonly seen: Iterable<ChunkPosition>;
}

export interface ChunkRow extends ChunkPosition {
  readonly value: string;
  readonly at: number;
}

/** Of one call, and of all runs together: 64 KB each at most. */
const OF_CALL_MAX = 250;
const ROWS_MAX = 500;

/**
 * The calls of a run are found by steps through the key, one probe each: what was seen of them before is not read again. (Asked for
 * by age, what two processes write at the same time would be missed: the one that has begun first may commit last.)
 */
const UNSEEN = `WITH RECURSIVE calls AS (
    SELECT w.ordinal, w.run_id, f.call FROM unnest($1::uuid[]) WITH ORDINALITY AS w (run_id, ordinal) CROSS JOIN LATERAL (
      SELECT c.call FROM cairn.stream_chunks AS c WHERE c.run_id = w.run_id ORDER BY c.call LIMIT 1) AS f
    UNION ALL
    SELECT k.ordinal, k.run_id, f.call FROM calls AS k CROSS JOIN LATERAL (
      SELECT c.call FROM cairn.stream_chunks AS c WHERE c.run_id = k.run_id AND c.call > k.call ORDER BY c.call LIMIT 1) AS f
  ) SELECT k.ordinal AS watcher, n.* FROM calls AS k
  LEFT JOIN unnest($2::int[], $3::text[], $4::int[], $5::int[]) AS seen (ordinal, call, attempt, number)
    ON seen.ordinal = k.ordinal AND seen.call = k.call
  CROSS JOIN LATERAL (
    SELECT c.call, c.attempt, c.number, c.value, c.at FROM cairn.stream_chunks AS c
    WHERE c.run_id = k.run_id AND c.call = k.call
      AND (c.attempt, c.number) > (coalesce(seen.attempt, 0), coalesce(seen.number, 0))
    ORDER BY c.attempt, c.number LIMIT ${OF_CALL_MAX} OFFSET 0
  ) AS n`;
const READ = statement("read_chunks", `${UNSEEN} LIMIT ${ROWS_MAX}`);
const HAS_MORE = statement("has_more_chunks", `SELECT EXISTS (${UNSEEN}) AS more`);

/** What was not seen yet, for each of those who watch, by attempt and number for each call; not all of it, if there is much. */
export async function readChunks(
  client: Queryable,
  watched: readonly WatchedRun[],
): Promise<{ readonly rows: readonly (readonly ChunkRow[])[]; readonly isCut: boolean }> {
  const rows: ChunkRow[][] = watched.map(() => []);
  const found = await ask<ChunkRow & { readonly watcher: number } & pg.QueryResultRow>(client, READ, valuesOf(watched));
  for (const { watcher, ...row } of found) rows[watcher - 1]!.push(row);
  return { rows, isCut: found.length === ROWS_MAX };
}

/** Whether there is something that was not seen yet. */
export async function hasUnseenChunks(client: Queryable, watched: WatchedRun): Promise<boolean> {
  return (await ask<{ more: boolean }>(client, HAS_MORE, valuesOf([watched])))[0]!.more;
}

function valuesOf(watched: readonly WatchedRun[]): unknown[] {
  const seen = watched.flatMap((each, index) =>
    Array.from(each.seen, (position) => ({ ordinal: index + 1, ...position })),
  );
  return [watched.map(({ runId }) => runId), ...columns(seen, ["ordinal", "call", "attempt", "number"])];
}

/** At one time: others wait for the connection. */
const SWEPT_MAX = 10_000;

const SWEEP = statement(
  "sweep_chunks",
  `DELETE FROM cairn.stream_chunks WHERE ctid = ANY (ARRAY(
    SELECT c.ctid FROM cairn.stream_chunks AS c WHERE c.at < cairn.now() - $1::float8 * interval '1 ms'
    ORDER BY c.at LIMIT ${SWEPT_MAX} FOR UPDATE SKIP LOCKED))`,
);

/** Whether their run lives or not: a call may stream for days. */
export async function sweepChunks(client: Queryable, keptMs: number): Promise<void> {
  await ask(client, SWEEP, [keptMs]);
}
