import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import pg from "pg";
import { afterEach, expect, it } from "vitest";
import { passYear } from "../support/schedule-year.ts";
import { createTestDatabase } from "../support/test-database.ts";
import { until } from "../support/test-engine.ts";

const SCHEDULES = 1_000;
const DAYS = 365;
const STEP_MS = 24 * 60 * 60 * 1_000;
/** One of both processes is killed in one of so many steps. */
const KILLED_EVERY = 20;

const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

async function startScheduler(url: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [new URL("scheduler-app.mjs", import.meta.url).pathname], {
    env: { ...process.env, DATABASE_URL: url },
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  await once(child.stdout!, "data");
  return child;
}

it("two processes that are killed start each due time of a year of 1,000 schedules once, with overlap and catch-up as configured", async () => {
  const database = await createTestDatabase();
  const sql = new pg.Client({ connectionString: database.url });
  await sql.connect();
  const count = async (text: string): Promise<number> =>
    Number((await sql.query<{ count: string }>(`SELECT ${text}`)).rows[0]!.count);
  const countRuns = (): Promise<number> => count("sum(fired) AS count FROM cairn.schedules");
  const countDue = (): Promise<number> =>
    count(
      "count(*) FROM cairn.schedules WHERE status = 'active' AND next_run_at <= (SELECT moment FROM cairn.test_clock)",
    );
  try {
    const seed = Math.floor(Math.random() * 2 ** 31);
    let running: ChildProcess[] = [];
    let kills = 0;
    const before = performance.now();
    const passed = await passYear({
      url: database.url,
      seed,
      schedules: SCHEDULES,
      from: Date.parse("2027-01-01T00:00:00Z"),
      days: DAYS,
      stepMs: STEP_MS,
      disturb: async (step, firedBefore) => {
        if (running.length === 0) running = [await startScheduler(database.url), await startScheduler(database.url)];
        if (step % KILLED_EVERY !== KILLED_EVERY - 1) return;
        const [victim, survivor] = running;
        // At once, or after it was seen that something is done.
        if (kills % 2 === 0) await until(async () => (await countRuns()) > firedBefore || (await countDue()) === 0);
        victim!.kill("SIGKILL");
        kills += 1;
        running = [survivor!, await startScheduler(database.url)];
      },
    });
    const seconds = (performance.now() - before) / 1_000;
    console.log({ ...passed, kills, seconds: Math.round(seconds), seed });
    expect(kills).toBeGreaterThan(10);
    expect(passed.runs).toBeGreaterThan(20_000);
  } finally {
    for (const child of children) child.kill("SIGKILL");
    await sql.end();
    await database.drop();
  }
}, 300_000);
