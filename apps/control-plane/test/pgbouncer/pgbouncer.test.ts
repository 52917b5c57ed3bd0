import { randomBytes } from "node:crypto";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { checkDatabase } from "../../src/database/check-database.ts";
import { openConnection } from "../../src/store/connection.ts";
import { migrate } from "../../src/store/migrate.ts";
import { pooledUrl } from "../../src/store/pooled-url.ts";
import { ask, statement } from "../../src/store/statement.ts";
import { databaseUrl, runOn, testServer } from "../support/test-database.ts";
import { effectsFolder, expectedResult, killed, startApp } from "../support/crashing-app.ts";
import { type TestBed, testBed, until } from "../support/test-engine.ts";
import { startPgbouncer } from "../support/test-pgbouncer.ts";
import { approved, echo, family, guardian, retrying, sleeper, sums, undone } from "../workflows/basics.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;

/** What each session that the clients share shows to whoever has it next. */
async function sessions(url: string, count: number): Promise<unknown[]> {
  const clients = await Promise.all(Array.from({ length: count }, () => connected(url)));
  // In transactions at the same time each has another session.
  await Promise.all(clients.map((client) => client.query("BEGIN")));
  const answers = await Promise.all(
    clients.map((client) =>
      client.query(
        `SELECT pg_backend_pid() AS pid, current_setting('enable_seqscan') AS seqscan, current_setting('lock_timeout') AS lock,
          (SELECT count(*)::int FROM pg_prepared_statements) AS prepared, (SELECT count(*)::int FROM pg_listening_channels()) AS listening,
          (SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()) AS locks`,
      ),
    ),
  );
  await Promise.all(clients.map((client) => client.end()));
  expect(new Set(answers.map(({ rows }) => rows[0].pid)).size).toBe(count);
  return answers.map(({ rows }) => ({ ...rows[0], pid: null }));
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  return client;
}

async function owners(bed: TestBed): Promise<unknown[]> {
  return bed.query("SELECT session_lock FROM cairn.owners");
}

describe("a pooler before the database", () => {
  it("is noticed in both of its modes, and Postgres itself is not taken for one", async () => {
    const bed = await testBed();
    for (const mode of ["transaction", "session"] as const) {
      const { url } = await startPgbouncer(bed.url, { mode });
      expect(await checkDatabase(url)).toEqual({ pooled: true });
    }
    expect(await checkDatabase(bed.url)).toEqual({ pooled: false });
  });

  it("as the address for LISTEN is refused in one line", async () => {
    const bed = await testBed();
    const { url } = await startPgbouncer(bed.url);
    const opening = bed.open({ databaseUrl: url, listenUrl: url });
    await expect(opening).rejects.toMatchObject({ name: "DatabaseUnusable", code: "POOLER_REFUSED" });
    await expect(opening).rejects.toThrow(
      /^The address for LISTEN \(listenUrl, CAIRN_LISTEN_URL\) leads to a pooler on 127\.0\.0\.1:\d+: give Postgres's own, or none\.$/,
    );
  });

  it("lets many processes migrate an empty database at once", async () => {
    const server = await testServer();
    const name = `test_${randomBytes(8).toString("hex")}`;
    await runOn(server, `CREATE DATABASE ${name}`);
    onTestFinished(() => runOn(server, `DROP DATABASE ${name} WITH (FORCE)`));
    const { url } = await startPgbouncer(databaseUrl(server, name), { sessions: 3 });
    await Promise.all(Array.from({ length: 6 }, () => migrate(pooledUrl(url))));
    await runOn(databaseUrl(server, name), "SELECT FROM cairn.workflow_run");
  });
});

describe("a connection through a pooler", () => {
  it("has its settings with each statement, pipelined or not, and after one that failed", async () => {
    const bed = await testBed();
    const { url } = await startPgbouncer(bed.url, { sessions: 2 });
    const client = await openConnection(pooledUrl(url), "test", ["lock_timeout=123"]);
    onTestFinished(() => client.end());
    const shown = statement(
      "shown",
      "SELECT $1::int AS n, current_setting('enable_seqscan') AS seqscan, current_setting('lock_timeout') AS lock",
    );
    const right = (n: number): unknown => [{ n, seqscan: "off", lock: "123ms" }];
    const answers = await Promise.allSettled([1, 2, "three", 4].map((n) => ask(client, shown, [n])));
    expect(answers).toMatchObject([
      { value: right(1) },
      { value: right(2) },
      { reason: { code: "22P02" } },
      { value: right(4) },
    ]);
    expect(await ask(client, statement("nothing", "SELECT 1 AS one WHERE false"))).toEqual([]);
    expect(await sessions(url, 2)).toEqual(Array.from({ length: 2 }, () => UNTOUCHED));
  });
});

const UNTOUCHED = { pid: null, seqscan: "on", lock: "0", prepared: 0, listening: 0, locks: 0 };

describe.each([
  { threads: 0, listens: false },
  { threads: 1, listens: false },
  { threads: 0, listens: true },
])("engines behind pgbouncer in transaction mode, with $threads threads, LISTEN $listens", ({ threads, listens }) => {
  it("run steps, children, signals, sleeps, retries and compensations, and leave nothing in the sessions", async () => {
    const bed = await testBed();
    const { url } = await startPgbouncer(bed.url, { sessions: 3 });
    const options = {
      databaseUrl: url,
      runloops: threads,
      onWarning: () => {},
      ...(listens ? { listenUrl: bed.url } : {}),
    };
    const [one, other] = await Promise.all([bed.open(options), bed.open(options)]);
    expect(await owners(bed)).toEqual([{ session_lock: null }, { session_lock: null }]);

    const many = await Promise.all(Array.from({ length: 60 }, (_, n) => (n % 2 ? one : other).start(sums, { n })));
    const sums60 = Array.from({ length: 60 }, (_, n) => (n * (n + 1)) / 2);
    expect(await Promise.all(many.map(({ id }) => other.run(id).result()))).toEqual(sums60);
    expect(await (await one.start(family, 20)).result()).toBe(1330);

    const waiting = await one.start(guardian);
    const [child] = await until(async () => {
      const runs = await bed.query<{ id: string }>("SELECT id FROM cairn.runs WHERE parent = $1", waiting.id);
      return runs.length > 0 && runs;
    });
    await other.run(child!.id).signal("approval", "a");
    await one.run(child!.id).signal("approval", "b");
    expect(await other.run(waiting.id).result()).toEqual(["a", "b"]);

    const sleeping = await one.start(sleeper, 14);
    const recovering = await other.start(retrying, { key: `bounced ${threads} ${listens}`, failures: 1 });
    await until(async () => (await sleeping.status()).phase === "sleeping");
    await until(async () => (await bed.query("SELECT FROM cairn.failed_attempts")).length === 1);
    await bed.advance(14 * DAY_MS);
    expect(await other.run(sleeping.id).result()).toBeGreaterThanOrEqual(14 * DAY_MS);
    expect(await one.run(recovering.id).result()).toBe(2);
    await expect((await one.start(undone, "u")).result()).rejects.toThrow(new TypeError("u failed"));

    const cancelled = await one.start(approved);
    await other.run(cancelled.id).cancel("enough");
    await expect(cancelled.result()).rejects.toThrow("enough");
    await one.close();
    expect(await (await other.start(echo, "still here")).result()).toBe("still here");
    await other.close();
    expect(await owners(bed)).toEqual([]);
    expect(await sessions(url, 3)).toEqual(Array.from({ length: 3 }, () => UNTOUCHED));
  });
});

it("runs of a process that is killed are taken over when its lease has run out, and end once and right", async () => {
  const bed = await testBed();
  const { url } = await startPgbouncer(bed.url, { sessions: 4 });
  const effects = effectsFolder();
  const env = { LEASE_MS: "1500" };
  const apps = await Promise.all([startApp(url, effects, env), startApp(url, effects, env)]);
  for (let n = 0; n < 20; n++) {
    await bed.query("SELECT cairn.start_run('crash.parent.v1', $1)", JSON.stringify({ n, steps: 20 }));
  }
  await until(async () => (await bed.query("SELECT FROM cairn.history LIMIT 200")).length === 200);
  const [holder] = await bed.query<{ address: string }>(
    `SELECT o.address FROM cairn.queue AS q JOIN cairn.owners AS o ON o.id = q.owner
    GROUP BY o.address ORDER BY count(*) DESC LIMIT 1`,
  );
  await killed(apps.find(({ pid }) => holder!.address.endsWith(`:${pid}`))!);
  await until(async () => (await bed.query("SELECT FROM cairn.queue LIMIT 1")).length === 0);
  const runs = await bed.query<{ payload: { n: number }; result: number }>(
    "SELECT payload, result FROM cairn.runs WHERE type = 'crash.parent.v1'",
  );
  expect(runs.map(({ result }) => result)).toEqual(runs.map(({ payload }) => expectedResult(payload.n, 20)));
  expect(runs).toHaveLength(20);
  expect(await bed.query("SELECT FROM cairn.failed_attempts WHERE outcome = 'lost'")).not.toEqual([]);
});

it("runs go on when pgbouncer is restarted under them", async () => {
  const bed = await testBed();
  const bouncer = await startPgbouncer(bed.url, { sessions: 3 });
  const warnings: string[] = [];
  const cairn = await bed.open({ databaseUrl: bouncer.url, onWarning: (message) => void warnings.push(message) });
  const runs = await Promise.all(Array.from({ length: 20 }, () => cairn.start(sums, { n: 100 })));
  const results = Promise.all(runs.map((run) => run.result()));
  await until(async () => (await bed.query("SELECT FROM cairn.history LIMIT 200")).length === 200);
  await bouncer.restart();
  expect(await results).toEqual(runs.map(() => 5050));
  expect(await (await cairn.start(sums, { n: 3 })).result()).toBe(6);
  expect(warnings).not.toEqual([]);
});
