import { expect, it } from "vitest";
import { FIRST_GROUP, grantCalls, type LimitedAction, registerLimits, sweepLimits } from "../../src/store/limits.ts";
import { type TestBed, testBed } from "../support/test-engine.ts";
import { connect } from "../support/test-runloop.ts";

const MAIL = { namespace: "default", action: "mail.send" };
const NOBODY = "00000000-0000-0000-0000-000000000000";
const WAITING = 100_000;

const limits = (changes: Partial<LimitedAction>): LimitedAction => ({
  ...MAIL,
  concurrency: null,
  rate: null,
  ...changes,
});

/** Calls that wait: of one key, or of so many. */
async function waiters(bed: TestBed, count: number, keys: number, rateKeys = 1): Promise<void> {
  await bed.query(
    `INSERT INTO cairn.limited_calls (run_id, call, attempt, namespace, action, key, rate_key, priority)
    SELECT cairn.new_id(), n::text, 1, 'default', 'mail.send', 't' || n % $2, 't' || n % $3, n % 3
    FROM generate_series(1, $1) AS n`,
    count,
    keys,
    rateKeys,
  );
  await bed.query("ANALYZE cairn.limited_calls");
}

/** Blocks that a grant reads, by what Postgres counts for its session. */
async function blocksRead(bed: TestBed, key: string): Promise<number> {
  const client = await connect(bed);
  const explained = `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT * FROM cairn.grant_calls('${NOBODY}', 'default', 'mail.send', '${key}')`;
  // The first one of a session reads the catalogue.
  await client.query("SELECT * FROM cairn.grant_calls($1, 'default', 'mail.send', 'none')", [NOBODY]);
  const { rows } = await client.query<{ "QUERY PLAN": string }>(explained);
  const [{ Plan }] = JSON.parse(rows[0]!["QUERY PLAN"]) as [
    { Plan: { "Shared Hit Blocks": number; "Shared Read Blocks": number } },
  ];
  return Plan["Shared Hit Blocks"] + Plan["Shared Read Blocks"];
}

it("granting reads a few blocks for each call that is granted, however many wait: 100,000 of one key", async () => {
  const bed = await testBed();
  await registerLimits(await connect(bed), limits({ concurrency: { limit: 5, key: null } }));
  await waiters(bed, WAITING, 1);
  expect(await blocksRead(bed, "t0")).toBeLessThan(400);
  // Nothing is free any more.
  expect(await blocksRead(bed, "t0")).toBeLessThan(100);
});

it("granting by a rate looks at each key of the rate once: 100,000 calls of 10 keys", async () => {
  const bed = await testBed();
  await registerLimits(await connect(bed), limits({ rate: { limit: 1, perMs: 60_000, key: { path: "0" } } }));
  await waiters(bed, WAITING, 1, 10);
  expect(await blocksRead(bed, "t0")).toBeLessThan(1_200);
});

it("by priority, then by age", async () => {
  const bed = await testBed();
  const client = await connect(bed);
  await registerLimits(client, limits({ concurrency: { limit: 4, key: null } }));
  await waiters(bed, 9, 1);
  expect(await grantCalls(client, NOBODY, { ...MAIL, key: "t0" })).toMatchObject({ count: 4, lettersSent: true });
  const granted = await bed.query<{ call: string }>(
    "SELECT call FROM cairn.limited_calls WHERE granted_at IS NOT NULL ORDER BY call",
  );
  expect(granted.map(({ call }) => call)).toEqual(["1", "2", "5", "8"]);
});

it("whoever grants at one time grants no more than the limit together", async () => {
  const bed = await testBed();
  await registerLimits(await connect(bed), limits({ concurrency: { limit: 7, key: null } }));
  await waiters(bed, 500, 1);
  const clients = await Promise.all(Array.from({ length: 8 }, () => connect(bed)));
  const granted = await Promise.all(clients.map((client) => grantCalls(client, NOBODY, { ...MAIL, key: "t0" })));
  expect(granted.reduce((sum, { count }) => sum + count, 0)).toBe(7);
});

it("a sweep goes over all keys with calls that wait, some at a time", async () => {
  const bed = await testBed();
  const client = await connect(bed);
  await registerLimits(client, limits({ concurrency: { limit: 1, key: null } }));
  await waiters(bed, 1_400, 700);
  const granted = (): Promise<unknown[]> => bed.query("SELECT FROM cairn.limited_calls WHERE granted_at IS NOT NULL");
  const { next } = await sweepLimits(client, FIRST_GROUP);
  expect(next).not.toEqual(FIRST_GROUP);
  expect(await granted()).toHaveLength(500);
  // The second one begins by dropping what was granted to runs that are no more: there never were any.
  expect((await sweepLimits(client, next)).next).toEqual(FIRST_GROUP);
  expect(await granted()).toHaveLength(200);
});

it("what has not changed is not written, and what was never limited is not either", async () => {
  const bed = await testBed();
  const client = await connect(bed);
  expect(await registerLimits(client, limits({}))).toBe(false);
  expect(await registerLimits(client, limits({ rate: { limit: 5, perMs: 1_000, key: { path: "0.a" } } }))).toBe(true);
  expect(await registerLimits(client, limits({ rate: { limit: 5, perMs: 1_000, key: { path: "0.a" } } }))).toBe(false);
  expect(await registerLimits(client, limits({}))).toBe(true);
  expect(await registerLimits(client, limits({}))).toBe(false);
});
