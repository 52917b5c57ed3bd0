import pg from "pg";
import { beforeAll, describe, expect, it } from "vitest";
import { isConnectionLoss, openPool } from "../../src/store/connection.ts";
import { migrate } from "../../src/store/migrate.ts";
import { releaseOwner } from "../../src/store/owners.ts";
import { pooledUrl } from "../../src/store/pooled-url.ts";
import { until } from "../support/test-engine.ts";
import { type LoopBed, openLoop } from "../support/test-runloop.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { oneCall, twoCalls } from "../workflows/runloop.ts";

let server: TestServer;
let sql: pg.Client;

/** Its standby never comes: whoever says so waits for it until somebody cancels that. */
beforeAll(async () => {
  server = await startTestServer({ settings: { synchronous_standby_names: "nobody", synchronous_commit: "local" } });
  await migrate(server.url);
  sql = new pg.Client({ connectionString: server.url });
  await sql.connect();
  return async () => {
    await sql.end();
    await server.stop();
  };
});

function bedOn(url: string): LoopBed {
  return { url, query: async (text, ...values) => (await sql.query(text, values)).rows };
}

const WAITS = "SET synchronous_commit = on";

async function cancelTheWait(): Promise<void> {
  const cancelled = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
  await until(async () => (await sql.query(cancelled)).rowCount === 1);
}

describe.each([
  ["a connection of one's own", (url: string) => url],
  ["a connection behind a pooler", pooledUrl],
])("I4: when the wait for a synchronous standby is cancelled on %s", (_name, urlOf) => {
  it("nothing of the commit is dispatched, and everything is dropped", async () => {
    const loop = await openLoop(bedOn(urlOf(server.url)));
    const run = await loop.start(twoCalls, 1);
    const call = await loop.call(0);
    for (const client of loop.commits) await client.query(WAITS);
    loop.answer(call, 1);
    await cancelTheWait();
    await until(async () => loop.lost.length === 1);
    expect(loop.lost[0]).toMatchObject({ code: "08007" });
    expect(loop.runloop.held).toBe(0);
    expect([loop.dispatched.length, loop.acknowledged.length]).toEqual([1, 0]);

    const next = await openLoop(bedOn(urlOf(server.url)), { adopt: (calls, runloop) => runloop.strangers(calls) });
    await releaseOwner(next.control, loop.owner);
    next.runloop.poke();
    next.answer(await until(async () => next.dispatched.find(({ runId }) => runId === run)), 2);
    expect(await next.end(run)).toMatchObject({ value: "[1,2]" });
  });

  it("nobody is told that a run was started, and it is not begun", async () => {
    const loop = await openLoop(bedOn(urlOf(server.url)));
    await loop.control.query(WAITS);
    const started = loop.start(oneCall, 1).catch((error: unknown) => error);
    await cancelTheWait();
    expect(isConnectionLoss(await started)).toBe(true);
    expect(loop.dispatched).toEqual([]);
    loop.runloop.poke();
    await until(async () => loop.lost.length === 1);
    await releaseOwner((await openLoop(bedOn(urlOf(server.url)))).control, loop.owner);
  });

  it("what people have asked for is not known to be done, and the pool goes on", async () => {
    const pool = openPool(urlOf(server.url), "test");
    const asked = (n: number): Promise<unknown> =>
      pool.query({
        name: `asked_${n}`,
        text: `WITH waits AS MATERIALIZED (SELECT set_config('synchronous_commit', $1, true))
          INSERT INTO cairn.sent_letters (key, digest, sent_at) SELECT gen_random_uuid(), sha256(''), cairn.now() FROM waits`,
        values: [n === 1 ? "on" : "local"],
      });
    const first = asked(1).catch((error: unknown) => error);
    await cancelTheWait();
    expect(isConnectionLoss(await first)).toBe(true);
    expect(await asked(2)).toMatchObject({ rowCount: 1 });
    await pool.end();
  });
});
