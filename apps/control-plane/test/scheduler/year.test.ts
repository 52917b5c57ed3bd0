import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { passYear } from "../support/schedule-year.ts";
import { openSchedulerParts } from "../support/scheduler-parts.ts";
import { createTestDatabase, runOn } from "../support/test-database.ts";

/** Of all schedulers, in the middle of whatever they do. */
const END_BACKENDS = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE application_name = 'cairn test scheduler' AND datname = current_database()`;

it("two schedulers whose connections break start each due time once, with overlap and catch-up as configured, over six weeks with changes of clocks", async () => {
  const database = await createTestDatabase();
  const parts = [0, 1].map(() => openSchedulerParts(database.url, "test scheduler"));
  const closing = new AbortController();
  const loops = parts.map(async ({ scheduler }) => {
    while (!closing.signal.aborted) {
      await scheduler.fireDue().catch(() => {});
      await pause(1);
    }
  });
  try {
    const seed = Math.floor(Math.random() * 2 ** 31);
    const passed = await passYear({
      url: database.url,
      seed,
      schedules: 80,
      // Lord Howe changes on the 3rd of October, Berlin on the 25th, New York on the 1st of November.
      from: Date.parse("2026-09-28T00:00:00Z"),
      days: 40,
      stepMs: 8 * 60 * 60 * 1_000,
      disturb: async (step) => {
        if (step % 10 === 0) await runOn(database.url, END_BACKENDS);
      },
    });
    expect(passed.runs).toBeGreaterThan(100);
  } finally {
    closing.abort();
    await Promise.all(loops);
    for (const { pool } of parts) await pool.end();
    await database.drop();
  }
});
