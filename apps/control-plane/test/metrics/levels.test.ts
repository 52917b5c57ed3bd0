import { describe, expect, it } from "vitest";
import { DatabaseLook } from "../../src/metrics/database-levels.ts";
import { COUNTED_MAX, operatingLevels, poolDepths } from "../../src/store/operating-levels.ts";
import type { Queryable } from "../../src/store/statement.ts";
import { explaining, nodesOf, type Plan } from "../support/explaining.ts";
import { storeBed } from "../support/test-store.ts";

const HOT = ["queue", "limited_calls", "outbox_events", "outbox_backlog", "schedules"];
/** What is counted of 100,000 rows that are all of one kind: of each kind no more than 10,000 entries of an index. */
const ROWS_MAX = 25_000;

type ScannedPlan = Plan & {
  readonly "Relation Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
};

describe("what a scrape asks of the database", () => {
  it("is found by indexes and counted so far: beside 100,000 rows of each kind it scans none of the tables", async () => {
    const bed = await storeBed();
    const owner = await bed.owner();
    await bed.query(`INSERT INTO cairn.queue (run_id, pool, priority, state, ready_at, wake_at, owner, phase, crashes)
      SELECT gen_random_uuid(), 'default:pool' || n % 20, 0, s.state, cairn.now() - n * interval '1 ms',
        CASE s.state WHEN 'parked' THEN cairn.now() + interval '1 day' END, CASE s.state WHEN 'held' THEN gen_random_uuid() END,
        'ready', CASE WHEN n % 1000 = 0 AND s.state = 'ready' THEN 2 ELSE 0 END
      FROM generate_series(1, 33000) AS n, (VALUES ('ready'), ('parked'), ('held')) AS s (state)`);
    await bed.query(`INSERT INTO cairn.limited_calls (run_id, call, attempt, namespace, action, key, rate_key, priority, granted_at)
      SELECT gen_random_uuid(), '1', 1, 'default', 'a', '', '', 0, CASE WHEN n % 2 = 0 THEN cairn.now() END
      FROM generate_series(1, 30000) AS n`);
    await bed.query(`INSERT INTO cairn.outbox_events (namespace, run_id, type, data, created_at, passed, published_at)
      SELECT 'default', gen_random_uuid(), 'test.v1', '{}', cairn.now() - interval '1 minute', n > 100, CASE WHEN n > 100 THEN cairn.now() END
      FROM generate_series(1, 30000) AS n`);
    await bed.query(`INSERT INTO cairn.outbox_backlog (event_id, subscription, run_id, shard, dead_at)
      SELECT n, 1, gen_random_uuid(), n % 16, CASE WHEN n % 2 = 0 THEN cairn.now() END FROM generate_series(1, 30000) AS n`);
    await bed.query("ANALYZE cairn.queue, cairn.limited_calls, cairn.outbox_events, cairn.outbox_backlog");
    const pools = await poolDepths(bed.client);
    expect(pools).toHaveLength(20);
    expect(pools.reduce((all, { ready }) => all + ready, 0)).toBe(33_000 - 33);
    expect(Math.max(...pools.map(({ oldestMs }) => oldestMs))).toBeGreaterThan(32_000);
    expect(await operatingLevels(bed.client)).toMatchObject({
      live: expect.closeTo(99_000, -4),
      held: COUNTED_MAX,
      quarantined: 33,
      limitedWaiting: COUNTED_MAX,
      limitedOpen: COUNTED_MAX,
      backlog: COUNTED_MAX,
      deadLetters: COUNTED_MAX,
      scheduleLateMs: null,
      outboxLagMs: expect.closeTo(60_000, -5),
    });
    const asked: ((client: Queryable) => Promise<unknown>)[] = [poolDepths, operatingLevels];
    for (const ask of asked) {
      const plans: Plan[] = [];
      await ask(explaining(owner.client, plans)).catch(() => {});
      expect(plans).toHaveLength(1);
      for (const node of nodesOf(plans[0]!) as ScannedPlan[]) {
        const what = `${ask.name}: ${node["Node Type"]} of ${node["Relation Name"]}`;
        if (HOT.includes(node["Relation Name"] ?? "")) expect(node["Node Type"], what).toMatch(/Index/);
        expect(node["Actual Rows"] * (ask === poolDepths ? 1 : node["Actual Loops"]), what).toBeLessThan(ROWS_MAX);
      }
    }
  });

  it("is asked once by however many ask at the same time, and no more than once a second", async () => {
    const bed = await storeBed();
    let asked = 0;
    const client = {
      query: (...what: unknown[]) => {
        asked += 1;
        return (bed.client.query as (...all: unknown[]) => unknown)(...what);
      },
    } as unknown as Queryable;
    const look = new DatabaseLook(client);
    const seen = await Promise.all(Array.from({ length: 10 }, () => look.levels()));
    expect(new Set(seen).size).toBe(1);
    expect(seen[0]).toMatchObject({ pools: [], all: { live: 0, held: 0 } });
    await look.levels();
    expect(asked).toBe(2);
  });

  it("says that the database is away, and nothing else of it", async () => {
    const look = new DatabaseLook({ query: () => Promise.reject(new Error("ECONNREFUSED")) } as unknown as Queryable);
    expect(await look.levels()).toEqual({ pools: [], all: null, skewMs: 0 });
  });
});
