import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { digestOf, makeManyRuns, makePastPartitions } from "../support/many-runs.ts";
import { testBed } from "../support/test-engine.ts";

const LIVE = "EXISTS (SELECT FROM cairn.queue AS q WHERE q.run_id = r.id)";
const CRASHES = 25;
/** Between two of them at most. The whole takes longer. */
const LATEST_MS = 150;

it(`whoever is interrupted ${CRASHES} times, wherever that is, has removed what is over in the end, and nothing else`, async () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const bed = await testBed();
  await makePastPartitions(bed, 7);
  await makeManyRuns(bed, { count: 3_600, weeks: 6, type: "old.order.v1", liveEvery: 20 });
  await bed.query(`UPDATE cairn.runs SET deleted_at = ended_at WHERE id::text LIKE '%1' AND ended_at IS NOT NULL`);
  const cutoff = "cairn.id_from_time(date_trunc('week', cairn.now() - interval '8 days', 'UTC'))";
  const staying = `${LIVE} OR r.id >= ${cutoff}`;
  const retention = { runs: "8d", events: "8d", deleted: "forever", run: false };
  const cairn = await bed.open({ onWarning: () => {}, retention });
  const before = await digestOf(bed, staying);
  const random = mulberry(seed);
  let interrupted = 0;
  for (let crash = 0; crash < CRASHES; crash++) {
    const passing = cairn.retention.run().then(
      () => "done",
      () => "interrupted",
    );
    let outcome: string | undefined;
    while (outcome === undefined) {
      // As if its process were gone: its session ends, with whatever it was doing.
      outcome = await Promise.race([passing, delay(random() * LATEST_MS, undefined)]);
      await bed.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = 'cairn maintenance' AND datname = current_database()`,
      );
    }
    if (outcome === "interrupted") interrupted += 1;
    // The lease of one that is gone has run out.
    await bed.query("UPDATE cairn.maintenance SET expires_at = '-infinity'");
  }
  await cairn.retention.run();
  expect(interrupted, `seed ${seed}`).toBeGreaterThan(5);
  expect(await digestOf(bed, staying), `seed ${seed}`).toBe(before);
  expect(await bed.query(`SELECT FROM cairn.runs AS r WHERE NOT (${staying})`)).toEqual([]);
  for (const table of ["history", "snapshots", "failed_attempts", "run_events"]) {
    const orphans = await bed.query(
      `SELECT FROM cairn.${table} AS t WHERE NOT EXISTS (SELECT FROM cairn.runs AS r WHERE r.id = t.run_id)`,
    );
    expect(orphans, `${table}, seed ${seed}`).toEqual([]);
  }
  expect(await bed.query("SELECT FROM pg_class WHERE relname ~ '_next_' AND relkind = 'r'")).toEqual([]);
  expect(await bed.query("SELECT FROM pg_trigger WHERE tgname ~ '^cairn_mirror'")).toEqual([]);
  expect(await bed.query("SELECT FROM cairn.retained_weeks WHERE removed <> 0")).toEqual([]);
});

function mulberry(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
