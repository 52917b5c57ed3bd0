import { describe, expect, it } from "vitest";
import { openBlobs } from "../../src/blobs/open-blobs.ts";
import { referenceTo } from "../../src/blobs/reference.ts";
import type { HeldRun } from "../../src/runloop/held-run.ts";
import { Memory } from "../../src/runloop/memory.ts";
import { storedBytes } from "../../src/store/load-runs.ts";
import { sendMail } from "../../src/store/mail.ts";
import { wakeRuns } from "../../src/store/wake-runs.ts";
import { type TestBed, testBed, until } from "../support/test-engine.ts";
import { connect, openLoop, startUnowned, type TestLoop } from "../support/test-runloop.ts";
import {
  keeping,
  keepingAsleep,
  keepingForWork,
  reading,
  readingBesideCall,
  small,
  wasteful,
} from "../workflows/keeping.ts";

const MB = 1024 * 1024;

/** Remembers the most that was ever held. */
class WatchedMemory extends Memory {
  most = 0;
  mostLetters = 0;
  readonly #runs = new Set<HeldRun>();

  override weigh(run: HeldRun, beside = 0): void {
    super.weigh(run, beside);
    this.#runs.add(run);
    this.most = Math.max(this.most, this.bytes);
    this.mostLetters = Math.max(
      this.mostLetters,
      [...this.#runs].reduce((sum, { letterBytes }) => sum + letterBytes, 0),
    );
  }
}

async function signal(bed: TestBed, runs: readonly string[], value: number): Promise<void> {
  const client = await connect(bed);
  const letters = runs.map((runId) => ({ runId, kind: "signal" as const, call: null, name: "go", value: `${value}` }));
  await sendMail(client, letters);
  await wakeRuns(client);
}

/** Answers every call with its argument, for as long as the test runs. */
function answerAll(loop: TestLoop): () => void {
  let next = 0;
  const timer = setInterval(() => {
    for (; next < loop.dispatched.length; next++) {
      const call = loop.dispatched[next]!;
      loop.answer(call, (JSON.parse(call.args) as unknown[])[0]);
    }
  }, 1);
  return () => clearInterval(timer);
}

async function parked(bed: TestBed): Promise<number> {
  const [row] = await bed.query<{ count: number }>(
    "SELECT count(*)::int AS count FROM cairn.queue WHERE state = 'parked'",
  );
  return row!.count;
}

describe("I11: memory is bounded in bytes", () => {
  it("what a claimed run weighs is known before it is read, also of values and states that are blobs", async () => {
    const bed = await testBed();
    const client = await connect(bed);
    const payloadReference = referenceTo("ab".repeat(32), 5 * MB);
    const [fresh] = await startUnowned(bed, small, [1], { payloadReference });
    const loop = await openLoop(bed);
    const run = await loop.start(keeping, MB);
    await until(async () => (await parked(bed)) === 1);
    const [snapshot] = await bed.query<{ blob: Buffer; bytes: number }>(
      "SELECT blob, blob_bytes AS bytes FROM cairn.snapshots",
    );
    expect(snapshot!.bytes).toBeGreaterThan(MB);
    expect((await openBlobs(client, null).get(snapshot!.blob.toString("hex"))).length).toBe(snapshot!.bytes);
    const sizes = await storedBytes(client, [
      { id: fresh!, begun: false },
      { id: run, begun: true },
    ]);
    expect(sizes.get(fresh!)).toBe(5 * MB);
    expect(sizes.get(run)! - snapshot!.bytes).toBeGreaterThan(0);
    expect(sizes.get(run)! - snapshot!.bytes).toBeLessThan(10_000);
  });

  it("200 runs of 1 MB each go through 16 MB, and small ones between them", { timeout: 120_000 }, async () => {
    const bed = await testBed();
    const memory = new WatchedMemory(16 * MB);
    const loop = await openLoop(bed, { memory });
    const stop = answerAll(loop);
    // All at once, owned at once: nothing of them was known to be large.
    const runs = await Promise.all(Array.from({ length: 200 }, () => loop.start(keeping, MB)));
    await until(async () => (await parked(bed)) === 200);
    // A run that is being parked stands beside its snapshot as text.
    expect(memory.most).toBeLessThan(16 * MB + 4 * MB);
    expect(memory.bytes).toBe(0);
    await signal(bed, runs, 7);
    const between = await Promise.all(Array.from({ length: 20 }, () => loop.start(small, 10)));
    loop.runloop.poke();
    for (const run of between) expect(await loop.end(run)).toMatchObject({ status: "succeeded", value: "45" });
    for (const run of runs) expect(await loop.end(run)).toMatchObject({ status: "succeeded", value: `${MB + 7}` });
    stop();
    expect(memory.most).toBeLessThan(16 * MB + 4 * MB);
    expect(memory.bytes).toBe(0);
    const counted = await bed.query<{ crashes: number }>("SELECT crashes FROM cairn.queue");
    expect(counted).toEqual([]);
  });

  it("a run that is larger than all the memory is held alone, and others before and after it", async () => {
    const bed = await testBed();
    const memory = new WatchedMemory(4 * MB);
    const loop = await openLoop(bed, { memory });
    const stop = answerAll(loop);
    const [large] = await startUnowned(bed, keeping, [8 * MB]);
    loop.runloop.poke();
    await until(async () => (await parked(bed)) === 1);
    const others = await Promise.all(Array.from({ length: 10 }, () => loop.start(small, 5)));
    await signal(bed, [large!], 1);
    loop.runloop.poke();
    for (const run of others) expect(await loop.end(run)).toMatchObject({ value: "10" });
    expect(await loop.end(large!)).toMatchObject({ value: `${8 * MB + 1}` });
    stop();
  });

  it("what does not fit is given back as it was, and claimed again when there is room", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed, { memory: new Memory(4 * MB) });
    const waiting = await loop.start(keeping, 2 * MB);
    await until(async () => (await parked(bed)) === 1);
    const busy = await loop.start(keepingForWork, 3 * MB);
    const call = await loop.call(0);
    await bed.query("UPDATE cairn.queue SET crashes = 1 WHERE run_id = $1", waiting);
    await signal(bed, [waiting], 1);
    const look = async (): Promise<{ xmin: string; state: string }> =>
      (
        await bed.query<{ xmin: string; state: string }>(
          "SELECT xmin::text, state, owner, phase, crashes, calls_out, ready_at FROM cairn.queue WHERE run_id = $1",
          waiting,
        )
      )[0]!;
    const { xmin, ...woken } = await look();
    expect(woken).toMatchObject({ state: "ready", owner: null, phase: "ready", crashes: 1, calls_out: false });
    loop.runloop.poke();
    const given = await until(async () => {
      const row = await look();
      return row.state === "ready" && row.xmin !== xmin && row;
    });
    expect(given).toMatchObject(woken);
    loop.answer(call, 1);
    expect(await loop.end(busy)).toMatchObject({ value: `${3 * MB}` });
    expect(await loop.end(waiting)).toMatchObject({ value: `${2 * MB + 1}` });
  });

  it("runs that only linger leave memory at once when others need it", async () => {
    const bed = await testBed();
    const memory = new WatchedMemory(4 * MB);
    const loop = await openLoop(bed, { memory });
    const asleep: string[] = [];
    // They sleep for a second: on a busy machine they may be awake before the other one has begun.
    for (let round = 1; (await parked(bed)) < 2; round++) {
      asleep.splice(0, 2, await loop.start(keepingAsleep, MB), await loop.start(keepingAsleep, MB));
      await loop.start(keepingForWork, 2 * MB);
      await loop.calls(round);
      const isOver = (): boolean => asleep.some((id) => loop.ended.some(({ runId }) => runId === id));
      await until(async () => (await parked(bed)) === 2 || isOver());
      loop.answer(await loop.call(round - 1), 1);
    }
    await bed.advance(1_000);
    await wakeRuns(await connect(bed));
    loop.runloop.poke();
    for (const run of asleep) expect(await loop.end(run)).toMatchObject({ value: `${MB}` });
  });

  it("400 letters of 200 KB each go through 16 MB, in order; so do those of 40 runs at once", async () => {
    const bed = await testBed();
    const memory = new WatchedMemory(16 * MB);
    const loop = await openLoop(bed, { memory });
    const [one, ...others] = await Promise.all(
      Array.from({ length: 41 }, (_, index) => loop.start(reading, index === 0 ? 400 : 2)),
    );
    await until(async () => (await parked(bed)) === 41);
    const send = `INSERT INTO cairn.mailbox (run_id, kind, name, value, sent_at)
      SELECT id, 'signal', 'text', to_json(lpad(n::text, 200000, 'x')), cairn.now()
      FROM unnest($1::uuid[]) AS id, generate_series(1, $2) AS n`;
    await bed.query(send, [one], 400);
    await bed.query(send, others, 2);
    await wakeRuns(await connect(bed));
    const sizes = await storedBytes(await connect(bed), [{ id: one!, begun: true }]);
    expect(sizes.get(one!)).toBeGreaterThan(MB);
    expect(sizes.get(one!)).toBeLessThan(1.5 * MB);
    loop.runloop.poke();
    for (const run of others) expect(await loop.end(run)).toMatchObject({ value: '["1","2"]' });
    const { value } = await loop.end(one!);
    expect(JSON.parse(value)).toEqual(Array.from({ length: 400 }, (_, n) => `${n + 1}`));
    expect(memory.most).toBeLessThan(16 * MB + 4 * MB);
    expect(memory.bytes).toBe(0);
  });

  it("letters to runs that are held: at most 16 MB of them are in memory, and each comes in its order", async () => {
    const bed = await testBed();
    const memory = new WatchedMemory(512 * MB);
    const loop = await openLoop(bed, { memory });
    const runs = await Promise.all(Array.from({ length: 100 }, () => loop.start(readingBesideCall, 2)));
    await until(async () => loop.dispatched.length === 100);
    await bed.query(
      `INSERT INTO cairn.mailbox (run_id, kind, name, value, sent_at)
      SELECT id, 'signal', 'text', to_json(lpad(n::text, 900000, 'x')), cairn.now()
      FROM unnest($1::uuid[]) AS id, generate_series(1, 2) AS n`,
      runs,
    );
    loop.runloop.poke();
    await until(async () => (await bed.query("SELECT FROM cairn.mailbox LIMIT 1")).length === 0);
    expect(memory.mostLetters).toBeGreaterThan(8 * MB);
    expect(memory.mostLetters).toBeLessThan(17 * MB);
    for (const call of loop.dispatched) loop.answer(call, 1);
    for (const run of runs) expect(await loop.end(run)).toMatchObject({ value: '["1","2"]' });
    expect(memory.bytes).toBe(0);
  });

  it("garbage is not counted for ever: a run weighs what it holds", async () => {
    const bed = await testBed();
    const memory = new WatchedMemory(512 * MB);
    const loop = await openLoop(bed, { memory });
    const stop = answerAll(loop);
    const run = await loop.start(wasteful, 100);
    expect(await loop.end(run)).toMatchObject({ value: "100000" });
    stop();
    expect(memory.most).toBeLessThan(0.2 * MB);
  });

  it("a runloop that is closed waits for no run that could not begin", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed, { memory: new Memory(MB) });
    const runs = await Promise.all([loop.start(keepingForWork, MB), loop.start(keepingForWork, MB)]);
    await loop.call(0);
    expect(loop.runloop.held).toBe(2);
    const began = performance.now();
    await loop.runloop.close();
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(loop.dispatched).toHaveLength(1);
    const states = await bed.query("SELECT state, crashes FROM cairn.queue");
    expect(states).toEqual(runs.map(() => ({ state: "ready", crashes: 0 })));
  });
});
