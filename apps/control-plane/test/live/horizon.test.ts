import fc from "fast-check";
import pg from "pg";
import { expect, it } from "vitest";
import { Horizon } from "../../src/live/horizon.ts";
import { RUN_EVENTS_TABLE } from "../../src/store/event-horizon.ts";
import { openPool } from "../../src/store/connection.ts";
import { cleanUp } from "../support/cleanups.ts";
import { type TestBed, testBed } from "../support/test-engine.ts";

const ROW = "(run_id, kind, at)";
const VALUES = "cairn.new_id(), 'log', cairn.now()";

/** Every way in which events are written, and some in which users may. */
const WRITES: Readonly<Record<string, pg.QueryConfig | string>> = {
  plain: `INSERT INTO cairn.run_events ${ROW} VALUES (${VALUES})`,
  prepared: {
    name: "write",
    text: `INSERT INTO cairn.run_events ${ROW} SELECT ${VALUES} WHERE $1::int > 0`,
    values: [1],
  },
  within: `WITH slow AS MATERIALIZED (SELECT pg_sleep(0.002)), w AS (
    INSERT INTO cairn.run_events ${ROW} SELECT ${VALUES} FROM slow RETURNING id) SELECT id FROM w`,
  slowly: `INSERT INTO cairn.run_events ${ROW} SELECT ${VALUES} FROM generate_series(1, 3), LATERAL pg_sleep(0.002)`,
  called: "SELECT cairn.test_write()",
  caught: `DO $$ BEGIN
    BEGIN INSERT INTO cairn.run_events ${ROW} VALUES (${VALUES}); RAISE division_by_zero;
    EXCEPTION WHEN division_by_zero THEN INSERT INTO cairn.run_events ${ROW} VALUES (${VALUES}); END;
  END $$`,
};

const write = fc.constantFrom(...Object.keys(WRITES));
const act = fc.oneof(
  { weight: 4, arbitrary: write },
  fc.constantFrom("SAVEPOINT s", "ROLLBACK TO s", "RELEASE s", "SELECT pg_sleep(0.003)"),
);
const transaction = fc.record({
  acts: fc.array(act, { minLength: 1, maxLength: 6 }),
  end: fc.constantFrom("COMMIT", "COMMIT", "ROLLBACK"),
});

async function sessionOf(bed: TestBed): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: bed.url });
  await client.connect();
  cleanUp(() => client.end());
  return client;
}

async function play(
  client: pg.Client,
  transactions: readonly { acts: readonly string[]; end: string }[],
): Promise<void> {
  for (const { acts, end } of transactions) {
    await client.query("BEGIN");
    let saved = 0;
    for (const each of acts) {
      if (each === "SAVEPOINT s") saved += 1;
      if (each.endsWith(" s") && each !== "SAVEPOINT s" && saved === 0) continue;
      if (each === "RELEASE s") saved -= 1;
      await client.query(WRITES[each] ?? each);
    }
    await client.query(end);
  }
}

it("of ids that are decided, none is written any more, whoever writes however", async () => {
  const bed = await testBed();
  await bed.query(`CREATE FUNCTION cairn.test_write() RETURNS void LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO cairn.run_events ${ROW} VALUES (${VALUES}); END $$`);
  const sessions = await Promise.all(Array.from({ length: 5 }, () => sessionOf(bed)));
  const pool = openPool(bed.url, "test", 2);
  cleanUp(() => pool.end());
  const warnings: unknown[] = [];
  const ids = async (upTo: number): Promise<number[]> =>
    (await pool.query<{ id: number }>("SELECT id FROM cairn.run_events WHERE id <= $1 ORDER BY id", [upTo])).rows.map(
      ({ id }) => id,
    );
  let looks = 0;
  const property = fc.asyncProperty(
    fc.array(fc.array(transaction, { maxLength: 8 }), { minLength: 5, maxLength: 5 }),
    async (scripts) => {
      const horizon = new Horizon({
        client: pool,
        table: RUN_EVENTS_TABLE,
        now: () => performance.now(),
        warn: (_, error) => warnings.push(error),
      });
      const seen: { readonly decided: number; readonly ids: readonly number[] }[] = [];
      const state = { isOver: false };
      const look = async (): Promise<void> => {
        while (!state.isOver) {
          await horizon.look();
          const { decided } = horizon;
          if (decided !== null && decided !== seen.at(-1)?.decided) seen.push({ decided, ids: await ids(decided) });
        }
      };
      const looking = look();
      await Promise.all(sessions.map((session, index) => play(session, scripts[index]!)));
      state.isOver = true;
      await looking;
      looks += seen.length;
      for (const each of seen) expect(each.ids).toEqual(await ids(each.decided));
      // And in the end all are.
      await horizon.look();
      await horizon.look();
      const [last] = await bed.query<{ max: string | null }>("SELECT max(id) FROM cairn.run_events");
      expect(horizon.decided).toBeGreaterThanOrEqual(Number(last!.max ?? 0));
    },
  );
  await fc.assert(property, { numRuns: 12, endOnFailure: true });
  expect(looks).toBeGreaterThan(20);
  expect(warnings).toEqual([]);
});

it("one who writes and stays open is waited for, and named; one who only reads, or writes other things, is not", async () => {
  const bed = await testBed();
  const [writer, other] = [await sessionOf(bed), await sessionOf(bed)];
  const pool = openPool(bed.url, "test", 2);
  cleanUp(() => pool.end());
  let now = 0;
  const warnings: string[] = [];
  const warn = (message: string, error: unknown): void => void warnings.push(`${message}: ${String(error)}`);
  const horizon = new Horizon({ client: pool, table: RUN_EVENTS_TABLE, now: () => now, warn });
  // A transaction with an id, which would hold up whoever reads below the oldest one.
  await other.query("BEGIN");
  await other.query("CREATE TABLE public.test_other (id int)");
  await other.query("SELECT count(*) FROM cairn.run_events");
  await writer.query(WRITES["plain"]!);
  expect(await horizon.look()).toBe(true);
  expect(horizon.decided).toBe(1);
  await writer.query("BEGIN");
  await writer.query(WRITES["plain"]!);
  await bed.query(WRITES["plain"] as string);
  await horizon.look();
  now = 6_000;
  await horizon.look();
  expect(horizon.decided).toBe(1);
  expect(horizon.lagMs).toBe(6_000);
  await expect.poll(() => warnings).toHaveLength(1);
  const pid = (writer as unknown as { readonly processID: number }).processID;
  expect(warnings[0]).toContain(`pid ${pid}`);
  await writer.query("ROLLBACK");
  await horizon.look();
  expect(horizon.decided).toBe(3);
  expect(horizon.lagMs).toBe(0);
});

it("ids that are lower than they were are those of another past", async () => {
  const bed = await testBed();
  const pool = openPool(bed.url, "test", 2);
  cleanUp(() => pool.end());
  const horizon = new Horizon({ client: pool, table: RUN_EVENTS_TABLE, now: () => 0, warn: () => {} });
  await bed.query(WRITES["plain"] as string);
  await bed.query(WRITES["plain"] as string);
  await horizon.look();
  await bed.query("SELECT setval('cairn.event_ids', 1)");
  expect(await horizon.look()).toBe(false);
  expect(horizon.decided).toBeNull();
  await horizon.look();
  expect(horizon.decided).toBe(1);
});
