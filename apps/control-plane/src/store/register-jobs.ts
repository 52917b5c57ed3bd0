import { type NewVersion, ofOtherKind, otherKind } from "./register-version.ts";
import { ask, columns, type Queryable, statement } from "./statement.ts";

/** In one statement. */
const BATCH_MAX = 1_000;

/** An action that can be started, as a version of one call. */
export type RegisteredJob = Pick<NewVersion, "name" | "version" | "program" | "maxAttempts" | "leaseMs">;

/**
 * How often a job is tried is no part of its program, so it may change with the action, as its lease may: whoever registers
 * last decides, about leases only who says something of them. By name, in one order: two processes that register the same actions wait for each other, and nothing more.
 */
const REGISTER = statement(
  "register_jobs",
  `WITH given AS MATERIALIZED (
    SELECT * FROM unnest($2::text[], $3::text[], $4::text[], $5::int[], $6::int[])
      AS g (name, version, program, max_attempts, lease_ms)
  ), taken AS MATERIALIZED (
    SELECT g.name FROM given AS g WHERE EXISTS (${ofOtherKind("$1", "g.name", "'action'")})
  ), changed AS (
    UPDATE cairn.workflow_versions AS w SET max_attempts = g.max_attempts,
      lease_ms = CASE WHEN $7 THEN g.lease_ms ELSE w.lease_ms END FROM given AS g
    WHERE w.namespace = $1 AND w.name = g.name AND w.version = g.version AND w.kind = 'action'
      AND (w.max_attempts <> g.max_attempts OR ($7 AND w.lease_ms IS DISTINCT FROM g.lease_ms))
  ), inserted AS (
    INSERT INTO cairn.workflow_versions
      (namespace, name, version, kind, program_hash, program, max_attempts, tags, lease_ms, created_at)
    SELECT $1, g.name, g.version, 'action', g.version, g.program::json, g.max_attempts, '{}', g.lease_ms, cairn.now()
    FROM given AS g WHERE NOT EXISTS (SELECT FROM taken AS t WHERE t.name = g.name)
    ORDER BY g.name ON CONFLICT DO NOTHING RETURNING namespace, name, version
  ), made_current AS (
    INSERT INTO cairn.current_versions (namespace, name, version, since)
    SELECT namespace, name, version, cairn.now() FROM inserted ORDER BY name
    ON CONFLICT (namespace, name) DO UPDATE SET version = excluded.version, since = excluded.since
  )
  SELECT name FROM taken ORDER BY name`,
);

/** All that can be registered are; then it throws a VersionConflict if a name is that of a workflow. */
export async function registerJobs(
  client: Queryable,
  namespace: string,
  jobs: readonly RegisteredJob[],
): Promise<void> {
  const sorted = jobs.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const taken: string[] = [];
  for (let from = 0; from < sorted.length; from += BATCH_MAX) {
    const batch = sorted.slice(from, from + BATCH_MAX);
    const values = columns(batch, ["name", "version", "program", "maxAttempts", "leaseMs"]);
    const saysLease = batch.some(({ leaseMs }) => leaseMs !== undefined);
    const rows = await ask<{ name: string }>(client, REGISTER, [namespace, ...values, saysLease]);
    taken.push(...rows.map(({ name }) => name));
  }
  if (taken.length > 0) throw otherKind(taken[0]!, "action");
}
