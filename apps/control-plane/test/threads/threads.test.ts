import { describe, expect, it } from "vitest";
import { SharedCells } from "../../src/runloop/shared-cells.ts";
import { RunloopWorker } from "../../src/threads/runloop-worker.ts";
import { testBed, until } from "../support/test-engine.ts";
import { quietOptions, startUnowned } from "../support/test-runloop.ts";
import { light, spinner } from "../workflows/heavy.ts";

describe("runloops in threads", () => {
  it("run what is started, and hand everything over when they are closed", async () => {
    const bed = await testBed();
    const cairn = await bed.open({ runloops: 2 });
    const runs = await Promise.all(Array.from({ length: 20 }, () => cairn.start(light, 5)));
    expect(await Promise.all(runs.map((run) => run.result()))).toEqual(Array.from({ length: 20 }, () => 10));
    const owners = await bed.query<{ alone: boolean }>("SELECT alone FROM cairn.owners");
    expect(owners).toEqual([{ alone: false }, { alone: false }]);
    await cairn.close();
    expect(await bed.query("SELECT FROM cairn.owners")).toEqual([]);
  });

  it("one that was drained while it had no thread takes nothing when it has one", async () => {
    const bed = await testBed();
    await startUnowned(bed, light, [1]);
    const worker = new RunloopWorker({
      ...quietOptions(bed),
      cells: new SharedCells(),
      blobFolder: null,
      memoryMb: 128,
    });
    await worker.drain();
    await worker.open();
    worker.poke();
    await worker.close();
    expect(await bed.query("SELECT started_at FROM cairn.queue")).toEqual([{ started_at: null }]);
  });

  it("one that computes for long delays no other shard", async () => {
    const bed = await testBed();
    const cairn = await bed.open({ runloops: 2 });
    // Started one after the other, runs go to the runloops in turn.
    const slow = await cairn.start(spinner, 30_000_000);
    const quick = await cairn.start(light, 20);
    const order: string[] = [];
    await Promise.all([slow.result().then(() => order.push("slow")), quick.result().then(() => order.push("quick"))]);
    expect(order).toEqual(["quick", "slow"]);
  });

  it("keep their leases while an action blocks the thread of the user's code", async () => {
    const bed = await testBed();
    const cairn = await bed.open({ runloops: 1, leaseMs: 1_000, heartbeatMs: 200 });
    const [owner] = await bed.query<{ id: string }>("SELECT id FROM cairn.owners");
    const before = Date.now();
    // What people must not do, and do.
    while (Date.now() - before < 2_500);
    expect(await bed.query("SELECT id FROM cairn.owners")).toEqual([owner]);
    expect(await (await cairn.start(light, 2)).result()).toBe(1);
  });

  it("start runs that are asked for while their sessions are lost, once each", async () => {
    const bed = await testBed();
    const cairn = await bed.open({ runloops: 1, onWarning: () => {} });
    await (await cairn.start(light, 1)).result();
    const starting = Promise.all(Array.from({ length: 50 }, () => cairn.start(light, 3)));
    await bed.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'cairn co%'",
    );
    const more = Promise.all(Array.from({ length: 50 }, () => cairn.start(light, 3)));
    const runs = [...(await starting), ...(await more)];
    expect(await Promise.all(runs.map((run) => run.result()))).toEqual(runs.map(() => 3));
    expect(await bed.query("SELECT FROM cairn.runs")).toHaveLength(101);
    await bed.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'cairn client'",
    );
    await until(
      async () =>
        (
          await bed.query(
            "SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'cairn client'",
          )
        ).length === 0,
    );
    expect(await runs[0]!.status()).toMatchObject({ status: "succeeded" });
  });

  it("come back under another id when their session is lost, and the runs go on", async () => {
    const bed = await testBed();
    const cairn = await bed.open({ runloops: 1, onWarning: () => {} });
    const run = await cairn.start(light, 300);
    await until(async () => (await bed.query("SELECT FROM cairn.history")).length > 20);
    const [{ id }] = (await bed.query("SELECT id FROM cairn.owners")) as [{ id: string }];
    await bed.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'cairn control'",
    );
    await until(async () => {
      const owners = await bed.query<{ id: string }>("SELECT id FROM cairn.owners");
      return owners.length === 1 && owners[0]!.id !== id;
    });
    expect(await run.result()).toBe(44_850);
  });
});
