import { describe, expect, it } from "vitest";
import { digestOf, makeManyRuns, makePastPartitions, sizeOf } from "../support/many-runs.ts";
import { testBed, until } from "../support/test-engine.ts";
import { approved, sums } from "../workflows/basics.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
const LIVE = "EXISTS (SELECT FROM cairn.queue AS q WHERE q.run_id = r.id)";

describe("retention", () => {
  it("of 10,000 runs removes those that are over, gives back their space, and leaves live runs and others as they are", async () => {
    const bed = await testBed();
    await makePastPartitions(bed, 9);
    await bed.query("UPDATE cairn.test_clock SET passed = passed - interval '49 days'");
    const cairn = await bed.open({ onWarning: () => {}, retention: { runs: "21d" } });
    const waiting = await cairn.start(approved, undefined);
    await waiting.signal("approval", "first");
    await until(async () => (await waiting.status()).phase === "waiting");
    await bed.advance(49 * DAY_MS);
    await makeManyRuns(bed, { count: 8_000, weeks: 8, type: "old.order.v1", liveEvery: 40 });
    await makeManyRuns(bed, { count: 2_000, weeks: 8, type: "kept.order.v1" });
    await cairn.retention.set({ what: "runs", type: "kept.*", keep: "forever" });
    await cairn.retention.set({ what: "events", type: "*", keep: "forever" });
    // Of weeks that are over as a whole.
    const [cutoff] = await bed.query<{ id: string }>(
      "SELECT cairn.id_from_time(date_trunc('week', cairn.now() - interval '21 days', 'UTC')) AS id",
    );
    const staying = `${LIVE} OR r.type LIKE 'kept.%' OR r.id >= '${cutoff!.id}'`;
    const before = { digest: await digestOf(bed, staying), size: await sizeOf(bed) };
    const preview = await cairn.retention.preview();

    const done = await cairn.retention.run();

    expect(await bed.query(`SELECT FROM cairn.runs AS r WHERE NOT (${staying})`)).toEqual([]);
    expect(preview.types).toEqual([{ type: "old.order.v1", runs: done.runsRemoved, events: 0 }]);
    expect(done.runsRemoved).toBeGreaterThan(3_500);
    expect(done.partitionsRewritten).toBeGreaterThanOrEqual(4);
    expect(await digestOf(bed, staying)).toBe(before.digest);
    for (const table of ["history", "snapshots", "failed_attempts", "run_events"]) {
      const orphans = await bed.query(
        `SELECT FROM cairn.${table} AS t WHERE NOT EXISTS (SELECT FROM cairn.runs AS r WHERE r.id = t.run_id)`,
      );
      expect(orphans, table).toEqual([]);
    }
    expect(await sizeOf(bed)).toBeLessThan(before.size);
    await waiting.signal("approval", "second");
    expect(await waiting.result()).toEqual(["first", "second"]);
    expect(await (await cairn.start(sums, { n: 3 })).result()).toBe(6);
    expect((await cairn.retention.run()).runsRemoved).toBe(0);
  });

  it("of events alone rewrites the weeks whose events are over, and leaves runs and their history as they are", async () => {
    const bed = await testBed();
    await makePastPartitions(bed, 6);
    await makeManyRuns(bed, { count: 2_000, weeks: 4, type: "old.order.v1", liveEvery: 50 });
    const cairn = await bed.open({ onWarning: () => {}, retention: { events: "7d" } });
    const events = (which: string): Promise<{ count: string; digest: string }[]> =>
      bed.query(`SELECT count(*) AS count, md5(string_agg(md5(e::text), '' ORDER BY e.id)) AS digest FROM cairn.run_events AS e
        WHERE EXISTS (SELECT FROM cairn.runs AS r WHERE r.id = e.run_id AND ${which})`);
    const inputs = (): Promise<unknown[]> =>
      bed.query("SELECT md5(string_agg(md5(h::text), '' ORDER BY run_id, number)) FROM cairn.history AS h");
    const before = [await events(LIVE), await inputs()];
    const over = `NOT ${LIVE} AND r.id < cairn.id_from_time(date_trunc('week', cairn.now() - interval '7 days', 'UTC'))`;
    const count = Number((await events(over))[0]!.count);
    expect(count).toBeGreaterThan(2_000);
    expect(await cairn.retention.preview()).toMatchObject({ types: [{ runs: 0, events: count }] });
    const { partitionsRewritten, runsRemoved } = await cairn.retention.run();
    expect(partitionsRewritten).toBeGreaterThanOrEqual(2);
    expect(runsRemoved).toBe(0);
    expect(Number((await events(over))[0]!.count)).toBe(0);
    expect([await events(LIVE), await inputs()]).toEqual(before);
    // What ends later has events that are over: few of them, so nothing is rewritten for them.
    await bed.query("DELETE FROM cairn.queue");
    await bed.query("UPDATE cairn.runs SET status = 'cancelled', ended_at = cairn.now() WHERE status = 'pending'");
    await bed.query("UPDATE cairn.test_clock SET passed = passed + interval '8 days'");
    const again = await cairn.retention.run();
    expect(again.eventsRemoved).toBeGreaterThan(50);
    expect(Number((await events(over))[0]!.count)).toBe(0);
  });
});
