import { expect, it } from "vitest";
import { newRunId } from "../../src/ids.ts";
import { wakeUnserved } from "../../src/store/wake-unserved.ts";
import { storeBed } from "../support/test-store.ts";

it.each([
  ["a worker for billing.", ["billing"], 1],
  ["a worker for billing.", ["bill"], 0],
  ["a worker that has billing.charge", ["media", "billing"], 1],
  ["a worker for greet/say", ["greet/"], 1],
  ["a worker for charge", ["charge"], 1],
  ["a worker for a_b.", ["axb"], 0],
  ["a worker for axb.", ["a_b"], 0],
  ["a worker for billing.", [""], 1],
  ["a signal", [""], 0],
])("what waits for %s, when one for %j comes: %i is woken", async (waitingFor, segments, woken) => {
  const bed = await storeBed();
  const [id, other] = [newRunId(Date.now()), newRunId(Date.now())];
  for (const [run, pool] of [
    [id, "default:*"],
    [other, "theirs:*"],
  ]) {
    await bed.query(
      `INSERT INTO cairn.queue (run_id, pool, priority, state, ready_at, wake_at, phase, waiting_for)
      VALUES ($1, $2, 0, 'parked', cairn.now(), cairn.now() + interval '1 day', 'waiting', $3)`,
      run,
      pool,
      waitingFor,
    );
  }
  expect(await wakeUnserved(bed.client, "default", segments)).toBe(woken);
  const ready = await bed.query<{ run_id: string }>("SELECT run_id FROM cairn.queue WHERE state = 'ready'");
  expect(ready).toEqual(woken === 1 ? [{ run_id: id }] : []);
});
