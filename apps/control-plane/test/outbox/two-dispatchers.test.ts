import { describe, expect, it } from "vitest";
import { startPlane } from "../support/plane-process.ts";
import { testBed, until } from "../support/test-engine.ts";
import { QUICK, someRunIds, untilPublished, writeEvents } from "../support/test-outbox.ts";
import { numbers, testSubscriber } from "../support/test-subscriber.ts";

describe("dispatchers of two processes", () => {
  it("share the shards, and one that is closed leaves its own to the other", async () => {
    const bed = await testBed();
    const first = await bed.open({ leaseMs: 1_000, heartbeatMs: 300 });
    await until(async () => (await first.outbox.stats()).dispatchers[0]?.shards === 16);
    const second = await bed.open({ leaseMs: 1_000, heartbeatMs: 300 });
    const shares = async () => (await first.outbox.stats()).dispatchers.map(({ shards }) => shards);
    await until(async () => (await shares()).join() === "8,8");
    await second.close();
    await until(async () => (await shares()).join() === "16");
  });

  it("of which one is killed lose no event and no order", async () => {
    const bed = await testBed();
    const plane = await startPlane(bed.url, { leaseMs: 1_200 });
    const cairn = await bed.open({ leaseMs: 1_200, heartbeatMs: 400 });
    await until(async () => (await cairn.outbox.stats()).dispatchers.map(({ shards }) => shards).join() === "8,8");
    const subscriber = await testSubscriber();
    const target = { kind: "webhook" as const, url: subscriber.url };
    await cairn.subscriptions.upsert({ name: "shop", types: ["order.*"], target, ...QUICK });
    const runs = someRunIds(32);
    const count = 12;
    for (const number of numbers(count)) {
      for (const run of runs) await writeEvents(bed, run, [number]);
      // In the midst of it.
      if (number === 4) await plane.kill("SIGKILL");
    }
    await subscriber.untilTaken(runs.length * count);
    await untilPublished(bed);
    for (const run of runs) expect(subscriber.numbersOf(run)).toEqual(numbers(count));
  });
});
