import { describe, expect, it } from "vitest";
import { childRunId, isRunId, newRunId, timeOfRunId } from "../../src/ids.ts";
import { databaseTime } from "../../src/store/time.ts";
import { storeBed } from "../support/test-store.ts";

const VERSION_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;

describe("ids of runs", () => {
  it("made by SQL are UUIDs of version 7, of the time that cairn.now() tells", async () => {
    const bed = await storeBed();
    await bed.advance(3 * DAY_MS);
    const before = await databaseTime(bed.client);
    const rows = await bed.query<{ id: string }>("SELECT cairn.new_id() AS id FROM generate_series(1, 1000)");
    const after = await databaseTime(bed.client);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(1_000);
    for (const { id } of rows) {
      expect(id).toMatch(VERSION_7);
      expect(timeOfRunId(id)).toBeGreaterThanOrEqual(before);
      expect(timeOfRunId(id)).toBeLessThanOrEqual(after);
    }
  });

  it("made by TypeScript are the same, and SQL reads the same time from them", async () => {
    const bed = await storeBed();
    for (const at of [0, 1, 1_763_208_000_123, 4_102_444_800_999]) {
      const id = newRunId(at);
      expect(id).toMatch(VERSION_7);
      expect(isRunId(id)).toBe(true);
      expect(timeOfRunId(id)).toBe(at);
      const [read] = await bed.query(
        "SELECT round(extract(epoch FROM cairn.time_of_id($1)) * 1000)::float8 AS at, cairn.id_from_time(to_timestamp($2::float8 / 1000)) AS least",
        id,
        at,
      );
      expect(read!["at"]).toBe(at);
      expect(timeOfRunId(read!["least"])).toBe(at);
      expect(read!["least"] <= id).toBe(true);
    }
  });

  it("of a time before the first and after the last that they can tell are the first and the last", async () => {
    const bed = await storeBed();
    const least = async (at: string): Promise<string> =>
      (await bed.query<{ id: string }>("SELECT cairn.id_from_time($1) AS id", at))[0]!.id;
    for (const at of ["1970-01-01T00:00:00Z", "1969-12-31T00:00:00Z", "0001-01-01T00:00:00Z"]) {
      expect(timeOfRunId(await least(at)), at).toBe(0);
    }
    for (const at of ["10889-08-02T05:31:50.655Z", "10889-08-03T00:00:00Z", "200000-01-01T00:00:00Z"]) {
      expect(timeOfRunId(await least(at)), at).toBe(2 ** 48 - 1);
    }
  });

  it("of children are functions of their calls and of the inputs that led to them", () => {
    const parent = newRunId(5);
    const child = childRunId(7, parent, "1.0", 1);
    expect(childRunId(7, parent, "1.0", 1)).toBe(child);
    expect(childRunId(7, parent, "1.1", 1)).not.toBe(child);
    expect(childRunId(7, parent, "1.0", 2)).not.toBe(child);
    expect(childRunId(7, newRunId(5), "1.0", 1)).not.toBe(child);
    expect(child).toMatch(VERSION_7);
  });

  it("are in the order of their time", () => {
    const ids = Array.from({ length: 200 }, (_, index) => newRunId(1_763_208_000_000 + index));
    expect([...ids].sort()).toEqual(ids);
  });

  it("of more than a day ago or an hour ahead, by the time of the database, are refused by SQL, and no others", async () => {
    const bed = await storeBed();
    const now = await databaseTime(bed.client);
    const start = (at: number): Promise<unknown> =>
      bed.query("SELECT cairn.start_run('test.noop.v1', '1', jsonb_build_object('id', $1::uuid))", newRunId(at));
    for (const off of [-DAY_MS - 60_000, HOUR_MS + 60_000, -10 * DAY_MS, 400 * DAY_MS]) {
      await expect(start(now + off)).rejects.toMatchObject({ hint: "InvalidId" });
    }
    await start(now - DAY_MS + 60_000);
    await start(now + HOUR_MS - 60_000);
    expect(await bed.query("SELECT FROM cairn.runs")).toHaveLength(2);
    expect(await bed.query("SELECT FROM cairn.run_events")).toHaveLength(2);
  });
});
