import { describe, expect, it } from "vitest";
import type { Cairn, RunHandle } from "../../src/index.ts";
import { runsOver, removeRuns } from "../../src/store/remove-runs.ts";
import { openPool } from "../../src/store/connection.ts";
import { weekOf } from "../../src/maintenance/run-removal.ts";
import { timeOfRunId } from "../../src/ids.ts";
import { type TestBed, testBed, until } from "../support/test-engine.ts";
import { approved, echo, family, guardian, sums } from "../workflows/basics.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
const quietly = { onWarning: () => {} };

const TABLES = ["history", "snapshots", "failed_attempts", "run_events", "mailbox", "limited_calls"];

/** Rows that belong to runs which are not there. */
async function orphans(bed: TestBed): Promise<string[]> {
  const found: string[] = [];
  for (const table of TABLES) {
    const rows = await bed.query(
      `SELECT FROM cairn.${table} AS t WHERE NOT EXISTS (SELECT FROM cairn.runs AS r WHERE r.id = t.run_id)`,
    );
    if (rows.length > 0) found.push(`${rows.length} of ${table}`);
  }
  return found;
}

async function isThere(cairn: Cairn, run: RunHandle): Promise<boolean> {
  return (
    (await cairn.runs({ limit: 1_000 })).some(({ id }) => id === run.id) ||
    run.status().then(
      () => true,
      () => false,
    )
  );
}

describe("runs that are over", () => {
  it("stay for ever if nobody says otherwise", async () => {
    const bed = await testBed();
    const cairn = await bed.open(quietly);
    const run = await cairn.start(echo, "hello");
    await run.result();
    await bed.advance(40 * DAY_MS);
    expect((await cairn.retention.run()).runsRemoved).toBe(0);
    expect(await run.result()).toBe("hello");
    expect((await run.status()).status).toBe("succeeded");
  });

  it("are removed by one at a time: who asks meanwhile is told so, in this process and in others", async () => {
    const bed = await testBed();
    const engines = [await bed.open(quietly), await bed.open(quietly)];
    const outcomes = await Promise.allSettled([...engines, ...engines].map((cairn) => cairn.retention.run()));
    const refused = outcomes.filter(({ status }) => status === "rejected");
    expect(refused.length).toBeGreaterThanOrEqual(2);
    for (const each of refused) expect(each).toMatchObject({ reason: { code: "HeldUp" } });
    await expect(engines[1]!.retention.run()).resolves.toMatchObject({ runsRemoved: 0 });
  });

  it("that were deleted are removed after 30 days, with all that is theirs; their keys were free before", async () => {
    const bed = await testBed();
    const cairn = await bed.open(quietly);
    const ended = await cairn.start(echo, "one", { idempotencyKey: "k" });
    await ended.result();
    const live = await cairn.start(approved, undefined);
    await live.signal("approval", "x");
    await ended.delete();
    await live.delete("no longer wanted");
    await until(async () => (await bed.query("SELECT FROM cairn.queue")).length === 0);
    const again = await cairn.start(echo, "two", { idempotencyKey: "k" });
    expect(again.id).not.toBe(ended.id);
    await bed.advance(29 * DAY_MS);
    expect((await cairn.retention.run()).runsRemoved).toBe(0);
    await bed.advance(2 * DAY_MS);
    expect((await cairn.retention.run()).runsRemoved).toBe(2);
    await expect(ended.status()).rejects.toMatchObject({ code: "NotFound" });
    expect(await orphans(bed)).toEqual([]);
    // The key belongs to the other one.
    expect((await cairn.start(echo, "two", { idempotencyKey: "k" })).id).toBe(again.id);
  });

  it("free their idempotency keys when they go", async () => {
    const bed = await testBed();
    const cairn = await bed.open({ ...quietly, retention: { runs: "1d" } });
    const first = await cairn.start(echo, "a", { idempotencyKey: "once" });
    await first.result();
    expect((await cairn.start(echo, "a", { idempotencyKey: "once" })).id).toBe(first.id);
    await bed.advance(2 * DAY_MS);
    expect((await cairn.retention.run()).runsRemoved).toBe(1);
    const second = await cairn.start(echo, "b", { idempotencyKey: "once" });
    expect(second.id).not.toBe(first.id);
    expect(await second.result()).toBe("b");
  });

  it("are kept by the rule that says most of their type, whatever others say", async () => {
    const bed = await testBed();
    const cairn = await bed.open({ ...quietly, retention: { runs: "1d" } });
    const runs = [await cairn.start(echo, "a"), await cairn.start(sums, { n: 1 })];
    for (const run of runs) await run.result();
    await cairn.retention.set({ what: "runs", type: "test.*", keep: "10d" });
    await cairn.retention.set({ what: "runs", type: "test.echo.v1", keep: "forever" });
    await bed.advance(5 * DAY_MS);
    expect((await cairn.retention.run()).runsRemoved).toBe(0);
    // With their week: what is kept longer than a week goes when all of it is over.
    await bed.advance(13 * DAY_MS);
    expect((await cairn.retention.run()).runsRemoved).toBe(1);
    expect(await Promise.all(runs.map((run) => isThere(cairn, run)))).toEqual([true, false]);
    await cairn.retention.remove({ what: "runs", type: "test.echo.v1" });
    await cairn.retention.remove({ what: "runs", type: "test.*" });
    await expect(cairn.retention.remove({ what: "runs", type: "test.*" })).rejects.toMatchObject({ code: "NotFound" });
    expect((await cairn.retention.run()).runsRemoved).toBe(1);
  });

  it("are not those that live, nor parents of those, nor children as long as their parent is there", async () => {
    const bed = await testBed();
    const cairn = await bed.open({ ...quietly, retention: { runs: "1d" } });
    const parent = await cairn.start(guardian, undefined);
    await until(async () => (await bed.query("SELECT FROM cairn.runs WHERE parent IS NOT NULL")).length === 1);
    const ended = await cairn.start(family, 3);
    await ended.result();
    await cairn.retention.set({ what: "runs", type: "test.family.v1", keep: "30d" });
    await bed.advance(10 * DAY_MS);
    expect((await cairn.retention.run()).runsRemoved).toBe(0);
    await bed.advance(28 * DAY_MS);
    // With its three children, one after the other.
    expect((await cairn.retention.run()).runsRemoved).toBe(4);
    const [child] = await bed.query<{ id: string }>("SELECT id FROM cairn.runs WHERE parent IS NOT NULL");
    for (const text of ["one", "two"]) await cairn.run(child!.id).signal("approval", text);
    expect(await parent.result()).toEqual(["one", "two"]);
    expect(await orphans(bed)).toEqual([]);
  });

  it("are not originals of forks that live; of one that has ended, earlier states are gone with it, and that is said", async () => {
    const bed = await testBed();
    const cairn = await bed.open({ ...quietly, retention: { runs: "1d" } });
    const original = await cairn.start(approved, undefined);
    for (const text of ["one", "two"]) await original.signal("approval", text);
    await original.result();
    const fork = await original.fork(2, { effects: "allowed" });
    await until(async () => (await fork.status()).phase === "waiting");
    await bed.advance(2 * DAY_MS);
    expect((await cairn.retention.run()).runsRemoved).toBe(0);
    await fork.signal("approval", "three");
    expect(await fork.result()).toEqual(["one", "three"]);
    expect((await cairn.retention.run()).runsRemoved).toBe(1);
    await expect(fork.fork(1)).rejects.toMatchObject({
      code: "NotFound",
      message: expect.stringContaining("was removed"),
    });
    expect((await fork.status()).status).toBe("succeeded");
  });

  it("and begin to live again in the last moment stay: what was looked at before is looked at under the lock", async () => {
    const bed = await testBed();
    const cairn = await bed.open(quietly);
    const run = await cairn.start(approved, undefined);
    for (const text of ["one", "two"]) await run.signal("approval", text);
    await run.result();
    await bed.advance(2 * DAY_MS);
    const pool = openPool(bed.url, "test");
    const now = Date.now() + 3 * DAY_MS;
    const over = { namespace: "default", type: "test.approved.v1", endedBefore: now };
    const all = { after: "00000000-0000-0000-0000-000000000000", to: "ffffffff-ffff-ffff-ffff-ffffffffffff" };
    const ids = await runsOver(pool, over, all, 10);
    expect(ids).toEqual([run.id]);
    await run.rollback(1);
    const week = weekOf(timeOfRunId(run.id));
    expect(await removeRuns(pool, { week, ids, endedBefore: now, deletedBefore: null, withHistory: true })).toBe(0);
    for (const text of ["three", "four"]) await run.signal("approval", text);
    expect(await run.result()).toEqual(["one", "two"]);
    await pool.end();
  });
});

describe("events", () => {
  it("of runs go 30 days after they happened, with their week; those of live runs stay, and those that came later", async () => {
    const bed = await testBed();
    const cairn = await bed.open(quietly);
    const live = await cairn.start(approved, undefined);
    const old = await cairn.start(echo, "old");
    await old.result();
    const late = await cairn.start(approved, undefined);
    for (const run of [live, late]) await until(async () => (await run.status()).phase === "waiting");
    const count = async (run: RunHandle): Promise<number> =>
      (await bed.query("SELECT FROM cairn.run_events WHERE run_id = $1", run.id)).length;
    const first = await count(live);
    await bed.advance(35 * DAY_MS);
    for (const text of ["one", "two"]) await late.signal("approval", text);
    await late.result();
    await bed.advance(4 * DAY_MS);
    const preview = await cairn.retention.preview();
    expect(preview.types.map(({ type }) => type)).toEqual(["test.approved.v1", "test.echo.v1"]);
    // What someone holds a lock of for more than a second is left for the next time.
    await until(async () => {
      await cairn.retention.run();
      return (await count(old)) === 0;
    });
    expect(await count(live)).toBe(first);
    const [{ oldest }] = (await bed.query(
      "SELECT cairn.now() - min(at) < interval '30 days' AS oldest FROM cairn.run_events WHERE run_id = $1",
      late.id,
    )) as [{ oldest: boolean }];
    expect(oldest).toBe(true);
    // It has its history, so it can live again, although its events are gone.
    expect((await old.steps()).length).toBe(0);
    for (const text of ["one", "two"]) await live.signal("approval", text);
    expect(await live.result()).toEqual(["one", "two"]);
    await late.rollback(1);
    for (const text of ["three", "four"]) await late.signal("approval", text);
    expect(await late.result()).toEqual(["one", "two"]);
  });

  it("for others go 7 days after they were published, by type; what waits and what is dead stays", async () => {
    const bed = await testBed();
    const cairn = await bed.open({ ...quietly, outbox: { dispatch: false } });
    await bed.query(`INSERT INTO cairn.outbox_events (namespace, run_id, type, data, created_at, passed, published_at)
      SELECT 'default', cairn.new_id(), t.type, '1', cairn.now(), true, CASE WHEN i % 3 > 0 THEN cairn.now() END
      FROM generate_series(1, 3000) AS i, unnest(ARRAY['a.paid.v1', 'b.paid.v1']) AS t (type)`);
    await cairn.retention.set({ what: "outbox", type: "b.*", keep: "20d" });
    const left = (): Promise<unknown[]> =>
      bed.query("SELECT type, count(*)::int AS count FROM cairn.outbox_events GROUP BY 1 ORDER BY 1");
    await bed.advance(8 * DAY_MS);
    expect(await cairn.retention.preview()).toMatchObject({ outbox: [{ type: "a.paid.v1", events: 2_000 }] });
    expect((await cairn.retention.run()).outboxRemoved).toBe(2_000);
    expect(await left()).toEqual([
      { type: "a.paid.v1", count: 1_000 },
      { type: "b.paid.v1", count: 3_000 },
    ]);
    await bed.advance(13 * DAY_MS);
    expect((await cairn.retention.run()).outboxRemoved).toBe(2_000);
  });
});
