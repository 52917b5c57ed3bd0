import { describe, expect, it } from "vitest";
import type { Cairn } from "../../src/index.ts";
import { digestOf, makeManyRuns, makePastPartitions, sizeOf } from "../support/many-runs.ts";
import { testBed, until } from "../support/test-engine.ts";
import { approved, sums } from "../workflows/basics.ts";

/** Runs that are made; 1,000,000 with `npm run verify`. */
const RUNS = Number(process.env["CAIRN_RETAINED_RUNS"]);
const WEEKS = 10;
const DAY_MS = 24 * 60 * 60 * 1_000;
const STEPS = 5;
/** Of the load, before and meanwhile. */
const ROUNDS = 300;
const MB = 1024 * 1024;

const LIVE = "EXISTS (SELECT FROM cairn.queue AS q WHERE q.run_id = r.id)";

/** Four runs at a time, one after the other; how long a step of theirs took, in milliseconds, sorted. */
async function load(cairn: Cairn, isOver: (rounds: number) => boolean): Promise<number[]> {
  const took: number[] = [];
  const line = async (): Promise<void> => {
    while (!isOver(took.length)) {
      const before = performance.now();
      await (await cairn.start(sums, { n: STEPS })).result();
      took.push((performance.now() - before) / STEPS);
    }
  };
  await Promise.all(Array.from({ length: 4 }, line));
  return took.toSorted((a, b) => a - b);
}

const at = (sorted: readonly number[], share: number): number => sorted[Math.floor((sorted.length - 1) * share)]!;

describe("retention of very many runs", () => {
  it(`of ${RUNS} leaves live runs and their history as they are, gives back space, and disturbs nobody`, async () => {
    const bed = await testBed();
    const onWarning = (): void => {};
    await makePastPartitions(bed, WEEKS + 1);
    await bed.query("UPDATE cairn.test_clock SET passed = passed - interval '56 days'");
    const cairn = await bed.open({ onWarning, runloops: 1, retention: { runs: "14d", events: "14d", run: false } });
    const waiting = await Promise.all(Array.from({ length: 50 }, () => cairn.start(approved, undefined)));
    await Promise.all(waiting.map((run) => run.signal("approval", "first")));
    await until(async () => (await bed.query("SELECT FROM cairn.queue WHERE state = 'parked'")).length === 50);
    await bed.advance(56 * DAY_MS);
    const made = performance.now();
    await makeManyRuns(bed, { count: RUNS, weeks: WEEKS, type: "old.order.v1", liveEvery: 1_000 });
    const madeMs = performance.now() - made;
    const before = { digest: await digestOf(bed, LIVE), size: await sizeOf(bed) };
    // What made them is over, and the engine has warmed up.
    await bed.query("CHECKPOINT");
    await load(cairn, (rounds) => rounds >= ROUNDS);
    const quiet = await load(cairn, (rounds) => rounds >= ROUNDS);

    const began = performance.now();
    let over = false;
    const [done, busy] = await Promise.all([
      cairn.retention.run().finally(() => (over = true)),
      load(cairn, () => over),
    ]);
    const tookMs = performance.now() - began;

    const size = await sizeOf(bed);
    const ratio = at(busy, 0.95) / at(quiet, 0.95);
    console.log(
      `${RUNS} runs made in ${(madeMs / 1_000).toFixed(0)} s; ${done.runsRemoved} removed in ${(tookMs / 1_000).toFixed(0)} s, ` +
        `${done.partitionsRewritten} partitions rewritten; ${(before.size / MB).toFixed(0)} MB before, ${(size / MB).toFixed(0)} MB after; ` +
        `a step takes ${at(quiet, 0.95).toFixed(2)} ms without it and ${at(busy, 0.95).toFixed(2)} ms beside it at the 95th percentile: ` +
        `${ratio.toFixed(2)} times, at most ${busy.at(-1)!.toFixed(0)} ms (${quiet.at(-1)!.toFixed(0)} ms)`,
    );
    expect(await digestOf(bed, LIVE)).toBe(before.digest);
    const [left] = await bed.query<{ over: string; live: string }>(
      `SELECT count(*) FILTER (WHERE NOT ${LIVE} AND r.id < cairn.id_from_time(date_trunc('week', cairn.now() - interval '14 days', 'UTC'))) AS over,
        count(*) FILTER (WHERE ${LIVE}) AS live FROM cairn.runs AS r`,
    );
    expect(left).toEqual({ over: "0", live: String(50 + RUNS / 1_000) });
    expect(size).toBeLessThan(before.size * 0.6);
    await Promise.all(waiting.map((run) => run.signal("approval", "second")));
    for (const run of waiting) expect(await run.result()).toEqual(["first", "second"]);
    expect(ratio).toBeLessThan(3);
    // Not one of them took two seconds.
    expect(busy.at(-1)! * STEPS).toBeLessThan(2_000);
  });
});
