import type { ChildProcess } from "node:child_process";
import { readdirSync } from "node:fs";
import pg from "pg";
import { expect, it } from "vitest";
import { effectsFolder, expectedResult, killed, startApp } from "../support/crashing-app.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { until } from "../support/test-engine.ts";

const full = process.env["CAIRN_CRASHES"] === "all";
const KILLS = full ? 10 : 3;
const RUNS = 60;
const STEPS = full ? 100 : 50;

/** On a connection of its own: the server is killed in between. */
async function query<Row extends pg.QueryResultRow>(url: string, text: string, ...values: unknown[]): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}

async function count(url: string, text: string): Promise<number> {
  return Number((await query<{ count: string }>(url, text))[0]!.count);
}

/** Resolves when the runs have taken some more inputs, a random number: moments that no clock decides. */
async function someProgress(url: string): Promise<void> {
  const inputs = (): Promise<number> => count(url, "SELECT count(*) FROM cairn.history");
  const wanted = (await inputs()) + Math.floor(Math.random() * RUNS * 4);
  await until(async () => (await inputs()) > wanted);
}

interface AttemptRow {
  readonly run_id: string;
  readonly call: string;
  readonly attempt: number;
  readonly outcome: string;
}

async function checkEffects(url: string, effects: string): Promise<void> {
  const attempts = await query<AttemptRow>(url, "SELECT run_id, call, attempt, outcome FROM cairn.step_attempts");
  const recorded = new Map(attempts.map((row) => [`${row.run_id}_${row.call}_${row.attempt}`, row.outcome]));
  const files = readdirSync(effects);
  expect(files.filter((file) => !recorded.has(file))).toEqual([]);
  const done = new Set(files);
  const ended = attempts.filter(({ outcome }) => outcome !== "lost");
  expect(ended.filter((row) => !done.has(`${row.run_id}_${row.call}_${row.attempt}`))).toEqual([]);
  const succeeded = ended.filter(({ outcome }) => outcome === "succeeded").map((row) => `${row.run_id}_${row.call}`);
  expect(new Set(succeeded).size).toBe(succeeded.length);
}

async function killAll(server: TestServer, effects: string): Promise<ChildProcess> {
  for (let kill = 0; kill < KILLS; kill++) {
    const child = await startApp(server.url, effects);
    await someProgress(server.url);
    await killed(child);
    expect(await count(server.url, "SELECT count(*) FROM cairn.queue")).toBeGreaterThanOrEqual(50);
  }
  const survivor = await startApp(server.url, effects);
  await someProgress(server.url);
  await server.kill();
  await server.restart();
  await someProgress(server.url);
  await Promise.all([killed(survivor), server.kill()]);
  await server.restart();
  return startApp(server.url, effects);
}

it(
  `every run ends once and right when the process is killed ${KILLS} times, then Postgres, then both`,
  async () => {
    const server = await startTestServer({ settings: { fsync: "on", full_page_writes: "on" } });
    const effects = effectsFolder();
    await killed(await startApp(server.url, effects));
    for (let n = 0; n < RUNS; n++) {
      await query(server.url, "SELECT cairn.start_run('crash.parent.v1', $1)", JSON.stringify({ n, steps: STEPS }));
    }
    const last = await killAll(server, effects);
    await until(async () => (await count(server.url, "SELECT count(*) FROM cairn.queue")) === 0);
    const runs = await query<{ payload: { n: number }; status: string; result: unknown; last_error: string }>(
      server.url,
      "SELECT payload, status, result, last_error FROM cairn.runs WHERE type = 'crash.parent.v1'",
    );
    expect(runs.length).toBe(RUNS);
    for (const { payload, status, result, last_error } of runs) {
      expect({ status, result, last_error }).toEqual({
        status: "succeeded",
        result: expectedResult(payload.n, STEPS),
        last_error: null,
      });
    }
    const ends = await query(
      server.url,
      "SELECT run_id FROM cairn.run_events WHERE kind IN ('succeeded', 'failed') GROUP BY run_id HAVING count(*) > 1",
    );
    expect(ends).toEqual([]);
    await checkEffects(server.url, effects);
    await killed(last);
    await server.stop();
  },
  full ? 400_000 : 150_000,
);
