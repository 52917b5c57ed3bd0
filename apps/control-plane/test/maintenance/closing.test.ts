import { expect, it } from "vitest";
import { againAfterMs } from "../../src/maintenance/maintenance.ts";
import { testBed, until } from "../support/test-engine.ts";

it("a statement of a pass that takes long is not waited for by whoever closes", async () => {
  const bed = await testBed();
  const cairn = await bed.open({ onWarning: () => {} });
  await bed.query("ALTER FUNCTION cairn.abandon_rewrites RENAME TO abandon_rewrites_later");
  await bed.query(
    "CREATE FUNCTION cairn.abandon_rewrites() RETURNS integer LANGUAGE sql VOLATILE AS 'SELECT pg_sleep(20); SELECT 0'",
  );
  const running = expect(cairn.retention.run()).rejects.toThrow("Connection terminated");
  await until(async () => {
    const waiting = await bed.query(
      "SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()",
    );
    return waiting.length > 0;
  });
  const before = performance.now();
  await cairn.close();
  expect(performance.now() - before).toBeLessThan(5_000);
  await running;
});

it("a pass that failed is tried again later and later, after an hour at most", () => {
  const minutes = Array.from({ length: 8 }, (_, index) => againAfterMs(index + 1) / 60_000);
  expect(minutes).toEqual([2, 4, 8, 16, 32, 60, 60, 60]);
});
