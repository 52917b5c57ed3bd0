import { describe, expect, it } from "vitest";
import { listRuns, type RunFilter } from "../../src/store/list-runs.ts";
import { explaining, type Plan } from "../support/explaining.ts";
import { storeBed } from "../support/test-store.ts";

const RUNS = 40_000;
const LIMIT = 50;
/** Some for each row that is shown, whatever there is beside them. */
const BLOCKS_MAX = 1_000;

const ANY: RunFilter = {
  type: null,
  statuses: null,
  phases: null,
  tag: null,
  since: null,
  until: null,
  before: null,
  limit: LIMIT,
};

describe(`a list of runs beside ${RUNS} others`, () => {
  it("finds those that few are, however old they are, by an index", { timeout: 120_000 }, async () => {
    const bed = await storeBed();
    const { client } = await bed.owner();
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
      ["default", { statuses: ["failed"], type: "busy.v1" }],
      ["default", { statuses: ["pending"] }],
      ["default", { phases: ["waiting"] }],
      ["default", { type: "rare.v1" }],
      ["small", {}],
      ["small", { statuses: ["succeeded"] }],
    ];
    for (const [namespace, filter] of asked) {
      const name = JSON.stringify([namespace, filter]);
      const found = await listRuns(client, namespace, { ...ANY, ...filter });
      expect(found, name).toHaveLength(LIMIT);
      const [last] = await listRuns(client, namespace, { ...ANY, ...filter, before: found[0]!.id, limit: 1 });
      expect(last, name).toEqual(found[1]);
      const seen: Plan[] = [];
      await listRuns(explaining(client, seen), namespace, { ...ANY, ...filter });
      const blocks = seen[0]!["Shared Hit Blocks"] + seen[0]!["Shared Read Blocks"];
      expect(blocks, name).toBeLessThan(BLOCKS_MAX);
    }
  });
});
