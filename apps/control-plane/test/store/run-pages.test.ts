import { expect, it } from "vitest";
import { listAttempts } from "../../src/store/list-attempts.ts";
import { type FoundInputs, listInputs } from "../../src/store/list-inputs.ts";
import { listPlaces, loadPlaces, TIMELINE_SOURCES, type TimelinePlace } from "../../src/store/list-timeline.ts";
import { loadRollbacks } from "../../src/store/load-checkpoint.ts";
import { explaining, nodesOf, type Plan } from "../support/explaining.ts";
import { storeBed } from "../support/test-store.ts";

const INPUTS = 100_000;
const LIMIT = 50;
/** Some for each row that is shown. */
const BLOCKS_MAX = 1_000;

function blocksOf(plans: readonly Plan[]): number {
  return plans.reduce((sum, plan) => sum + plan["Shared Hit Blocks"] + plan["Shared Read Blocks"], 0);
}

it(`a page of a run with ${INPUTS} inputs reads what is on it`, { timeout: 120_000 }, async () => {
  const bed = await storeBed();
  const { client } = await bed.owner();
  const { client: plain } = bed;
  const [{ id } = { id: "" }] = await bed.query<{ id: string }>("SELECT cairn.new_id() AS id");
  const run = { id, namespace: "default" };
  await bed.query(
    `INSERT INTO cairn.history (run_id, number, kind, call, node, value, at, digest, attempt, action, worker, started_at)
    SELECT $1, n, CASE WHEN n = 70000 THEN 'rollback' WHEN n % 40000 = 5 THEN 'signal' WHEN n % 100 = 1 THEN 'error' ELSE 'result' END,
      n || '.0', 'a/b', CASE WHEN n = 70000 THEN '{"to":60000}' ELSE to_json(repeat('x', 100)) END,
      cairn.now() + n * interval '1 ms', '\\x00', CASE WHEN n % 100 <> 1 AND n % 40000 NOT IN (5, 30000) THEN 1 END, 'a.charge.v1', 'w',
      cairn.now() + (n - n % 7 * 3) * interval '1 ms'
    FROM generate_series(1, $2::int) AS n`,
    id,
    INPUTS,
  );
  await bed.query(
    `INSERT INTO cairn.failed_attempts (run_id, call, attempt, node, action, worker, started_at, ended_at, outcome)
    SELECT $1, n || '.0', 1, 'a/b', 'a.charge.v1', 'w', cairn.now(), cairn.now() + n * interval '1 ms', 'failed'
    FROM generate_series(1, $2::int, 100) AS n`,
    id,
    INPUTS,
  );
  await bed.query(
    `INSERT INTO cairn.run_events (run_id, kind, at) SELECT $1, 'log', cairn.now() + n * interval '1 ms' FROM generate_series(1, $2::int) AS n`,
    id,
    INPUTS,
  );
  await bed.query("VACUUM (ANALYZE) cairn.history, cairn.failed_attempts, cairn.run_events");
  // Inputs, from anywhere and both ways, and what says which of them count no more.
  for (const look of [
    { after: null, newestFirst: false, kind: null, limit: LIMIT },
    { after: 50_000, newestFirst: true, kind: null, limit: LIMIT },
  ]) {
    const seen: Plan[] = [];
    await listInputs(explaining(client, seen), id, look);
    expect(blocksOf(seen)).toBeLessThan(BLOCKS_MAX);
    const { rows, next } = await listInputs(plain, id, look);
    expect(rows).toHaveLength(LIMIT);
    expect(next).toBe(rows.at(-1)!.number);
    expect(
      rows
        .filter(({ kind }) => kind === "error")
        .every(({ startedAt, action }) => startedAt !== null && action !== null),
    ).toBe(true);
  }
  const turns: Plan[] = [];
  await loadRollbacks(explaining(client, turns), id);
  expect(blocksOf(turns)).toBeLessThan(20);
  expect(await loadRollbacks(plain, id)).toEqual([{ number: 70_000, to: 60_000 }]);
  // Of a kind that is rare, a bounded number is gone through, and none is missed.
  const signals: number[] = [];
  let looks = 0;
  for (let after: number | null = null; ; looks += 1) {
    const look = { after, newestFirst: false, kind: "signal", limit: LIMIT } as const;
    const seen: Plan[] = [];
    await listInputs(explaining(client, seen), id, look);
    for (const node of seen.flatMap(nodesOf))
      expect(node["Actual Rows"] * node["Actual Loops"]).toBeLessThanOrEqual(10_000);
    const found: FoundInputs = await listInputs(plain, id, look);
    signals.push(...found.rows.map(({ number }) => number));
    after = found.next;
    if (after === null) break;
  }
  expect(signals).toEqual([5, 40_005, 80_005]);
  expect(looks).toBe(10);
  // What is by time is chosen from narrow rows of the run.
  for (const by of ["startedAt", "endedAt"] as const) {
    const seen: Plan[] = [];
    const look = { by, after: null, newestFirst: false, call: null, outcome: null, limit: LIMIT };
    const rows = await listAttempts(plain, id, look);
    await listAttempts(explaining(client, seen), id, look);
    expect(seen.flatMap(nodesOf).map((node) => node["Node Type"])).not.toContain("Seq Scan");
    const last = rows.at(-2)!;
    const after = { at: last[by], call: last.call, attempt: last.attempt };
    expect((await listAttempts(plain, id, { ...look, after }))[0]).toEqual(rows.at(-1));
  }
  const places: TimelinePlace[] = [];
  for (let after: TimelinePlace | null = null; places.length < 5_000; after = places.at(-1)!) {
    places.push(
      ...(await listPlaces(plain, run, { sources: TIMELINE_SOURCES, after, newestFirst: false, limit: 1_000 })),
    );
  }
  expect(new Set(places.map(({ source, number, call }) => `${source} ${number} ${call}`)).size).toBe(5_000);
  const seen: Plan[] = [];
  const shown = places.slice(0, LIMIT);
  await loadPlaces(explaining(client, seen), run, shown);
  expect(blocksOf(seen)).toBeLessThan(BLOCKS_MAX);
  const { events, inputs, succeeded, failed } = await loadPlaces(plain, run, shown);
  expect(events.length + inputs.length + succeeded.length + failed.length).toBe(LIMIT);
});
