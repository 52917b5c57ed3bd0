import { describe, expect, it } from "vitest";
import { Claims } from "../../src/runloop/claims.ts";
import {
  claimByAge,
  claimByPriority,
  claimFromFront,
  claimQuarantined,
  poolsWithWork,
} from "../../src/store/claim-runs.ts";
import { startRuns } from "../../src/store/start-runs.ts";
import { type StoreBed, storeBed } from "../support/test-store.ts";

const POOL = "default:*";

/** Queue rows alone, in the order of the list; `age` in seconds. */
async function enqueue(
  bed: StoreBed,
  rows: readonly { priority?: number; age?: number; pool?: string }[],
): Promise<string[]> {
  const added = await bed.query<{ id: string }>(
    `INSERT INTO cairn.queue (run_id, pool, priority, state, ready_at, phase)
    SELECT cairn.new_id(), r.pool, r.priority, 'ready', date_trunc('second', cairn.now()) - r.age * interval '1 s', 'ready'
    FROM unnest($1::text[], $2::int[], $3::int[]) WITH ORDINALITY AS r (pool, priority, age, ordinal) ORDER BY r.ordinal
    RETURNING run_id AS id`,
    rows.map(({ pool = POOL }) => pool),
    rows.map(({ priority = 0 }) => priority),
    rows.map(({ age = 0 }) => age),
  );
  return added.map(({ id }) => id);
}

const ids = (runs: readonly { readonly id: string }[]): string[] => runs.map(({ id }) => id);

describe("a claim", () => {
  it("makes runs the owner's: held, running, with the time they began", async () => {
    const bed = await storeBed();
    const owner = await bed.owner();
    const run = await bed.newRun();
    await startRuns(bed.client, null, [run]);
    const [claimed] = await claimFromFront(owner.client, owner.id, POOL, 10);
    expect(claimed).toMatchObject({ id: run.id, priority: 0, crashes: 0, attempt: 1, begun: false, callsOut: false });
    const [row] = await bed.query("SELECT state, owner, phase, calls_out, started_at FROM cairn.queue");
    expect(row).toMatchObject({ state: "held", owner: owner.id, phase: "running", calls_out: true });
    expect(row!["started_at"].getTime()).toBe(claimed!.startedAt);
  });

  it("is exclusive: eight who claim at once get each run once", async () => {
    const bed = await storeBed();
    await enqueue(
      bed,
      Array.from({ length: 2_000 }, (_, index) => ({ priority: index % 3 })),
    );
    const owners = await Promise.all(Array.from({ length: 8 }, () => bed.owner()));
    const taken = await Promise.all(
      owners.map(async ({ client, id }, index) => {
        const mine: string[] = [];
        for (;;) {
          const claimed = await (index % 2 === 0
            ? claimFromFront(client, id, POOL, 7)
            : claimByAge(client, id, POOL, 7, 0));
          if (claimed.length === 0) return mine;
          mine.push(...ids(claimed));
        }
      }),
    );
    const all = taken.flat();
    expect(all.length).toBe(2_000);
    expect(new Set(all).size).toBe(2_000);
    const held = await bed.query<{ owner: string; count: number }>(
      "SELECT owner, count(*)::int FROM cairn.queue WHERE state = 'held' GROUP BY 1",
    );
    expect(new Map(held.map(({ owner, count }) => [owner, count]))).toEqual(
      new Map(owners.map(({ id }, index) => [id, taken[index]!.length])),
    );
  });

  it.each(["on", "off"])("is by priority, then by age, and comes in that order: nested loops are %s", async (loops) => {
    const bed = await storeBed();
    const owner = await bed.owner();
    // Whatever the plan is: an UPDATE returns rows as they come.
    await owner.client.query(`SET enable_nestloop = ${loops}`);
    const rows = Array.from({ length: 200 }, (_, index) => ({ priority: (index * 7) % 5, age: (index * 13) % 200 }));
    const added = await enqueue(bed, rows);
    const expected = added
      .map((id, index) => ({ id, ...rows[index]! }))
      .sort((a, b) => b.priority - a.priority || b.age - a.age)
      .map(({ id }) => id);
    expect(ids(await claimFromFront(owner.client, owner.id, POOL, 60))).toEqual(expected.slice(0, 60));
    expect(ids(await claimFromFront(owner.client, owner.id, POOL, 200))).toEqual(expected.slice(60));
  });

  it("from where it was goes on by priority, then by age", async () => {
    const bed = await storeBed();
    const owner = await bed.owner();
    const [low, high, newer, before] = await enqueue(bed, [
      { priority: 1, age: 50 },
      { priority: 2, age: 10 },
      { priority: 2, age: 5 },
      { priority: 2, age: 100 },
    ]);
    const [{ at }] = (await bed.query<{ at: number }>(
      "SELECT extract(epoch FROM cairn.now() - interval '60 s')::float8 * 1000 AS at",
    )) as [{ at: number }];
    const cursors = [2, 1].map((priority) => ({ priority, readyFrom: at }));
    expect(ids(await claimByPriority(owner.client, owner.id, POOL, 2, cursors))).toEqual([high, newer]);
    expect(ids(await claimByPriority(owner.client, owner.id, POOL, 2, cursors))).toEqual([low]);
    expect(ids(await claimFromFront(owner.client, owner.id, POOL, 2))).toEqual([before]);
  });

  it("by age takes the oldest, whatever their priority", async () => {
    const bed = await storeBed();
    const owner = await bed.owner();
    const [old, middle, urgent] = await enqueue(bed, [
      { priority: -100, age: 30 },
      { age: 20 },
      { priority: 100, age: 10 },
    ]);
    expect(ids(await claimByAge(owner.client, owner.id, POOL, 2, 0))).toEqual([old, middle]);
    expect(ids(await claimByAge(owner.client, owner.id, POOL, 2, 0))).toEqual([urgent]);
  });

  it("takes nothing of other pools, of a later format, in quarantine, parked or held by others", async () => {
    const bed = await storeBed();
    const owner = await bed.owner();
    const other = await bed.owner();
    const [mine, , later, suspect, parked, held] = await enqueue(bed, [
      {},
      { pool: "default:billing" },
      ...Array.from({ length: 4 }, () => ({ priority: 9 })),
    ]);
    await bed.query("UPDATE cairn.queue SET format = 2 WHERE run_id = $1", later);
    await bed.query("UPDATE cairn.queue SET crashes = 2 WHERE run_id = $1", suspect);
    await bed.query("UPDATE cairn.queue SET state = 'parked' WHERE run_id = $1", parked);
    await bed.query("UPDATE cairn.queue SET state = 'held', owner = $2 WHERE run_id = $1", held, other.id);
    expect(await poolsWithWork(bed.client)).toEqual([POOL, "default:billing"]);
    expect(ids(await claimFromFront(owner.client, owner.id, POOL, 10))).toEqual([mine]);
    const cursor = { priority: 9, readyFrom: 0 };
    expect(await claimByPriority(owner.client, owner.id, POOL, 10, [cursor])).toEqual([]);
    expect(await claimByAge(owner.client, owner.id, POOL, 10, 0)).toEqual([]);
    expect(ids(await claimQuarantined(owner.client, owner.id, null))).toEqual([suspect]);
    expect(await claimQuarantined(owner.client, owner.id, null)).toEqual([]);
  });

  it("in quarantine is of workflows, and of jobs that are served, whatever their leases", async () => {
    const bed = await storeBed();
    const owner = await bed.owner({ alone: true });
    const pools = ["default:media", "default:billing", "default:@60000:billing", "default:@60000:*"];
    const [, ...served] = await enqueue(
      bed,
      pools.map((pool, index) => ({ pool, age: 10 - index })),
    );
    await bed.query("UPDATE cairn.queue SET crashes = 2");
    for (const id of served) {
      expect(ids(await claimQuarantined(owner.client, owner.id, null, ["default:billing"]))).toEqual([id]);
    }
    expect(await claimQuarantined(owner.client, owner.id, null, ["default:billing"])).toEqual([]);
    expect(await claimQuarantined(owner.client, owner.id, null, null)).toHaveLength(1);
  });

  it("in quarantine is of one run at a time, the longest waiting first", async () => {
    const bed = await storeBed();
    const owner = await bed.owner({ alone: true });
    const [second, first] = await enqueue(bed, [{ age: 5 }, { age: 50 }]);
    await bed.query("UPDATE cairn.queue SET crashes = 3");
    expect(await claimQuarantined(owner.client, owner.id, null)).toMatchObject([{ id: first, crashes: 3 }]);
    expect(await claimQuarantined(owner.client, owner.id, null)).toMatchObject([{ id: second }]);
  });

  it("I3: by an owner whose lease has run out, or who is gone, takes nothing", async () => {
    const bed = await storeBed();
    const owner = await bed.owner();
    await enqueue(bed, [{}]);
    await bed.advance(30_001);
    expect(await claimFromFront(owner.client, owner.id, POOL, 10)).toEqual([]);
    const other = await bed.owner();
    await bed.query("DELETE FROM cairn.owners WHERE id = $1", other.id);
    expect(await claimFromFront(other.client, other.id, POOL, 10)).toEqual([]);
    expect(await bed.query("SELECT state FROM cairn.queue")).toEqual([{ state: "ready" }]);
  });

  it("waits for no row that another transaction has locked", async () => {
    const bed = await storeBed();
    const owner = await bed.owner();
    const [locked, free] = await enqueue(bed, [{ priority: 5 }, {}]);
    await bed.sql.query("BEGIN");
    await bed.query("SELECT FROM cairn.queue WHERE run_id = $1 FOR UPDATE", locked);
    await owner.client.query("SET lock_timeout = 200");
    expect(ids(await claimFromFront(owner.client, owner.id, POOL, 10))).toEqual([free]);
    await bed.sql.query("ROLLBACK");
    expect(ids(await claimFromFront(owner.client, owner.id, POOL, 10))).toEqual([locked]);
  });

  it("never finds a run that was soft-deleted", async () => {
    const bed = await storeBed();
    const owner = await bed.owner();
    const run = await bed.newRun();
    await startRuns(bed.client, null, [run]);
    await bed.query("SELECT cairn.delete_run($1)", run.id);
    expect(await claimFromFront(owner.client, owner.id, POOL, 10)).toEqual([]);
  });
});

describe("the claims of a runloop", () => {
  const everything = (): number => 1_000;

  it("I12: come from all pools that there is room for, and from no other", async () => {
    const bed = await storeBed();
    const owner = await bed.owner();
    const [a1, a2, , c] = await enqueue(bed, [{ pool: "n:a" }, { pool: "n:a" }, { pool: "n:b" }, { pool: "n:c" }]);
    const claims = new Claims(() => 0);
    const room = new Map([
      ["n:a", 5],
      ["n:b", 0],
      ["n:c", 1],
    ]);
    const taken = await claims.take(owner.client, owner.id, 10, (pool) => room.get(pool)!);
    expect(ids(taken).sort()).toEqual([a1, a2, c].sort());
    expect(await bed.query("SELECT pool FROM cairn.queue WHERE state = 'ready'")).toEqual([{ pool: "n:b" }]);
  });

  it("I12: take no more than there is room for in all", async () => {
    const bed = await storeBed();
    const owner = await bed.owner();
    await enqueue(
      bed,
      Array.from({ length: 30 }, (_, index) => ({ pool: `n:${index % 3}` })),
    );
    expect(await new Claims(() => 0).take(owner.client, owner.id, 12, everything)).toHaveLength(12);
  });

  it("I12: one in ten is by age alone, so that what has a low priority does not starve", async () => {
    const bed = await storeBed();
    const owner = await bed.owner();
    const [starving] = await enqueue(bed, [{ priority: -100, age: 1_000 }]);
    const claims = new Claims(() => 0);
    const taken: string[] = [];
    for (let claim = 1; claim <= 10; claim += 1) {
      await enqueue(
        bed,
        Array.from({ length: 5 }, () => ({ priority: 100 })),
      );
      taken.push(...ids(await claims.take(owner.client, owner.id, 3, everything)));
      expect(taken.includes(starving!)).toBe(claim === 10);
    }
  });

  it("I12: a higher priority that comes behind many is taken next, once the front is looked at, within a second", async () => {
    const bed = await storeBed();
    const owner = await bed.owner();
    await enqueue(
      bed,
      Array.from({ length: 500 }, () => ({ age: 1 })),
    );
    let now = 10_000;
    const claims = new Claims(() => now);
    await claims.take(owner.client, owner.id, 50, everything);
    const [urgent] = await enqueue(bed, [{ priority: 50 }]);
    now += 1_000;
    expect(ids(await claims.take(owner.client, owner.id, 50, everything))[0]).toBe(urgent);
  });

  it("find what was committed late, before where they have come to, within a second", async () => {
    const bed = await storeBed();
    const owner = await bed.owner();
    await enqueue(
      bed,
      Array.from({ length: 20 }, () => ({})),
    );
    let now = 10_000;
    const claims = new Claims(() => now);
    await claims.take(owner.client, owner.id, 5, everything);
    const [late] = await enqueue(bed, [{ age: 3_600 }]);
    expect(ids(await claims.take(owner.client, owner.id, 5, everything))).not.toContain(late);
    now += 1_000;
    expect(ids(await claims.take(owner.client, owner.id, 5, everything))[0]).toBe(late);
  });

  it("find everything when there is nothing where they have come to", async () => {
    const bed = await storeBed();
    const owner = await bed.owner();
    await enqueue(bed, [{ priority: 3 }]);
    const claims = new Claims(() => 10_000);
    await claims.take(owner.client, owner.id, 5, everything);
    const [late, low] = await enqueue(bed, [{ priority: 3, age: 60 }, { priority: -3 }]);
    expect(ids(await claims.take(owner.client, owner.id, 5, everything))).toEqual([late, low]);
  });

  it("find a pool that is new while another one is busy, within a second", async () => {
    const bed = await storeBed();
    const owner = await bed.owner();
    await enqueue(
      bed,
      Array.from({ length: 100 }, () => ({ pool: "n:busy" })),
    );
    let now = 10_000;
    const claims = new Claims(() => now);
    await claims.take(owner.client, owner.id, 5, everything);
    const [other] = await enqueue(bed, [{ pool: "n:new" }]);
    now += 1_000;
    expect(ids(await claims.take(owner.client, owner.id, 50, () => 5))).toContain(other);
  });
});
