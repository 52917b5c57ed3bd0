import { lengthOfTime } from "@cairnjs/schemas";
import type { Queryable } from "../store/statement.ts";
import { counted, type Finding, ok, warning } from "./finding.ts";

/** Of what those who watch are told. */

/** As control planes warn of it. */
const HELD_UP_MS = 5_000;

interface HolderRow {
  readonly what: string;
  readonly remedy: string;
  readonly age: number;
}

/** Whoever has the lock that each insert takes holds up what is behind its ids: `store/event-horizon.ts`. */
const HOLDERS = `WITH held AS (
    SELECT l.pid, l.virtualtransaction, bool_or(l.relation = 'cairn.run_events'::regclass) AS of_runs
    FROM pg_catalog.pg_locks AS l
    WHERE l.locktype = 'relation' AND l.relation IN ('cairn.run_events'::regclass, 'cairn.audit_log'::regclass)
      AND l.mode = 'RowExclusiveLock' AND l.granted
      AND l.database = (SELECT d.oid FROM pg_catalog.pg_database AS d WHERE d.datname = current_database())
    GROUP BY l.pid, l.virtualtransaction
  ),
  holders AS (
    SELECT format('process %s (%s), %s', a.pid, coalesce(nullif(a.application_name, ''), a.usename::text), a.state) AS what, h.of_runs,
      format('let it commit, or end it: SELECT pg_terminate_backend(%s)', a.pid) AS remedy, a.xact_start AS since
    FROM held AS h JOIN pg_catalog.pg_stat_activity AS a ON a.pid = h.pid
    UNION ALL
    SELECT format('prepared transaction %s', p.gid), h.of_runs, format('COMMIT PREPARED %L, or ROLLBACK PREPARED %1$L', p.gid), p.prepared
    FROM held AS h JOIN pg_catalog.pg_prepared_xacts AS p ON h.pid IS NULL AND h.virtualtransaction = '-1/' || p.transaction
  )
  SELECT what || CASE WHEN of_runs THEN '' ELSE ', of the audit log alone' END AS what, remedy,
    (extract(epoch FROM clock_timestamp() - since) * 1000)::float8 AS age
  FROM holders WHERE since <= clock_timestamp() - $1::float8 * interval '1 ms'
  ORDER BY age DESC LIMIT 20`;

export async function checkLive(client: Queryable, heldUpMs: number = HELD_UP_MS): Promise<Finding> {
  const { rows } = await client.query<HolderRow & Record<string, unknown>>(HOLDERS, [heldUpMs]);
  if (rows.length === 0) return ok("live", "Nothing holds up the events that others watch");
  const subject = `${counted(rows.length, "transaction")} with events open for more than ${lengthOfTime(heldUpMs)}`;
  return warning(
    "live",
    `${subject}: whoever watches is told nothing that happened since`,
    rows.map(({ what, remedy, age }) => `${what}: ${lengthOfTime(age)}; ${remedy}`),
  );
}
