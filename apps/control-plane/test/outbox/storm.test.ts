import pg from "pg";
import { describe, expect, it } from "vitest";
import type { OutgoingEvent } from "../../src/index.ts";
import { type TestBed, testBed, until } from "../support/test-engine.ts";
import { numbers, testSubscriber } from "../support/test-subscriber.ts";

const EVENTS = 100_000;
const RUNS = 1_000;
const BATCH = 100;

/** Of the runs in turn, a row each. */
async function fill(bed: TestBed, count: number): Promise<void> {
  await bed.query(
    `WITH runs AS MATERIALIZED (SELECT n, cairn.new_id() AS id FROM generate_series(0, ${RUNS - 1}) AS n)
    INSERT INTO cairn.outbox_events (namespace, run_id, type, data, created_at)
    SELECT 'default', runs.id, 'order.paid.v1', json_build_object('number', i / ${RUNS}, 'poison', false), cairn.now()
    FROM generate_series(0, $1::int - 1) AS i JOIN runs ON runs.n = i % ${RUNS} ORDER BY i`,
    count,
  );
  await bed.query("VACUUM ANALYZE cairn.outbox_events");
}

/** The same rows, marked in batches by whoever does nothing else. */
async function rawRate(bed: TestBed): Promise<number> {
  const client = new pg.Client({ connectionString: bed.url });
  await client.connect();
  const rows = await bed.query<{ id: string }>(
    "SELECT id FROM cairn.outbox_events WHERE NOT passed ORDER BY shard, id",
  );
  const before = performance.now();
  for (let from = 0; from < rows.length; from += BATCH) {
    const ids = rows.slice(from, from + BATCH).map(({ id }) => id);
    await client.query({
      name: "raw",
      text: "UPDATE cairn.outbox_events SET passed = true, published_at = cairn.now() WHERE id = ANY ($1::int8[])",
      values: [ids],
    });
  }
  const seconds = (performance.now() - before) / 1_000;
  await client.end();
  await bed.query("TRUNCATE cairn.outbox_events");
  return rows.length / seconds;
}

async function drained(bed: TestBed, count: number, begin: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await begin();
  await until(async () => {
    const [row] = await bed.query<{ left: boolean }>(
      `SELECT EXISTS (SELECT FROM generate_series(0, 15) AS s JOIN cairn.outbox_events AS e ON e.shard = s AND NOT e.passed)
        OR EXISTS (SELECT FROM cairn.outbox_backlog) AS left`,
    );
    return !row!.left;
  });
  const rate = count / ((performance.now() - before) / 1_000);
  expect(await bed.query("SELECT FROM cairn.outbox_events WHERE published_at IS NULL")).toEqual([]);
  return rate;
}

const report = (what: string, rate: number, raw: number): void =>
  console.log(
    `${what}: ${Math.round(rate)} events/s, raw updates ${Math.round(raw)} rows/s, ratio ${(rate / raw).toFixed(2)}`,
  );

describe(`${EVENTS} events`, () => {
  it("are drained in the order of each run, at a rate beside that of raw updates", { timeout: 300_000 }, async () => {
    const bed = await testBed();
    await fill(bed, EVENTS);
    const raw = await rawRate(bed);
    // Whoever takes everything at once.
    const seen = new Map<string, number[]>();
    const publish = async (events: readonly OutgoingEvent[]) =>
      events.map(({ runId, json }) => {
        const { data } = JSON.parse(json) as { data: { number: number } };
        seen.set(runId, [...(seen.get(runId) ?? []), data.number]);
        return { taken: true as const };
      });
    await fill(bed, EVENTS);
    const cairn = await bed.open({ outbox: { dispatch: false } });
    await cairn.subscriptions.upsert({ name: "port", types: ["*"], target: { kind: "port", port: "here" } });
    const port = await drained(bed, EVENTS, () => bed.open({ outbox: { ports: { here: { publish } } } }));
    report("to a port of the process", port, raw);
    expect(seen.size).toBe(RUNS);
    for (const own of seen.values()) expect(own).toEqual(numbers(EVENTS / RUNS));
    expect(port / raw).toBeGreaterThan(0.1);
    // Over HTTP each event is a request.
    await cairn.subscriptions.delete("port");
    await bed.query("TRUNCATE cairn.outbox_events");
    const subscriber = await testSubscriber();
    const target = { kind: "webhook" as const, url: subscriber.url };
    await fill(bed, EVENTS / 10);
    await bed.query("UPDATE cairn.outbox_events SET passed = true");
    await cairn.subscriptions.upsert({ name: "hook", types: ["*"], target });
    const hook = await drained(bed, EVENTS / 10, async () => {
      await bed.query("UPDATE cairn.outbox_events SET passed = false");
      await bed.query("NOTIFY cairn_outbox");
    });
    report("to a webhook on this machine", hook, raw);
    expect(subscriber.taken().length).toBeGreaterThanOrEqual(EVENTS / 10);
  });
});
