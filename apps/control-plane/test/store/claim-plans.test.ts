import type pg from "pg";
import { describe, expect, it } from "vitest";
import { Claims } from "../../src/runloop/claims.ts";
import {
  claimByAge,
  claimByPriority,
  claimFromFront,
  claimQuarantined,
  poolsWithWork,
} from "../../src/store/claim-runs.ts";
import { explaining, nodesOf, type Plan } from "../support/explaining.ts";
import { type StoreBed, storeBed, type TestOwner } from "../support/test-store.ts";

/** `npm run verify` has a million. */
const ROWS = Number(process.env["CAIRN_QUEUE_ROWS"] ?? 50_000);
const CLAIMED = Math.min(100_000, ROWS * 0.4);
const POOL = "default:*";

async function fill(bed: StoreBed, sleepers: number, priorities = 5): Promise<void> {
  await bed.sql.query("SET synchronous_commit = off");
  // Started over an hour; one in fifty in another pool.
  await bed.query(
    `INSERT INTO cairn.queue (run_id, pool, priority, state, ready_at, phase)
    SELECT gen_random_uuid(), CASE WHEN n % 50 = 0 THEN 'default:job' || n % 7 ELSE $2 END, n % $3::int, 'ready',
      cairn.now() - interval '1 hour' + n * interval '1 hour' / $1, 'ready'
    FROM generate_series(1, $1) AS n`,
    ROWS - sleepers,
    POOL,
    priorities,
  );
  await bed.query(
    `INSERT INTO cairn.queue (run_id, pool, priority, state, ready_at, wake_at, phase)
    SELECT gen_random_uuid(), $2, 100, 'parked', cairn.now(), cairn.now() + n * interval '1 s', 'sleeping'
    FROM generate_series(1, $1) AS n`,
    sleepers,
    POOL,
  );
  await bed.query("VACUUM (ANALYZE) cairn.queue");
}

/** The statements that look for work, by name. */
const STATEMENTS: readonly (readonly [
  name: string,
  index: string,
  ask: (client: pg.ClientBase, owner: string) => Promise<unknown>,
])[] = [
  ["from the front", "queue_by_priority", (client, owner) => claimFromFront(client, owner, POOL, 100)],
  ["by age", "queue_by_age", (client, owner) => claimByAge(client, owner, POOL, 100, 0)],
  [
    "from where it was",
    "queue_by_priority",
    (client, owner) =>
      claimByPriority(
        client,
        owner,
        POOL,
        100,
        [4, 3, 2, 1, 0].map((priority) => ({ priority, readyFrom: Date.now() - 1_800_000 })),
      ),
  ],
  ["in quarantine", "queue_in_quarantine", (client, owner) => claimQuarantined(client, owner, null)],
  ["pools with work", "queue_by_", (client) => poolsWithWork(client)],
];

/** Blocks that a claim of 100 rows may touch, however many rows there are: some for each row, and some for the way. */
const BLOCKS_MAX = 2_500;

async function expectIndexes(owner: TestOwner): Promise<void> {
  for (const [name, index, ask] of STATEMENTS) {
    const seen: Plan[] = [];
    await ask(explaining(owner.client, seen), owner.id);
    const [plan] = seen as [Plan];
    const all = nodesOf(plan);
    const what = `${name}: ${all.map((node) => `${node["Node Type"]} ${node["Index Name"] ?? ""}`).join("; ")}`;
    const used = all.flatMap((node) => node["Index Name"] ?? []);
    expect(
      used.some((each) => each.startsWith(index)),
      what,
    ).toBe(true);
    expect(
      all.filter((node) => ["Seq Scan", "Sort"].includes(node["Node Type"])),
      what,
    ).toEqual([]);
    expect(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"], what).toBeLessThan(BLOCKS_MAX);
  }
}

describe(`a claim from ${ROWS} rows`, () => {
  it("uses its index", async () => {
    const bed = await storeBed();
    await fill(bed, 0);
    await expectIndexes(await bed.owner({ leaseMs: 600_000 }));
  });

  it(`uses its index beside ${ROWS * 0.3} sleepers of a high priority`, async () => {
    const bed = await storeBed();
    await fill(bed, ROWS * 0.3);
    await expectIndexes(await bed.owner({ leaseMs: 600_000 }));
  });
});

describe("beside a transaction that stays open", () => {
  it(`a claim after ${CLAIMED} claimed runs reads at most 1.5 times as much as the first one, in the median`, async () => {
    const bed = await storeBed();
    await fill(bed, 0, 1);
    const owner = await bed.owner({ leaseMs: 600_000 });
    const open = await bed.connect();
    await open.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
    await open.query("SELECT FROM cairn.queue LIMIT 1");
    const claims = new Claims(() => performance.now());
    const reads: number[] = [];
    for (let claimed = 0; claimed < CLAIMED;) {
      const before = await blocksRead(owner.client);
      claimed += (await claims.take(owner.client, owner.id, 20, () => 20)).length;
      reads.push((await blocksRead(owner.client)) - before);
    }
    const [first] = reads as [number];
    const last = reads.slice(-200).sort((a, b) => a - b);
    expect(first).toBeGreaterThan(20);
    expect(last[100]).toBeLessThanOrEqual(1.5 * first);
    await open.query("COMMIT");
  });

  it("the claim uses its index", async () => {
    const bed = await storeBed();
    await fill(bed, ROWS * 0.3);
    const owner = await bed.owner({ leaseMs: 600_000 });
    const open = await bed.connect();
    await open.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
    await open.query("SELECT FROM cairn.queue LIMIT 1");
    await expectIndexes(owner);
    await open.query("COMMIT");
  });
});

/** By this session, of the queue and its indexes. */
async function blocksRead(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ blocks: number }>(
    `SELECT sum(pg_stat_get_xact_blocks_fetched(c.oid))::int8 AS blocks FROM pg_class AS c
    WHERE c.oid = 'cairn.queue'::regclass OR c.oid IN (SELECT indexrelid FROM pg_index WHERE indrelid = 'cairn.queue'::regclass)`,
  );
  return rows[0]!.blocks;
}
