import type { TestBed } from "./test-engine.ts";

export interface ManyRuns {
  readonly count: number;
  /** They began in so many weeks before now, as many in each. */
  readonly weeks: number;
  readonly type: string;
  /** One in so many lives: parked, for something that does not come. The others ended an hour after they began. */
  readonly liveEvery?: number;
}

/** Of a number, with the time in front: a UUID of version 7. */
const ID = `(substr(t.ms, 1, 8) || '-' || substr(t.ms, 9, 4) || '-7' || substr(t.chance, 1, 3) || '-8' || substr(t.chance, 4, 3)
    || '-' || substr(t.chance, 7, 12))::uuid`;

/** Runs as if they had been, each with three inputs, a snapshot, a failed attempt and three events. */
export async function makeManyRuns(bed: TestBed, { count, weeks, type, liveEvery = 0 }: ManyRuns): Promise<void> {
  const live = liveEvery === 0 ? "false" : `i % ${liveEvery} = 0`;
  for (let week = weeks; week > 0; week--) {
    await bed.query(`CREATE TEMP TABLE made AS
      SELECT ${ID} AS id, t.at, t.live FROM (
        SELECT b.at, b.live, lpad(to_hex((extract(epoch FROM b.at) * 1000)::bigint), 12, '0') AS ms, md5('${type}/${week}/' || b.i) AS chance
        FROM (
          SELECT i, date_trunc('week', cairn.now() - interval '${week} weeks', 'UTC') + i * interval '1 week' / ${count / weeks} AS at,
            ${live} AS live
          FROM generate_series(0, ${count / weeks - 1}) AS i
        ) AS b
      ) AS t`);
    await bed.query(`INSERT INTO cairn.runs (id, namespace, type, version, status, payload, result, run_at, created_at, started_at, ended_at,
        idempotency_key)
      SELECT id, 'default', '${type}', 'v', CASE WHEN live THEN 'pending' ELSE 'succeeded' END, '{"order":17}',
        CASE WHEN NOT live THEN '{"paid":true}'::json END, at, at, at, CASE WHEN NOT live THEN at + interval '1 hour' END, NULL
      FROM made`);
    await bed.query(`INSERT INTO cairn.queue (run_id, pool, priority, state, ready_at, phase, started_at)
      SELECT id, 'default:*', 0, 'parked', at, 'waiting', at FROM made WHERE live`);
    await bed.query(`INSERT INTO cairn.history (run_id, number, kind, call, node, value, at, digest, attempt, action, worker, started_at)
      SELECT id, n, CASE n WHEN 1 THEN 'start' ELSE 'result' END, n || '.0', 'checkout/charge', '{"amount":1200,"currency":"EUR"}', at,
        '\\x0102030405060708', 1, 'charge', 'host:1', at
      FROM made, generate_series(1, 3) AS n`);
    await bed.query(`INSERT INTO cairn.snapshots (run_id, number, base, bytes, open)
      SELECT id, 3, 3, decode(repeat(md5(id::text), 8), 'hex'), '[]' FROM made`);
    await bed.query(`INSERT INTO cairn.failed_attempts (run_id, call, attempt, node, action, started_at, ended_at, outcome)
      SELECT id, '2.0', 1, 'checkout/charge', 'charge', at, at, 'failed' FROM made WHERE id::text LIKE '%0'`);
    await bed.query(`INSERT INTO cairn.run_events (run_id, kind, data, at)
      SELECT id, kind, '{"leasedBy":"host:1"}', at FROM made, unnest(ARRAY['created', 'started', 'succeeded']) AS kind`);
    await bed.query("DROP TABLE made");
  }
  await bed.query("VACUUM ANALYZE cairn.runs");
}

/** Partitions of weeks that have passed. */
export async function makePastPartitions(bed: TestBed, weeks: number): Promise<void> {
  const passed = "UPDATE cairn.test_clock SET passed = passed + $1 * interval '1 week'";
  await bed.query(passed, -weeks);
  await bed.query(`SELECT cairn.create_partitions(cairn.now() + interval '${weeks + 1} weeks')`);
  await bed.query(passed, weeks);
}

/** Of all that is stored of runs for which something is so: it is the same if nothing has changed. */
export async function digestOf(bed: TestBed, which: string): Promise<string> {
  const tables = ["runs", "history", "snapshots", "failed_attempts", "run_events", "queue"];
  const digests = tables.map(
    (
      table,
    ) => `SELECT '${table}' AS name, count(*) AS count, md5(string_agg(md5(t::text), '' ORDER BY md5(t::text))) AS digest
      FROM cairn.${table} AS t WHERE ${table === "runs" ? "t.id" : "t.run_id"} IN (SELECT r.id FROM cairn.runs AS r WHERE ${which})`,
  );
  return JSON.stringify(await bed.query(`${digests.join(" UNION ALL ")} ORDER BY 1`));
}

export async function sizeOf(bed: TestBed): Promise<number> {
  return Number((await bed.query<{ size: string }>("SELECT pg_database_size(current_database()) AS size"))[0]!.size);
}
