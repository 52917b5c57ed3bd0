import { describe, expect, it } from "vitest";
import { openPlane } from "../support/test-control-plane.ts";
import { testBed, until } from "../support/test-engine.ts";
import { connectTo, RawWorker, registerFlows, startRun } from "../support/test-worker.ts";
import { showUnserved } from "../../src/store/fleet.ts";

const STATUS = "SELECT pool, worker, prefixes, capacity, in_flight FROM cairn.worker_status ORDER BY worker";

describe("what the database says of workers", () => {
  it("they come and go, and how they do is written each heartbeat", async () => {
    const bed = await testBed();
    const plane = await openPlane(bed, { workerHeartbeatMs: 100 });
    const client = connectTo(plane.port);
    await registerFlows(client);
    const worker = await new RawWorker(plane.port, { workerId: "w-1", capacity: 7 }).open(7);
    const about = { pool: plane.id, worker: "w-1", prefixes: ["remote."], capacity: 7 };
    await until(async () => (await bed.query(STATUS)).length === 1);
    await startRun(client, "remote.waiting", "x");
    await worker.call();
    await until(async () => (await bed.query<{ in_flight: number }>(STATUS))[0]!.in_flight === 1);
    expect(await bed.query(STATUS)).toEqual([{ ...about, in_flight: 1 }]);
    worker.break();
    await until(async () => (await bed.query(STATUS)).length === 0);
  });

  it("is there again when others have taken the control plane for one that is gone", async () => {
    const bed = await testBed();
    const plane = await openPlane(bed, { workerHeartbeatMs: 100 });
    await new RawWorker(plane.port, { workerId: "w-1" }).open();
    await until(async () => (await bed.query(STATUS)).length === 1);
    await bed.query("WITH gone AS (DELETE FROM cairn.control_planes) DELETE FROM cairn.worker_status");
    await until(async () => (await bed.query(STATUS)).length === 1);
  });

  it("leaves with a control plane that is closed, and with one that went down", async () => {
    const bed = await testBed();
    await bed.query(`INSERT INTO cairn.control_planes VALUES ('down', 'http://down:1', now(), now() - interval '1 s')`);
    await bed.query(
      `INSERT INTO cairn.worker_status VALUES
        ('default', 'down', 'w', '{}', '{}', 1, 0, 0, 0, NULL, NULL, NULL, now(), now())`,
    );
    const plane = await openPlane(bed);
    expect(await bed.query("SELECT pool FROM cairn.worker_status")).toEqual([]);
    expect(await bed.query("SELECT id FROM cairn.control_planes")).toEqual([{ id: plane.id }]);
    await plane.close();
    expect(await bed.query("SELECT id FROM cairn.control_planes")).toEqual([]);
  });
});

it("jobs that nobody serves say so: the oldest of each pool, once, and those that are claimed meanwhile are left alone", async () => {
  const bed = await testBed();
  await bed.query(`INSERT INTO cairn.queue (run_id, pool, priority, state, ready_at, phase)
    SELECT cairn.new_id(), 'default:billing', 0, 'ready', cairn.now() + n * interval '1 ms', 'ready' FROM generate_series(1, 5) AS n`);
  const pools = [{ pool: "default:billing", waitingFor: "a worker for billing." }];
  for (let time = 0; time < 2; time++) await showUnserved(bed.sql, pools, 3);
  const shown = await bed.query("SELECT phase, waiting_for FROM cairn.queue ORDER BY ready_at");
  const waiting = { phase: "waiting", waiting_for: "a worker for billing." };
  const ready = { phase: "ready", waiting_for: null };
  expect(shown).toEqual([waiting, waiting, waiting, ready, ready]);
});
