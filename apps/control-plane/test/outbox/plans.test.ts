import { randomUUID } from "node:crypto";
import fc from "fast-check";
import type pg from "pg";
import { describe, expect, it } from "vitest";
import { isFor } from "../../src/runloop/event-pattern.ts";
import { dueBacklog, freshEvents, leaseShards, lookAtOutbox } from "../../src/store/outbox.ts";
import { explaining, type Plan } from "../support/explaining.ts";
import { storeBed } from "../support/test-store.ts";

const PUBLISHED = 20_000;
const WAITING = 5_000;
/** Whatever there is beside them: some for each of 100 rows. */
const BLOCKS_MAX = 1_500;

describe("looking for events", () => {
  it(`costs the same beside ${PUBLISHED} that are published and ${WAITING} of a run that wait`, async () => {
    const bed = await storeBed();
    const { client } = await bed.owner();
    const dispatcher = randomUUID();
    await leaseShards(client, dispatcher, "a test", 600_000);
    await bed.query(
      `INSERT INTO cairn.subscriptions (namespace, name, types, target, max_attempts, timeout_ms, backoff_ms, backoff_max_ms, created_at, changed_at)
      SELECT 'default', 's' || n, '{*}', '{}', 1, 1, 1, 1, cairn.now(), cairn.now() FROM generate_series(1, 3) AS n`,
    );
    const write = `INSERT INTO cairn.outbox_events (namespace, run_id, type, data, created_at, passed, published_at)
      SELECT 'default', $2::uuid, 'a', '{}', cairn.now(), $3, CASE WHEN $4 THEN cairn.now() END FROM generate_series(1, $1::int)`;
    const [run, other] = ["01a1e125-7226-7aa2-a511-10a5623806c3", "01a1e125-7226-7aa2-a511-10a5623806d3"];
    await bed.query(write, PUBLISHED, run, true, true);
    await bed.query(write, WAITING, run, true, false);
    await bed.query(
      `INSERT INTO cairn.outbox_backlog (event_id, subscription, run_id, shard, next_at)
      SELECT id, 1, run_id, shard, CASE WHEN id = ${PUBLISHED + 1} THEN cairn.now() END FROM cairn.outbox_events WHERE published_at IS NULL`,
    );
    await bed.query(write, 100, other, false, false);
    await bed.query("VACUUM (ANALYZE) cairn.outbox_events, cairn.outbox_backlog");
    expect((await freshEvents(client, 3, dispatcher)).events).toHaveLength(100);
    expect(await dueBacklog(client, 3, dispatcher, 1, 100)).toHaveLength(100);
    const asked: [string, (asking: pg.ClientBase) => Promise<unknown>][] = [
      ["new ones", (asking) => freshEvents(asking, 3, dispatcher)],
      ["what waits", (asking) => dueBacklog(asking, 3, dispatcher, 1, 100)],
      ["a look", (asking) => lookAtOutbox(asking, dispatcher, [1, 2, 3])],
    ];
    for (const [name, ask] of asked) {
      const seen: Plan[] = [];
      await ask(explaining((await bed.owner()).client, seen));
      expect(seen[0]!["Shared Hit Blocks"] + seen[0]!["Shared Read Blocks"], name).toBeLessThan(BLOCKS_MAX);
    }
  });
});

it("a pattern is for the same types in SQL as here", async () => {
  const bed = await storeBed();
  const part = fc.constantFrom("cairn", "order", "paid", "v1", "*", "", "cairn.", "_", "%");
  const text = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("."));
  const pairs = fc.sample(fc.tuple(text, text), 500).flatMap(([a, b]) => [
    [a, b],
    [`${b.slice(0, 6)}*`, b],
  ]);
  const rows = await bed.query<{ is: boolean }>(
    "SELECT cairn.is_for(p, t) AS is FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS u (p, t, n) ORDER BY n",
    pairs.map(([pattern]) => pattern),
    pairs.map(([, type]) => type),
  );
  expect(rows.map((row) => row.is)).toEqual(pairs.map(([pattern, type]) => isFor(pattern!, type!)));
});
