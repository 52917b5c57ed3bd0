import { getEventListeners, setMaxListeners } from "node:events";
import { expect, it } from "vitest";
import { newRunId } from "../../src/ids.ts";
import { Waiters } from "../../src/library/waiters.ts";
import type { Queryable } from "../../src/store/statement.ts";
import { until } from "../support/test-engine.ts";
import { storeBed } from "../support/test-store.ts";

it("ends of many runs are read by portions, in turn; who has been told leaves nothing behind", async () => {
  const bed = await storeBed();
  const ids = Array.from({ length: 2_500 }, () => newRunId(Date.now()));
  await bed.query(
    `INSERT INTO cairn.runs (id, namespace, type, version, status, payload, result, run_at, created_at, ended_at)
    SELECT id, 'default', 'test.noop.v1', 'v', CASE WHEN n % 5 = 0 THEN 'succeeded' ELSE 'pending' END, '1', to_json(n), cairn.now(), cairn.now(),
      CASE WHEN n % 5 = 0 THEN cairn.now() END
    FROM unnest($1::uuid[]) WITH ORDINALITY AS wanted (id, n)`,
    ids,
  );
  const portions: number[] = [];
  const query = bed.client.query.bind(bed.client) as (asked: unknown) => Promise<{ rows: { status: string | null }[] }>;
  const client = {
    query: async (asked: unknown) => {
      const answer = await query(asked);
      portions.push(answer.rows.filter(({ status }) => status !== null).length);
      return answer;
    },
  };
  const waiters = new Waiters(client as unknown as Queryable);
  const gone = new AbortController();
  setMaxListeners(0, gone.signal);
  const told: number[] = [];
  const waiting = ids.map((id) =>
    waiters.wait("default", id, gone.signal).then(
      ({ value }) => told.push(Number(value)),
      () => null,
    ),
  );
  await expect(waiters.wait("default", newRunId(Date.now()))).rejects.toMatchObject({ code: "NotFound" });
  await until(async () => told.length >= 500);
  expect(told.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 500 }, (_, index) => (index + 1) * 5));
  expect(Math.max(...portions)).toBe(100);
  expect(getEventListeners(gone.signal, "abort")).toHaveLength(2_000);
  // One that ends is found while others still wait, wherever it stands among them.
  await bed.query("UPDATE cairn.runs SET status = 'succeeded', ended_at = cairn.now() WHERE id = $1", ids[2_498]);
  await waiters.look();
  await until(async () => told.includes(2_499));
  waiters.close();
  await Promise.all(waiting);
  expect(getEventListeners(gone.signal, "abort")).toHaveLength(0);
});

it("what ends elsewhere is found also while others begin to wait all the time", async () => {
  const bed = await storeBed();
  const id = newRunId(Date.now());
  await bed.query(
    `INSERT INTO cairn.runs (id, namespace, type, version, status, payload, run_at, created_at)
    VALUES ($1, 'default', 'test.noop.v1', 'v', 'pending', '1', cairn.now(), cairn.now())`,
    id,
  );
  const waiters = new Waiters(bed.client);
  const ended = waiters.wait("default", id);
  const over = new AbortController();
  let answered = 0;
  // Each time that one is answered, another one waits.
  const others = Array.from({ length: 5 }, async () => {
    while (!over.signal.aborted) await waiters.wait("default", newRunId(Date.now())).catch(() => answered++);
  });
  await until(async () => answered > 20);
  await bed.query("UPDATE cairn.runs SET status = 'succeeded', result = '7', ended_at = cairn.now() WHERE id = $1", id);
  void waiters.look();
  expect(await ended).toMatchObject({ runId: id, value: "7" });
  over.abort();
  await Promise.all(others);
  waiters.close();
});

it("one who waits for the first of many is told once, and leaves all of them", async () => {
  const bed = await storeBed();
  const ids = Array.from({ length: 5 }, () => newRunId(Date.now()));
  await bed.query(
    `INSERT INTO cairn.runs (id, namespace, type, version, status, payload, run_at, created_at)
    SELECT id, 'default', 'test.noop.v1', 'v', 'pending', '1', cairn.now(), cairn.now() FROM unnest($1::uuid[]) AS wanted (id)`,
    ids,
  );
  let looks = 0;
  const query = bed.client.query.bind(bed.client) as (asked: unknown) => Promise<unknown>;
  const waiters = new Waiters({ query: (asked: unknown) => (looks++, query(asked)) } as unknown as Queryable);
  const gone = new AbortController();
  const first = waiters.waitForOne("default", ids, gone.signal);
  const left = new AbortController();
  void waiters.waitForOne("default", ids, left.signal);
  left.abort();
  await until(async () => looks === 1);
  await bed.query("UPDATE cairn.runs SET status = 'failed', error = '1', ended_at = cairn.now() WHERE id = $1", ids[3]);
  await waiters.look();
  await first;
  expect(getEventListeners(gone.signal, "abort")).toHaveLength(0);
  const before = looks;
  await waiters.look();
  expect(looks).toBe(before);
  // One that is not there, or another's, is no reason to wait.
  await waiters.waitForOne("default", [ids[0]!, newRunId(Date.now())], gone.signal);
  await waiters.waitForOne("other", [ids[0]!], gone.signal);
  const closing = waiters.waitForOne("default", ids.slice(0, 3), gone.signal);
  waiters.close();
  await expect(closing).rejects.toMatchObject({ code: "Closed" });
  await expect(waiters.waitForOne("default", ids, gone.signal)).rejects.toMatchObject({ code: "Closed" });
});
