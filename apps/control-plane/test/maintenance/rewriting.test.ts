import { describe, expect, it } from "vitest";
import { startRuns } from "../../src/store/start-runs.ts";
import {
  abandonRewrites,
  beginRewrite,
  copyPage,
  dropPart,
  finishRewrite,
  listWeeks,
  PARTITIONED,
  type Week,
} from "../../src/store/weeks.ts";
import { makeManyRuns, makePastPartitions } from "../support/many-runs.ts";
import { type StoreBed, storeBed } from "../support/test-store.ts";

const PAGE_RUNS = 10;

interface Bed extends StoreBed {
  /** The one that has the runs. */
  readonly week: Week;
}

/** Twenty runs of a week, three weeks ago. */
async function openBed(): Promise<Bed> {
  const bed = await storeBed();
  await makePastPartitions(bed, 4);
  await makeManyRuns(bed, { count: 60, weeks: 3, type: "old.v1" });
  const [{ id }] = (await bed.query("SELECT id FROM cairn.runs ORDER BY id LIMIT 1")) as [{ id: string }];
  const week = (await listWeeks(bed.client)).find(({ after, to }) => id > after && id < to)!;
  return { ...bed, week };
}

function inputsOf(bed: Bed): Promise<unknown[]> {
  return bed.query(
    `SELECT run_id, number, value::text FROM cairn.history WHERE run_id > '${bed.week.after}' AND run_id < '${bed.week.to}' ORDER BY 1, 2`,
  );
}

async function copyAll({ client, week }: Bed, token: string): Promise<void> {
  for (let after: string | null = week.after; after !== null;) {
    after = await copyPage(client, "history", week, { token, after, limit: PAGE_RUNS }, []);
  }
}

const INPUT = `INSERT INTO cairn.history (run_id, number, kind, at, digest)
  SELECT id, $1, 'signal', cairn.now(), '\\x00' FROM cairn.runs WHERE id > $2 AND id < $3`;

describe("a partition that is rewritten", () => {
  it("has what its runs had and what was written meanwhile, before, while and after it was copied; what belongs to no run is gone", async () => {
    const bed = await openBed();
    const { client, week } = bed;
    const [gone] = (await bed.query(
      "DELETE FROM cairn.runs WHERE id = (SELECT id FROM cairn.runs ORDER BY id LIMIT 1) RETURNING id",
    )) as [{ id: string }];
    await beginRewrite(client, "history", week, "00000001");
    await bed.query(INPUT, 4, week.after, week.to);
    const last = await copyPage(
      client,
      "history",
      week,
      { token: "00000001", after: week.after, limit: PAGE_RUNS },
      [],
    );
    await bed.query(INPUT, 5, week.after, week.to);
    await copyPage(client, "history", week, { token: "00000001", after: last!, limit: PAGE_RUNS }, []);
    await bed.query(INPUT, 6, week.after, week.to);
    const before = (await inputsOf(bed)).filter((row) => (row as { run_id: string }).run_id !== gone.id);
    await finishRewrite(client, "history", week, "00000001");
    expect(before).toHaveLength(19 * 6);
    expect(await inputsOf(bed)).toEqual(before);
    // It is a partition as any other: with its key, and without what was needed for this.
    await bed.query(INPUT, 7, week.after, week.to);
    await expect(bed.query(INPUT, 7, week.after, week.to)).rejects.toMatchObject({ code: "23505" });
    expect(await bed.query("SELECT FROM pg_trigger WHERE tgname ~ '^cairn_mirror'")).toEqual([]);
    expect(await bed.query("SELECT FROM pg_constraint WHERE conname = 'in_week'")).toEqual([]);
  });

  it("has what was not committed when it was begun: whoever has written is waited for, and not for long", async () => {
    const bed = await openBed();
    const { client, week } = bed;
    const writer = await bed.connect();
    await writer.query("BEGIN");
    await writer.query(INPUT, [4, week.after, week.to]);
    const before = performance.now();
    await expect(beginRewrite(client, "history", week, "00000001")).rejects.toMatchObject({ code: "55P03" });
    expect(performance.now() - before).toBeLessThan(1_000);
    await writer.query("COMMIT");
    await beginRewrite(client, "history", week, "00000001");
    await copyAll(bed, "00000001");
    await finishRewrite(client, "history", week, "00000001");
    expect(await inputsOf(bed)).toHaveLength(20 * 4);
  });

  it("waits for nobody in another database, where tables may have the same number", async () => {
    const [bed, other] = [await openBed(), await openBed()];
    const [{ own }] = (await bed.query("SELECT 'cairn.history'::regclass::oid AS own")) as [{ own: number }];
    expect(await other.query("SELECT 'cairn.history'::regclass::oid AS own")).toEqual([{ own }]);
    const writer = await other.connect();
    await writer.query("BEGIN");
    await writer.query(INPUT, [4, other.week.after, other.week.to]);
    await writer.query("SELECT pg_sleep(1.1)");
    await beginRewrite(bed.client, "history", bed.week, "00000001");
    await copyAll(bed, "00000001");
    await finishRewrite(bed.client, "history", bed.week, "00000001");
    await writer.query("ROLLBACK");
  });

  it("is that of whoever has begun last: one who began before cannot put its own in the place", async () => {
    const bed = await openBed();
    const { client, week } = bed;
    const before = await inputsOf(bed);
    await beginRewrite(client, "history", week, "00000001");
    await copyPage(client, "history", week, { token: "00000001", after: week.after, limit: PAGE_RUNS }, []);
    await beginRewrite(client, "history", week, "00000002");
    await expect(copyAll(bed, "00000001")).rejects.toMatchObject({ code: "42P01" });
    await expect(finishRewrite(client, "history", week, "00000001")).rejects.toThrow("cairn_mirror_00000001");
    await copyAll(bed, "00000002");
    await finishRewrite(client, "history", week, "00000002");
    expect(await inputsOf(bed)).toEqual(before);
  });

  it("is as it was when whoever was at it went down, and what is left of it is removed by the next", async () => {
    const bed = await openBed();
    const { client, week } = bed;
    const before = await inputsOf(bed);
    await beginRewrite(client, "history", week, "00000001");
    await copyPage(client, "history", week, { token: "00000001", after: week.after, limit: PAGE_RUNS }, []);
    expect(await inputsOf(bed)).toEqual(before);
    expect(await abandonRewrites(client)).toBe(1);
    expect(await abandonRewrites(client)).toBe(0);
    expect(await inputsOf(bed)).toEqual(before);
    await bed.query(INPUT, 4, week.after, week.to);
  });

  it("keeps nobody waiting: whoever starts runs has them within 200 ms while a reader stands in its way", async () => {
    const bed = await openBed();
    const { client, week } = bed;
    await beginRewrite(client, "history", week, "00000001");
    await copyAll(bed, "00000001");
    const reader = await bed.connect();
    await reader.query("BEGIN");
    await reader.query("SELECT FROM cairn.history LIMIT 1");
    const starter = await bed.connect();
    const waited: number[] = [];
    const finishing = finishRewrite(client, "history", week, "00000001");
    finishing.catch(() => {});
    for (let count = 0; count < 10; count++) {
      const before = performance.now();
      await startRuns(starter, null, [await bed.newRun()]);
      await starter.query("SELECT FROM cairn.history WHERE run_id = $1", [week.to]);
      waited.push(performance.now() - before);
    }
    expect(Math.max(...waited)).toBeLessThan(200 + 100);
    await expect(finishing).rejects.toMatchObject({ code: "55P03" });
    // One that is open for longer is not waited for at all.
    await bed.query("SELECT pg_sleep(1)");
    await expect(finishRewrite(client, "history", week, "00000001")).rejects.toThrow("open for long");
    await reader.query("COMMIT");
    await finishRewrite(client, "history", week, "00000001");
  });
});

describe("partitions of a week", () => {
  it("are dropped when it has no runs any more, and never while runs may still come", async () => {
    const bed = await openBed();
    const { client, week } = bed;
    expect(await dropPart(client, "history", week)).toBe(false);
    await bed.query("DELETE FROM cairn.runs");
    for (const table of PARTITIONED) expect(await dropPart(client, table, week)).toBe(true);
    const weeks = await listWeeks(client);
    expect(weeks.map(({ at }) => at)).not.toContain(week.at);
    for (const each of weeks.slice(-2)) expect(await dropPart(client, "history", each)).toBe(false);
    expect(await startRuns(client, null, [await bed.newRun()])).toHaveLength(1);
  });
});
