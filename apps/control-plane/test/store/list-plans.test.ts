import { describe, expect, it } from "vitest";
import { findRunIds, type FoundIds, listRuns } from "../../src/store/list-runs.ts";
import { ANY_RUN, type RunFilter } from "../../src/store/run-filter.ts";
import { explaining, nodesOf, type Plan } from "../support/explaining.ts";
import { storeBed } from "../support/test-store.ts";

const RUNS = 40_000;
const LIMIT = 50;
const TYPES = 40;
/** Some for each row that is shown, whatever there is beside them. */
const BLOCKS_MAX = 1_000;

const FIRST = { after: null, oldestFirst: false, limit: LIMIT };

describe(`a list of runs beside ${RUNS} others`, () => {
  it("finds those that few are, however old they are, by an index", { timeout: 120_000 }, async () => {
    const bed = await storeBed();
    const { client } = await bed.owner();
    const plain = bed.client;
    const write = `INSERT INTO cairn.runs (id, namespace, type, version, status, payload, run_at, created_at, ended_at)
      SELECT cairn.id_from_time(cairn.now() - $1::interval + n * interval '1 ms'), $2, $3, 'v', $4, '{}', cairn.now(),
        cairn.now() - $1::interval, CASE WHEN $4 <> 'pending' THEN cairn.now() END FROM generate_series(1, $5::int) AS n`;
    // The few are the oldest.
    await bed.query(write, "6 days", "default", "busy.v1", "failed", 60);
    await bed.query(write, "6 days 1 h", "default", "rare.v1", "cancelled", 60);
    await bed.query(write, "6 days 2 h", "small", "busy.v1", "succeeded", 60);
    await bed.query(write, "6 days 3 h", "default", "waits.v1", "pending", 60);
    await bed.query(
      `INSERT INTO cairn.queue (run_id, pool, priority, state, ready_at, phase)
      SELECT id, 'default:*', 0, 'parked', created_at, 'waiting' FROM cairn.runs WHERE status = 'pending'`,
    );
    await bed.query(write, "5 days", "default", "busy.v1", "succeeded", RUNS);
    await bed.query("VACUUM (ANALYZE) cairn.runs, cairn.queue");
    const asked: [string, Partial<RunFilter>][] = [
      ["default", {}],
      ["default", { statuses: ["failed"] }],
      ["default", { statuses: ["failed", "cancelled"] }],
      ["default", { statuses: ["pending", "leased", "failed"] }],
      ["default", { statuses: ["failed"], types: ["busy.v1"] }],
      ["default", { statuses: ["pending"] }],
      ["default", { phases: ["waiting"] }],
      ["default", { types: ["rare.v1"] }],
      ["default", { types: ["ra*"] }],
      ["default", { types: ["rare.v1", "none.v1"] }],
      ["small", {}],
      ["small", { statuses: ["succeeded"] }],
    ];
    for (const [namespace, filter] of asked) {
      const name = JSON.stringify([namespace, filter]);
      const { runs: found } = await listRuns(plain, namespace, { ...ANY_RUN, ...filter }, FIRST);
      expect(found, name).toHaveLength(LIMIT);
      const second = { after: found[0]!.id, oldestFirst: false, limit: 1 };
      const { runs } = await listRuns(plain, namespace, { ...ANY_RUN, ...filter }, second);
      expect(runs, name).toEqual([found[1]]);
      const seen: Plan[] = [];
      await listRuns(explaining(client, seen), namespace, { ...ANY_RUN, ...filter }, FIRST);
      const blocks = seen.reduce((sum, plan) => sum + blocksOf(plan), 0);
      expect(blocks, name).toBeLessThan(BLOCKS_MAX);
    }
  });

  it(
    "of many types goes through a bounded number of runs, however many are asked for",
    { timeout: 60_000 },
    async () => {
      const bed = await storeBed();
      const { client } = await bed.owner();
      await bed.query(
        `INSERT INTO cairn.runs (id, namespace, type, version, status, payload, run_at, created_at, ended_at)
      SELECT cairn.id_from_time(cairn.now() - interval '1 h' + n * interval '1 ms'), 'default', 'many.' || n % $1 || '.v1', 'v',
        'succeeded', '{}', cairn.now(), cairn.now() - interval '1 h', cairn.now() FROM generate_series(1, $2::int) AS n`,
        TYPES,
        RUNS,
      );
      await bed.query("VACUUM (ANALYZE) cairn.runs");
      const seen: Plan[] = [];
      await findRunIds(explaining(client, seen), "default", ANY_RUN, { ...FIRST, limit: 10_000 });
      for (const node of seen.flatMap(nodesOf))
        expect(node["Actual Rows"] * node["Actual Loops"], node["Node Type"]).toBeLessThan(12_000);
      // And none of them is missed, or told twice.
      const ids: string[] = [];
      let after: string | null = null;
      do {
        const found: FoundIds = await findRunIds(bed.client, "default", ANY_RUN, {
          after,
          oldestFirst: false,
          limit: 10_000,
        });
        ids.push(...found.ids);
        after = found.next;
      } while (after !== null);
      expect(ids).toEqual([...new Set(ids)].toSorted().toReversed());
      expect(ids).toHaveLength(RUNS);
    },
  );

  it("of those that live are found beside any number of another namespace, which is told nothing of them", async () => {
    const bed = await storeBed();
    const { client } = await bed.owner();
    const write = async (namespace: string, age: string, count: number): Promise<void> => {
      await bed.query(
        `WITH made AS (INSERT INTO cairn.runs (id, namespace, type, version, status, payload, run_at, created_at)
        SELECT cairn.id_from_time(cairn.now() - $2::interval + n * interval '1 ms'), $1, 'waits.v1', 'v', 'pending', '{}',
          cairn.now(), cairn.now() - $2::interval FROM generate_series(1, $3::int) AS n RETURNING id, created_at)
        INSERT INTO cairn.queue (run_id, pool, priority, state, ready_at, phase)
        SELECT id, $1 || ':*', 0, 'parked', created_at, 'waiting' FROM made`,
        namespace,
        age,
        count,
      );
    };
    await write("mine", "2 days", 60);
    await write("theirs", "1 day", 20_000);
    await write("theirs", "3 days", 20_000);
    await bed.query("VACUUM (ANALYZE) cairn.runs, cairn.queue");
    for (const filter of [{ phases: ["waiting"] }, { statuses: ["pending", "leased"] }] as Partial<RunFilter>[]) {
      for (const oldestFirst of [false, true]) {
        const wanted = { ...ANY_RUN, ...filter };
        const seen: Plan[] = [];
        await findRunIds(explaining(client, seen), "mine", wanted, { ...FIRST, oldestFirst });
        expect(seen.reduce((sum, plan) => sum + blocksOf(plan), 0)).toBeLessThan(BLOCKS_MAX);
        const first = await findRunIds(bed.client, "mine", wanted, { ...FIRST, oldestFirst });
        expect(first.ids).toHaveLength(LIMIT);
        expect(first.next).toBe(first.ids.at(-1));
        const second = await findRunIds(bed.client, "mine", wanted, { ...FIRST, oldestFirst, after: first.next });
        expect([second.ids.length, second.next]).toEqual([10, null]);
        expect(await findRunIds(bed.client, "empty", wanted, FIRST)).toEqual({ ids: [], next: null });
      }
    }
  });
});

function blocksOf(plan: Plan): number {
  return plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];
}
