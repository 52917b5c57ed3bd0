import { describe, expect, it } from "vitest";
import { newRunId } from "../../src/ids.ts";
import { startRuns } from "../../src/store/start-runs.ts";
import { databaseTime } from "../../src/store/time.ts";
import { type StoreBed, storeBed } from "../support/test-store.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
const PARENTS = ["failed_attempts", "history", "run_events", "snapshots"];

/** Sets the database's time, which then goes on. */
async function setTime(bed: StoreBed, at: string): Promise<void> {
  await bed.sql.query("UPDATE cairn.test_clock SET passed = $1::timestamptz - clock_timestamp()", [at]);
}

function partitionsOf(bed: StoreBed): Promise<{ parent: string; part: string; bounds: string }[]> {
  return bed.query(`SELECT parent.relname AS parent, part.relname AS part, pg_get_expr(part.relpartbound, part.oid) AS bounds
    FROM pg_inherits AS i JOIN pg_class AS parent ON parent.oid = i.inhparent JOIN pg_class AS part ON part.oid = i.inhrelid
    WHERE parent.relnamespace = 'cairn'::regnamespace AND part.relkind = 'r' ORDER BY 2`);
}

describe("partitions", () => {
  it("of the coming weeks are there, of each table, and making them again makes none", async () => {
    const bed = await storeBed();
    const before = await partitionsOf(bed);
    for (const parent of PARENTS)
      expect(before.filter((each) => each.parent === parent).length).toBeGreaterThanOrEqual(5);
    const make = (): Promise<{ made: number }[]> =>
      bed.query("SELECT cairn.create_partitions(cairn.now() + interval '28 days') AS made");
    expect(await make()).toEqual([{ made: 0 }]);
    await bed.sql.query("UPDATE cairn.test_clock SET passed = '7 days'");
    expect(await make()).toEqual([{ made: PARENTS.length }]);
    expect(await make()).toEqual([{ made: 0 }]);
  });

  it("are of whole weeks in UTC, whatever the session's time zone, and meet without a gap over a change of year", async () => {
    const bed = await storeBed();
    await setTime(bed, "2030-12-20T12:00:00Z");
    await bed.sql.query("SET TimeZone = 'Pacific/Kiritimati'");
    await bed.query("SELECT cairn.create_partitions(cairn.now() + interval '28 days')");
    const parts = (await partitionsOf(bed)).filter(({ parent, part }) => parent === "history" && part > "history_2030");
    expect(parts.map(({ part }) => part)).toEqual([
      "history_20301216",
      "history_20301223",
      "history_20301230",
      "history_20310106",
      "history_20310113",
    ]);
    const bounds = parts.map(({ bounds: text }) => [...text.matchAll(/'([0-9a-f-]+)'/g)].map(([, id]) => id));
    bounds.slice(1).forEach(([from], index) => expect(from).toBe(bounds[index]![1]));
    expect(bounds[0]![0]!.replace("-", "").slice(0, 12)).toBe(
      Date.parse("2030-12-16T00:00:00Z").toString(16).padStart(12, "0"),
    );
  });

  it.each([
    ["2030-12-16T00:00:00.001Z", -DAY_MS + 60_000],
    ["2030-12-16T00:00:00.001Z", -1],
    ["2030-12-22T23:59:50.000Z", DAY_MS - 60_000],
    ["2030-12-22T23:59:50.000Z", 0],
  ])("take a run near the boundary of a week: at %s, an id %i ms away", async (at, off) => {
    const bed = await storeBed();
    await setTime(bed, at);
    await bed.query("SELECT cairn.create_partitions(cairn.now() + interval '28 days')");
    const run = await bed.newRun({ id: newRunId((await databaseTime(bed.client)) + off) });
    expect(await startRuns(bed.client, null, [run])).toHaveLength(1);
    expect(await bed.query("SELECT run_id AS id, kind FROM cairn.run_events")).toEqual([
      { id: run.id, kind: "created" },
    ]);
  });

  it("are made while others read and write, who do not wait for it and are not waited for", async () => {
    const bed = await storeBed();
    const other = await bed.connect();
    await other.query("BEGIN");
    await other.query("SELECT FROM cairn.history, cairn.snapshots, cairn.failed_attempts");
    await startRuns(other, null, [await bed.newRun()]);
    await bed.sql.query("SET lock_timeout = 200; UPDATE cairn.test_clock SET passed = '35 days'");
    const [made] = await bed.query("SELECT cairn.create_partitions(cairn.now()) AS made");
    expect(made!["made"]).toBeGreaterThan(0);
    await other.query("COMMIT");
  });

  it("are made once by two who make them at once", async () => {
    const bed = await storeBed();
    const [one, two] = [await bed.connect(), await bed.connect()];
    await bed.sql.query("UPDATE cairn.test_clock SET passed = '35 days'");
    await one.query("BEGIN");
    const first = await one.query<{ made: number }>("SELECT cairn.create_partitions(cairn.now()) AS made");
    expect(first.rows[0]!.made).toBeGreaterThan(0);
    const second = two.query("SELECT cairn.create_partitions(cairn.now()) AS made");
    await one.query("COMMIT");
    expect((await second).rows).toEqual([{ made: 0 }]);
  });
});
