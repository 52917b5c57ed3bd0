import { expect, it } from "vitest";
import { startRuns } from "../../src/store/start-runs.ts";
import {
  type ChunkPosition,
  type NewChunk,
  readChunks,
  runKey,
  sweepChunks,
  writeChunks,
} from "../../src/store/stream-chunks.ts";
import { explaining, nodesOf, type Plan } from "../support/explaining.ts";
import { until } from "../support/test-engine.ts";
import { type StoreBed, storeBed } from "../support/test-store.ts";

/** A run that lives, and chunks of its first call. */
async function living(bed: StoreBed): Promise<(number: number, changes?: Partial<NewChunk>) => NewChunk> {
  const run = await bed.newRun();
  await startRuns(bed.client, null, [run]);
  const [first] = await bed.query<{ id: string }>("SELECT id FROM cairn.incarnation");
  const about = { incarnation: first!.id, namespace: "default", runId: run.id, call: "1.0", attempt: 1 };
  return (number, changes = {}) => ({ ...about, number, value: String(number), ...changes });
}

async function seenIn(bed: StoreBed, runId: string, seen: readonly ChunkPosition[] = []): Promise<number[]> {
  const { rows } = await readChunks(bed.client, [{ runId, seen }]);
  return rows[0]!.map(({ number }) => number);
}

it("chunks are written once, of runs that live in that namespace and this past", async () => {
  const bed = await storeBed();
  const chunk = await living(bed);
  const { runId } = chunk(1);
  const strange = chunk(3, { namespace: "other" });
  const past = chunk(4, { incarnation: "22222222-2222-4222-8222-222222222222" });
  const nobodys = chunk(1, { runId: (await bed.newRun()).id });
  const written = await writeChunks(bed.client, [chunk(2), chunk(1), strange, past, nobodys]);
  expect([...written]).toEqual([runKey(chunk(1))]);
  await writeChunks(bed.client, [chunk(2, { value: '"another"' }), chunk(3)]);
  expect(await seenIn(bed, runId)).toEqual([1, 2, 3]);
  const [row] = (await readChunks(bed.client, [{ runId, seen: [{ call: "1.0", attempt: 1, number: 1 }] }])).rows[0]!;
  expect(row).toMatchObject({ call: "1.0", attempt: 1, number: 2, value: "2" });
});

it("of a try no chunk is seen before those below it, though two write it and the first commits last", async () => {
  const bed = await storeBed();
  const [first, second] = [await bed.connect(), await bed.connect()];
  const chunk = await living(bed);
  const { runId } = chunk(1);
  await first.query("BEGIN");
  await writeChunks(first, [chunk(1), chunk(2)]);
  // The stream to the first is broken: what it has not acknowledged is sent to the second, with what came since.
  const taken = writeChunks(second, [chunk(1), chunk(2), chunk(3)]);
  await until(async () => {
    const [row] = await bed.query<{ waiting: number }>(
      "SELECT count(*)::int AS waiting FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'",
    );
    return row!.waiting === 1;
  });
  expect(await seenIn(bed, runId)).toEqual([]);
  await first.query("COMMIT");
  await taken;
  expect(await seenIn(bed, runId)).toEqual([1, 2, 3]);
});

it("several are read at once, each from where it was; later attempts come after earlier ones", async () => {
  const bed = await storeBed();
  const [one, other] = [await living(bed), await living(bed)];
  const attempts = [1, 2].flatMap((attempt) => [1, 2].map((number) => one(number, { attempt, value: `"${attempt}"` })));
  await writeChunks(bed.client, [...attempts, one(1, { call: "2.0" }), other(1)]);
  const [a, b] = [one(1).runId, other(1).runId];
  const { rows, isCut } = await readChunks(bed.client, [
    { runId: a, seen: [{ call: "1.0", attempt: 1, number: 1 }] },
    { runId: b, seen: [] },
    {
      runId: a,
      seen: [
        { call: "2.0", attempt: 1, number: 1 },
        { call: "1.0", attempt: 2, number: 1 },
      ],
    },
    { runId: b, seen: [{ call: "1.0", attempt: 1, number: 1 }] },
  ]);
  const keys = rows.map((each) => each.map(({ call, attempt, number }) => `${call}/${attempt}/${number}`));
  expect(keys).toEqual([["1.0/1/2", "1.0/2/1", "1.0/2/2", "2.0/1/1"], ["1.0/1/1"], ["1.0/2/2"], []]);
  expect(isCut).toBe(false);
});

it("what was seen is not read again, and the oldest are found by age, however many there are", async () => {
  const bed = await storeBed();
  const chunk = await living(bed);
  const { runId } = chunk(1);
  await bed.query(
    `INSERT INTO cairn.stream_chunks
    SELECT $1::uuid, 'c' || n % 3, 1, 1 + n / 3, to_json(repeat('x', 500)), cairn.now() - (n % 2) * interval '2 h'
    FROM generate_series(0, 59999) AS n`,
    runId,
  );
  await bed.query("ANALYZE cairn.stream_chunks");
  const seen = ["c0", "c1", "c2"].map((call) => ({ call, attempt: 1, number: 19_998 }));
  expect((await readChunks(bed.client, [{ runId, seen }])).rows[0]).toHaveLength(6);
  const plans: Plan[] = [];
  await readChunks(explaining(await bed.connect(), plans), [{ runId, seen }]);
  const blocks = plans[0]!["Shared Hit Blocks"] + plans[0]!["Shared Read Blocks"];
  expect(blocks).toBeLessThan(100);
  await sweepChunks(bed.client, 60 * 60 * 1_000);
  const left = async () => (await bed.query<{ n: number }>("SELECT count(*)::int AS n FROM cairn.stream_chunks"))[0]!.n;
  expect(await left()).toBe(50_000);
  for (let times = 0; times < 3; times += 1) await sweepChunks(bed.client, 60 * 60 * 1_000);
  expect(await left()).toBe(30_000);
  plans.length = 0;
  await sweepChunks(explaining(await bed.connect(), plans), 60 * 60 * 1_000);
  expect(nodesOf(plans[0]!).map((node) => node["Index Name"])).toContain("stream_chunks_by_age");
});
