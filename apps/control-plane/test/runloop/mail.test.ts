import { describe, expect, it } from "vitest";
import { sendMail, sweepMail } from "../../src/store/mail.ts";
import { takeOver } from "../../src/store/owners.ts";
import { wakeRuns } from "../../src/store/wake-runs.ts";
import { type TestBed, testBed, until } from "../support/test-engine.ts";
import { connect, lockWith, openLoop, startUnowned, untilBlocked } from "../support/test-runloop.ts";
import { hearsTooMuch, listening, oneCall, sleepThenWork, spinsBesideCall } from "../workflows/runloop.ts";

const news = (runId: string, n: number) => ({
  runId,
  kind: "signal" as const,
  call: null,
  name: "news",
  value: String(n),
});

async function parked(bed: TestBed): Promise<void> {
  await until(async () => (await bed.query("SELECT FROM cairn.queue WHERE state = 'parked'")).length === 1);
}

describe("I6: a parked run", () => {
  it("costs no memory, and its owner's row in the queue is free", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const runs = await Promise.all(Array.from({ length: 100 }, () => loop.start(listening, 1)));
    await until(async () => (await bed.query("SELECT FROM cairn.queue WHERE state = 'parked'")).length === runs.length);
    await until(async () => loop.runloop.held === 0);
    expect(await bed.query("SELECT DISTINCT owner, phase, waiting_for, wake_at FROM cairn.queue")).toEqual([
      { owner: null, phase: "waiting", waiting_for: "the signal news", wake_at: null },
    ]);
    expect(await bed.query("SELECT count(*)::int AS n FROM cairn.snapshots")).toEqual([{ n: runs.length }]);
  });

  it("sleeps for more than a second without an owner, for less in memory", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const short = await loop.start(sleepThenWork, 300);
    await loop.start(sleepThenWork, 5_000);
    await parked(bed);
    expect((await loop.call(0)).runId).toBe(short);
    expect(await bed.query("SELECT phase FROM cairn.queue WHERE state = 'parked'")).toEqual([{ phase: "sleeping" }]);
  });

  it("is woken by mail, and takes it with the next claim", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(listening, 1);
    await parked(bed);
    const client = await connect(bed);
    await sendMail(client, [news(run, 5)]);
    expect(await wakeRuns(client)).toEqual({ count: 1, nextInMs: null });
    loop.runloop.poke();
    expect(await loop.end(run)).toMatchObject({ value: "[5]" });
    expect(await bed.query("SELECT FROM cairn.mailbox")).toEqual([]);
  });

  it("sleeps through no signal, however signals and parking race", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const client = await connect(bed);
    const count = 400;
    const run = await loop.start(listening, count);
    const seed = Date.now();
    let state = seed;
    for (let n = 0; n < count; n++) {
      state = (state * 48_271) % 2_147_483_647;
      for (let turns = state % 12; turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve));
      // What a sender's notification makes others do, and no more: nobody looks again by himself.
      await sendMail(client, [news(run, n)]);
      if ((await wakeRuns(client)).count > 0 || state % 2 === 0) loop.runloop.poke();
    }
    const { value } = await loop.end(run);
    expect(JSON.parse(value), `seed ${seed}`).toEqual(Array.from({ length: count }, (_, n) => n));
  });

  it("a signal that comes while the park is being committed wakes it afterwards", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const release = await lockWith(bed, "LOCK TABLE cairn.history IN SHARE MODE");
    const run = await loop.start(listening, 1);
    await untilBlocked(bed);
    const client = await connect(bed);
    await sendMail(client, [news(run, 1)]);
    expect(await wakeRuns(client)).toMatchObject({ count: 0 });
    loop.runloop.poke();
    await release();
    expect(await loop.end(run)).toMatchObject({ value: "[1]" });
  });
});

describe("I11: mail", () => {
  it("of a run that computes, with 6,000 letters, keeps nobody else's away", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const busy = await loop.start(spinsBesideCall, { count: 6_000, rounds: 100_000 });
    const other = await loop.start(oneCall, 1);
    await until(async () => loop.dispatched.length === 2);
    const client = await connect(bed);
    await sendMail(
      client,
      Array.from({ length: 6_000 }, (_, n) => news(busy, n)),
    );
    loop.runloop.poke();
    await until(async () => (await bed.query("SELECT FROM cairn.history WHERE kind = 'signal' LIMIT 1")).length === 1);
    await sendMail(client, [{ runId: other, kind: "cancel", call: null, name: null, value: '"enough"' }]);
    loop.runloop.poke();
    expect(await loop.end(other)).toMatchObject({ status: "cancelled" });
    // All that one look once took, and more, is still there.
    expect((await bed.query("SELECT FROM cairn.mailbox")).length).toBeGreaterThan(5_000);
    expect(loop.ended).toHaveLength(1);
  });

  it("that cancels a run is read before the signals behind which it waits, once these are too many for memory", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(oneCall, 1);
    await loop.call(0);
    const client = await connect(bed);
    const large = Array.from({ length: 2_000 }, () => ({ ...news(run, 0), value: JSON.stringify("x".repeat(10_000)) }));
    await sendMail(client, [...large, { runId: run, kind: "cancel", call: null, name: null, value: '"enough"' }]);
    loop.runloop.poke();
    expect(await loop.end(run)).toMatchObject({ status: "cancelled" });
    expect((await bed.query("SELECT FROM cairn.mailbox")).length).toBeGreaterThan(1_000);
  });
});

describe("I6: mail", () => {
  it("that makes runs write what the database refuses takes no room from that of others", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const bad = await Promise.all(Array.from({ length: 18 }, () => loop.start(hearsTooMuch, 1)));
    await loop.calls(bad.length);
    const client = await connect(bed);
    // Together they are more than may be in memory.
    const value = JSON.stringify("x".repeat(1024 * 1024));
    for (const runId of bad) {
      await sendMail(client, [{ ...news(runId, 1), value }]);
      loop.runloop.poke();
      expect(await loop.end(runId)).toMatchObject({ status: "failed" });
    }
    expect(loop.lost).toEqual([]);
  });

  it("is deleted with the commit of its history rows: when that is fenced out, it is still there", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(oneCall, 1);
    await loop.call(0);
    const client = await connect(bed);
    const release = await lockWith(bed, "LOCK TABLE cairn.history IN SHARE MODE");
    await sendMail(client, [news(run, 1)]);
    loop.runloop.poke();
    await untilBlocked(bed);
    await bed.query("UPDATE cairn.owners SET expires_at = cairn.now() - interval '1 ms'");
    await release();
    await until(async () => loop.lost.length === 1);
    expect(await bed.query("SELECT FROM cairn.mailbox")).toHaveLength(1);
    expect(await bed.query("SELECT FROM cairn.history")).toHaveLength(1);

    await takeOver(client);
    const next = await openLoop(bed);
    next.runloop.poke();
    await until(async () => (await bed.query("SELECT FROM cairn.mailbox")).length === 0);
    expect(await bed.query("SELECT kind FROM cairn.history ORDER BY number")).toEqual([
      { kind: "start" },
      { kind: "signal" },
    ]);
  });

  it("of one run is read at most 1,000 letters a transition, in order", async () => {
    const bed = await testBed();
    const [run] = (await startUnowned(bed, listening, [2_500])) as [string];
    const client = await connect(bed);
    const letters = Array.from({ length: 2_500 }, (_, n) => news(run, n));
    await sendMail(client, letters);
    const loop = await openLoop(bed);
    loop.runloop.poke();
    expect(JSON.parse((await loop.end(run)).value)).toEqual(letters.map((_, n) => n));
    const sizes = await bed.query<{ n: number }>(
      "SELECT count(*)::int AS n FROM cairn.history WHERE kind = 'signal' GROUP BY xmin::text ORDER BY 1 DESC",
    );
    expect(sizes[0]!.n).toBeLessThanOrEqual(1_000);
  });

  it("of a run that is busy meanwhile is read at most 1,000 letters a transition too", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(oneCall, 1);
    await loop.call(0);
    await sendMail(
      await connect(bed),
      Array.from({ length: 3_000 }, (_, n) => news(run, n)),
    );
    loop.runloop.poke();
    await until(async () => (await bed.query("SELECT FROM cairn.mailbox")).length === 0);
    const sizes = await bed.query<{ n: number }>(
      "SELECT count(*)::int AS n FROM cairn.history WHERE kind = 'signal' GROUP BY xmin::text ORDER BY 1 DESC",
    );
    expect(sizes.reduce((sum, { n }) => sum + n, 0)).toBe(3_000);
    expect(sizes[0]!.n).toBeLessThanOrEqual(1_000);
  });

  it("that is left when the run has ended becomes undelivered events", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(oneCall, 1);
    const call = await loop.call(0);
    const client = await connect(bed);
    await sendMail(client, [news(run, 1)]);
    loop.answer(call, 1);
    await loop.end(run);
    await sweepMail(client);
    const [event] = await bed.query<{ data: unknown }>("SELECT data FROM cairn.run_events WHERE kind = 'undelivered'");
    expect(event?.data).toEqual({ kind: "signal", name: "news", value: 1 });
    expect(await bed.query("SELECT FROM cairn.mailbox")).toEqual([]);
    expect(await sendMail(client, [news(run, 2)])).toEqual(new Set());
  });

  it("of runs that live is left alone by the sweep", async () => {
    const bed = await testBed();
    const [run] = (await startUnowned(bed, listening, [1])) as [string];
    const client = await connect(bed);
    await sendMail(client, [news(run, 1)]);
    await sweepMail(client);
    expect(await bed.query("SELECT FROM cairn.mailbox")).toHaveLength(1);
  });
});
